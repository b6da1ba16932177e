//! An offer for tests: one of each, and tools that misbehave.

use preface_core::diagnostic::{Diagnostic, Place};
use preface_mcp::{
    Arguments, CallOutput, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind, ResourceOffer,
    ServerInfo, ToolOffer,
};
use serde_json::{Map, Value, json};
use std::sync::{Condvar, Mutex};

/// Offers one of each, and tools that misbehave.
#[derive(Default)]
pub struct Fake {
    /// Calls of `wait` go on once this is true.
    open: Mutex<bool>,
    opened: Condvar,
    /// The received messages.
    pub diagnostics: Mutex<Vec<String>>,
}

impl Fake {
    /// Lets calls of `wait` go on.
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

/// An object of JSON.
pub fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

impl Offer for Fake {
    fn about(&self) -> ServerInfo {
        ServerInfo { name: "fake".into(), version: "1.2.3".into(), instructions: "Try it.".into() }
    }

    fn prompts(&self) -> Vec<PromptOffer> {
        let arguments = vec![PromptArgument { name: "who".into(), about: "Whom to greet".into() }];
        vec![PromptOffer { name: "greet".into(), about: "A greeting.".into(), arguments }]
    }

    fn tools(&self) -> Vec<ToolOffer> {
        ["echo", "panic", "refuse", "wait"]
            .map(|name| ToolOffer {
                name: name.into(),
                title: name.to_uppercase(),
                about: format!("Does {name}."),
                input: object(json!({ "type": "object", "properties": { "text": { "type": "string" } } })),
                output: object(json!({ "type": "object" })),
            })
            .into()
    }

    fn resources(&self) -> Vec<ResourceOffer> {
        vec![ResourceOffer {
            address: "fake://one".into(),
            name: "one".into(),
            about: "The only one.".into(),
            media_type: "text/plain".into(),
        }]
    }

    fn prompt(&self, _: &str, arguments: &Arguments) -> Result<String, Refusal> {
        match arguments.get("who").and_then(Value::as_str) {
            Some("nobody") => Err(Refusal::arguments("nobody to greet", "name somebody")),
            Some("broken") => Err(broken()),
            who => Ok(format!("Hello {}.\n", who.unwrap_or("you"))),
        }
    }

    fn call(&self, tool: &str, arguments: &Arguments) -> Result<CallOutput, Refusal> {
        match tool {
            "panic" => panic!("a panic of a test"),
            "refuse" => return Err(broken()),
            "wait" => {
                let open = self.open.lock().unwrap();
                drop(self.opened.wait_while(open, |open| !*open).unwrap());
            }
            _ => {}
        }
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(CallOutput { texts: vec![text.clone()], structured: json!({ "text": text }) })
    }

    fn read(&self, address: &str) -> Result<String, Refusal> {
        Ok(format!("this is {address}"))
    }

    fn note(&self, line: &str) {
        self.diagnostics.lock().unwrap().push(line.to_owned());
    }
}

fn broken() -> Refusal {
    let place = Place { line: Some(3), ..Place::file(None, "a.md") };
    let note = Diagnostic::error(preface_core::diagnostic::DiagnosticCode::ProfileInvalid, "it is broken")
        .at(place)
        .help("mend it");
    Refusal::new(RefusalKind::Failed, note)
}
