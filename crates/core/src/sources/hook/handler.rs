//! Handlers: hooks in the program that embeds preface.

use super::{HookCall, HookEvent, HookFailure, HookReply};
use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A hook in the same process. Handlers run after the hooks of the layers, in the order of registration.
///
/// A handler that fails is reported and skipped. A panic is a failure too if panics unwind; in a program that
/// is built with `panic = "abort"` (as the `preface` command is) it ends the program.
///
/// ```
/// use preface_core::hook::{HookCall, HookEvent, HookFailure, HookHandler, HookReply, call_handler};
///
/// /// Adds the branch on which the run starts.
/// struct Branch(String);
///
/// impl HookHandler for Branch {
///     fn name(&self) -> &str {
///         "branch"
///     }
///
///     fn wants(&self, event: HookEvent) -> bool {
///         event == HookEvent::BeforeAgentStart
///     }
///
///     fn call(&self, call: &mut HookCall<'_>) -> Result<HookReply, HookFailure> {
///         let prompt = call.system_prompt.unwrap_or_default();
///         Ok(HookReply { system_prompt: Some(format!("{prompt}\nBranch: {}", self.0)), ..HookReply::default() })
///     }
/// }
///
/// let mut messages = Vec::new();
/// let mut call = HookCall::new(HookEvent::BeforeAgentStart, "/work", &mut messages);
/// call.system_prompt = Some("Be kind.");
/// let reply = call_handler(&Branch("main".to_owned()), &mut call)?;
/// assert_eq!(reply.system_prompt.as_deref(), Some("Be kind.\nBranch: main"));
/// # Ok::<(), HookFailure>(())
/// ```
pub trait HookHandler: Send + Sync {
    /// Returns the name for diagnostics and origins. It need not be unique.
    fn name(&self) -> &str;

    /// Returns true if the handler is called at this event.
    fn wants(&self, event: HookEvent) -> bool;

    /// Reads the input and returns a reply. `Ok(HookReply::default())` changes nothing.
    ///
    /// At [`HookEvent::Context`] the handler may also change [`HookCall::messages`] in place; such a change is
    /// kept even if the handler fails afterwards.
    ///
    /// # Errors
    /// [`HookFailure::failed`], with a message for the user.
    fn call(&self, call: &mut HookCall<'_>) -> Result<HookReply, HookFailure>;
}

impl fmt::Debug for dyn HookHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookHandler").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// A handler made of a name, its events and a function.
///
/// ```
/// use preface_core::hook::{HookCall, HookEvent, HookFn, HookReply, call_handler};
/// let shy = HookFn::new("shy", [HookEvent::Context], |call| {
///     call.messages.retain(|message| message["role"] != "custom");
///     Ok(HookReply::default())
/// });
/// let mut messages = vec![serde_json::json!({"role": "custom"}), serde_json::json!({"role": "user"})];
/// call_handler(&shy, &mut HookCall::new(HookEvent::Context, "/work", &mut messages))?;
/// assert_eq!(messages.len(), 1);
/// # Ok::<(), preface_core::hook::HookFailure>(())
/// ```
pub struct HookFn<F> {
    name: String,
    events: Vec<HookEvent>,
    function: F,
}

impl<F> HookFn<F>
where
    F: Fn(&mut HookCall<'_>) -> Result<HookReply, HookFailure> + Send + Sync,
{
    /// Builds a handler.
    pub fn new(name: impl Into<String>, events: impl IntoIterator<Item = HookEvent>, function: F) -> Self {
        HookFn { name: name.into(), events: events.into_iter().collect(), function }
    }
}

impl<F> fmt::Debug for HookFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookFn")
            .field("name", &self.name)
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

impl<F> HookHandler for HookFn<F>
where
    F: Fn(&mut HookCall<'_>) -> Result<HookReply, HookFailure> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn wants(&self, event: HookEvent) -> bool {
        self.events.contains(&event)
    }

    fn call(&self, call: &mut HookCall<'_>) -> Result<HookReply, HookFailure> {
        (self.function)(call)
    }
}

/// Calls a handler, and turns a panic into a failure if panics unwind. The caller checks whether the handler
/// [wants](HookHandler::wants) the event.
///
/// # Errors
/// The handler's own error, [`HookFailure::Panicked`], or [`HookFailure::Reply`].
pub fn call_handler(handler: &dyn HookHandler, call: &mut HookCall<'_>) -> Result<HookReply, HookFailure> {
    // A panic can leave only the handler's own state half changed; the list of messages is valid at any time.
    let called = catch_unwind(AssertUnwindSafe(|| handler.call(call)));
    called.unwrap_or_else(|payload| Err(HookFailure::Panicked { message: panic_message(&*payload) }))?.check()
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without words".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_handler_is_an_object() {
        let handlers: Vec<Box<dyn HookHandler>> =
            vec![Box::new(HookFn::new("a", [HookEvent::Input], |_| Ok(HookReply::default())))];
        assert_eq!(handlers[0].name(), "a");
        assert!(handlers[0].wants(HookEvent::Input) && !handlers[0].wants(HookEvent::Context));
        assert_eq!(format!("{:?}", handlers[0]), r#"HookHandler { name: "a", .. }"#);
    }

    #[test]
    fn what_was_changed_before_a_failure_stays() {
        let hook = HookFn::new("h", [HookEvent::Context], |call| {
            call.messages.push(json!({"role": "user"}));
            Err(HookFailure::failed("boom"))
        });
        let mut messages = Vec::new();
        let reply = call_handler(&hook, &mut HookCall::new(HookEvent::Context, "/", &mut messages));
        assert_eq!(reply, Err(HookFailure::failed("boom")));
        assert_eq!(messages, [json!({"role": "user"})]);
    }

    #[test]
    fn a_panic_is_a_failure() {
        let hook = HookFn::new("h", [HookEvent::Context], |call| panic!("no {}", call.cwd));
        let reply = call_handler(&hook, &mut HookCall::new(HookEvent::Context, "way", &mut Vec::new()));
        assert_eq!(reply, Err(HookFailure::Panicked { message: "no way".into() }));
    }

    #[test]
    fn a_handler_may_not_contradict_itself_either() {
        let reply =
            HookReply { replace_with_empty: true, system_prompt: Some("x".into()), ..HookReply::default() };
        let hook = HookFn::new("h", [HookEvent::BeforeAgentStart], move |_| Ok(reply.clone()));
        let reply =
            call_handler(&hook, &mut HookCall::new(HookEvent::BeforeAgentStart, "/", &mut Vec::new()));
        assert!(matches!(reply, Err(HookFailure::Reply { .. })));
    }
}
