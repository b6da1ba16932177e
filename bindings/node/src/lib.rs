//! The native part of the npm package `preface`: two functions for operations, one that returns and one that returns a promise, and one
//! that adds a hook.
//!
//! Everything crosses as JSON, once, and a long text as it is: the name of an operation and its input go in, its result comes out; what stays here
//! between two calls is a `Resource` behind a handle. The classes that people use are in `bindings/node/lib`; they check
//! arguments and turn an error of a reply into a `PrefaceError`. No function here throws, and a panic ends in a reply, too.

mod operation;
mod reply;
mod resource;

use crate::{reply::Reply, resource::Resource};
use napi::{
    Env, Result, Task,
    bindgen_prelude::{AsyncTask, External, Function},
    threadsafe_function::ThreadsafeFunctionCallMode,
};
use napi_derive::napi;
use std::sync::{Arc, mpsc};

/// What an operation needs from before: a prompt, a store, or a conversation.
type Handle = External<Arc<Resource>>;

/// The result of an operation, as JavaScript gets it.
#[napi(object, object_from_js = false)]
pub struct JsReply {
    /// JSON: `{"value": …}` or `{"error": …}`.
    pub json: String,
    /// A long text, which JSON would only make longer.
    pub text: Option<String>,
    /// What later operations need.
    pub handle: Option<Handle>,
}

impl From<Reply> for JsReply {
    fn from(Reply { json, text, resource }: Reply) -> Self {
        let handle = resource.map(|resource| {
            let size = resource.size();
            External::new_with_size_hint(Arc::new(resource), size)
        });
        JsReply { json, text, handle }
    }
}

/// Carries out an operation on the calling thread.
#[napi]
pub fn call_sync(operation: String, input: String, handle: Option<&Handle>) -> JsReply {
    operation::run(&operation, &input, handle.map(|handle| &***handle)).into()
}

/// Carries out an operation on the thread pool.
#[napi]
pub fn call(operation: String, input: String, handle: Option<&Handle>) -> AsyncTask<Call> {
    AsyncTask::new(Call { operation, input, resource: handle.map(|handle| Arc::clone(handle)) })
}

/// Adds a hook to a conversation: a function that takes the JSON of a call and returns the JSON of an answer. It must not throw.
#[napi]
pub fn on(
    event: String,
    name: String,
    handle: &Handle,
    function: Function<'_, String, String>,
) -> Result<()> {
    // Weak: a hook that waits to be called does not keep the process alive.
    let function = function.build_threadsafe_function().weak::<true>().build()?;
    let call = move |asked: String| {
        let (send, answer) = mpsc::channel();
        function.call_with_return_value(asked, ThreadsafeFunctionCallMode::Blocking, move |result, _| {
            // Nobody waits any more where the process ends.
            let _ = send.send(result.map_err(|error| error.to_string()));
            Ok(())
        });
        let answer = answer.recv().unwrap_or_else(|_| Err("the function was not called".to_owned()))?;
        reply::of_hook(&answer)
    };
    operation::add_hook(handle, &event, name, call);
    Ok(())
}

/// An operation that waits for a thread of the pool.
pub struct Call {
    operation: String,
    input: String,
    resource: Option<Arc<Resource>>,
}

impl Task for Call {
    type Output = Reply;
    type JsValue = JsReply;

    fn compute(&mut self) -> Result<Reply> {
        Ok(operation::run(&self.operation, &self.input, self.resource.as_deref()))
    }

    fn resolve(&mut self, _env: Env, reply: Reply) -> Result<JsReply> {
        Ok(reply.into())
    }
}
