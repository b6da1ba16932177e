//! The other chains: the effect of one more hook on the user's message, on the messages of a request, and on
//! the list of paths with skills.
//!
//! In all of them a failed hook is reported and skipped, and the chain continues with the result of the hooks
//! before it.

use super::{HookEvent, HookFailure, HookReply, HookSource};
use crate::diagnostic::Diagnostics;
use serde_json::Value;
use std::{collections::BTreeSet, ops::ControlFlow};

/// Applies the reply of a hook at `input`. It may change the message, and it may break the chain because it
/// handled the message; then nothing else happens.
///
/// ```
/// use preface_core::hook::{HookReply, apply_input_reply};
/// let mut words = "hi".to_owned();
/// let shout = HookReply { prompt: Some("HI".to_owned()), ..HookReply::default() };
/// assert!(apply_input_reply(&mut words, "shout".into(), Ok(shout), &mut Vec::new()).is_continue());
/// assert_eq!(words, "HI");
/// ```
pub fn apply_input_reply(
    words: &mut String,
    hook: HookSource<'_>,
    reply: Result<HookReply, HookFailure>,
    diagnostics: &mut Diagnostics,
) -> ControlFlow<()> {
    let Some(reply) = hook.accept(HookEvent::Input, reply, diagnostics) else {
        return ControlFlow::Continue(());
    };
    if reply.handled {
        return ControlFlow::Break(());
    }
    if let Some(prompt) = reply.prompt {
        *words = prompt;
    }
    ControlFlow::Continue(())
}

/// Applies the reply of a hook at `context`: a list replaces the messages. Changes that a handler made in
/// place are in `messages` already, and stay even if it failed.
pub fn apply_context_reply(
    messages: &mut Vec<Value>,
    hook: HookSource<'_>,
    reply: Result<HookReply, HookFailure>,
    diagnostics: &mut Diagnostics,
) {
    if let Some(list) = hook.accept(HookEvent::Context, reply, diagnostics).and_then(|reply| reply.messages) {
        *messages = list;
    }
}

/// A path with skills that a hook named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPath {
    /// As the hook wrote it.
    pub path: String,
    /// The hook.
    pub hook: String,
}

/// Applies the reply of a hook at `resources_discover`: its paths follow those of the hooks before it. A path
/// that is already listed keeps its position.
pub fn apply_resources_reply(
    paths: &mut Vec<SkillPath>,
    hook: HookSource<'_>,
    reply: Result<HookReply, HookFailure>,
    diagnostics: &mut Diagnostics,
) {
    let Some(reply) = hook.accept(HookEvent::ResourcesDiscover, reply, diagnostics) else { return };
    let mut known: BTreeSet<String> = paths.iter().map(|one| one.path.clone()).collect();
    let new = reply.skill_paths.into_iter().filter(|path| known.insert(path.clone()));
    paths.extend(new.map(|path| SkillPath { path, hook: hook.name.to_owned() }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn boom() -> Result<HookReply, HookFailure> {
        Err(HookFailure::failed("boom"))
    }

    #[test]
    fn hooks_change_the_message_in_order_until_one_handles_it() {
        let none = HookReply::default;
        let prompt = |text: &str| HookReply { prompt: Some(text.to_owned()), ..none() };
        let handled = HookReply { handled: true, ..prompt("lost") };
        for (replies, words, done, reported) in [
            (vec![Ok(none())], "hi", false, 0),
            (vec![Ok(prompt("a")), boom(), Ok(prompt("b"))], "b", false, 1),
            (vec![Ok(prompt("a")), Ok(none())], "a", false, 0),
            (vec![Ok(prompt(""))], "", false, 0),
            (vec![Ok(prompt("a")), Ok(handled), Ok(prompt("b"))], "a", true, 0),
        ] {
            let (mut text, mut diagnostics) = ("hi".to_owned(), Vec::new());
            let flow = replies
                .into_iter()
                .try_for_each(|reply| apply_input_reply(&mut text, "h".into(), reply, &mut diagnostics));
            assert_eq!((text.as_str(), flow.is_break(), diagnostics.len()), (words, done, reported));
        }
    }

    #[test]
    fn messages_are_replaced_and_what_was_done_in_place_stays() {
        let (mut messages, mut diagnostics) = (vec![json!({"role": "user"})], Vec::new());
        apply_context_reply(&mut messages, "quiet".into(), Ok(HookReply::default()), &mut diagnostics);
        messages.push(json!({"role": "custom"}));
        apply_context_reply(&mut messages, "broken".into(), boom(), &mut diagnostics);
        assert_eq!(messages, [json!({"role": "user"}), json!({"role": "custom"})]);
        assert_eq!(
            diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect::<Vec<_>>(),
            ["hook `broken` failed at context and was skipped: boom"]
        );
        let empty = HookReply { messages: Some(vec![]), ..HookReply::default() };
        apply_context_reply(&mut messages, "empty".into(), Ok(empty), &mut diagnostics);
        assert_eq!(messages, Vec::<Value>::new(), "an empty list is a list");
    }

    #[test]
    fn paths_are_united_in_order() {
        let (mut paths, mut diagnostics) = (Vec::new(), Vec::new());
        let reply = |list: &[&str]| {
            Ok(HookReply {
                skill_paths: list.iter().map(|path| (*path).to_owned()).collect(),
                ..HookReply::default()
            })
        };
        apply_resources_reply(&mut paths, "a".into(), reply(&["x", "y"]), &mut diagnostics);
        apply_resources_reply(&mut paths, "b".into(), boom(), &mut diagnostics);
        apply_resources_reply(&mut paths, "c".into(), reply(&["z", "x"]), &mut diagnostics);
        let named: Vec<_> = paths.iter().map(|one| (one.path.as_str(), one.hook.as_str())).collect();
        assert_eq!(named, [("x", "a"), ("y", "a"), ("z", "c")]);
        assert_eq!(diagnostics.len(), 1);
    }
}
