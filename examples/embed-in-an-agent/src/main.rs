//! The first step of an agent: build the prompt of a directory, report what was left out, send the request.
//!
//! `cargo run -p embed-in-an-agent -- DIR`

#![allow(clippy::print_stdout, clippy::print_stderr)] // the output of an example

use preface::{Error, Format, Preface, Request};
use serde_json::json;

fn main() -> Result<(), Error> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    send(&first_request(&directory, "Fix the tests.")?);
    Ok(())
}

fn first_request(directory: &str, task: &str) -> Result<Request, Error> {
    let prompt = Preface::new().prompt(directory).tools(["read", "bash", "edit"]).build()?;
    for diagnostic in prompt.diagnostics() {
        eprintln!("{diagnostic}");
    }
    let history = json!([{ "role": "user", "content": task }]);
    prompt.request(Format::Anthropic).model("claude-opus-5-5").messages(&history).build()
}

/// Where an agent calls its model.
fn send(request: &Request) {
    println!("{:#}", request.to_json());
}

#[test]
fn the_request_has_prompt_and_task() {
    let body = first_request(env!("CARGO_MANIFEST_DIR"), "Fix the tests.").unwrap().to_json();
    assert!(
        body["system"][0]["text"].is_string() && body["messages"][0].to_string().contains("Fix the tests.")
    );
}
