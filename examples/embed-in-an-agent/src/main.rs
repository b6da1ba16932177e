//! An agent's first step: ask preface what the model is told, show what was left out, send the text.
//!
//! `cargo run -p embed-in-an-agent -- DIR`

use preface::{ASSETS, Engine, Error, OsSystem, Request, ToolChoice, TrustChoice};
use std::process::ExitCode;

/// What this agent needs of a system prompt.
struct Told {
    text: String,
    /// How many bytes at the front stay the same for every conversation: where a prompt cache may end.
    stable: usize,
}

fn main() -> ExitCode {
    let dir = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    match told(&dir) {
        Ok(told) => {
            send(&told);
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn told(dir: &str) -> Result<Told, Error> {
    let system = OsSystem::new(ASSETS);
    let request = Request {
        tools: ToolChoice::Named(["read", "bash", "edit"].map(String::from).to_vec()),
        // What the user has trusted speaks; nobody is asked, and everything else is held.
        trust: TrustChoice::Ask,
        ..Request::new(dir)
    };
    let built = Engine::new(&system).build(&request)?;
    for note in &built.prompt.diagnostics {
        complain(&format!("{}: {}", note.severity, note.message));
    }
    let stable = built
        .prompt
        .parts
        .iter()
        .take_while(|part| part.stability == preface::core::variable::Stability::Static)
        .last()
        .map_or(0, |part| part.range.end);
    Ok(Told { text: built.prompt.text, stable })
}

/// Where a real agent would call its model.
#[allow(clippy::print_stdout)] // an example's output is its point
fn send(told: &Told) {
    println!("{}", told.text);
    println!("({} bytes, {} of them the same for every conversation)", told.text.len(), told.stable);
}

#[allow(clippy::print_stderr)] // see `send`
fn complain(what: &str) {
    eprintln!("{what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_has_a_stable_front() {
        let told = told(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert!(told.text.starts_with("You are"));
        assert!(told.stable > 0 && told.stable < told.text.len());
    }
}
