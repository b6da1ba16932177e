//! What happened: `--event`.

use crate::{
    failure::{CommandFailure, CommandResult},
    files,
};
use clap::Args;
use preface_core::reminder::MOST_EVENTS;
use preface_engine::host::{places::resolve_links, provider::git, system::System};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most that is read of a file with events.
const LIMIT: u64 = 1 << 20;

/// The events flag.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Conversation")]
pub struct EventFlags {
    /// Add an event: a JSON object whose `type` is that of a reminder, or FILE with such objects
    ///
    /// The reminder goes with the last message of the user, not into the prompt: `--format request` and `--format json` show
    /// it. FILE has one object, an array of them, or one on each line; an empty file has no events. `preface list reminders` lists the types.
    #[arg(long = "event", value_name = "JSON|@FILE", conflicts_with = "snapshot")]
    events: Vec<String>,
}

impl EventFlags {
    /// Returns the flags with these values.
    pub fn of(events: Vec<String>) -> Self {
        EventFlags { events }
    }

    /// Refuses files in the project of a directory or of the process, and in any other work tree that does not hold the home
    /// directory: a repository could put its own text into them.
    pub fn refuse_files_below(&self, dir: &Path) -> CommandResult<()> {
        let system = files::system();
        let dirs = [Some(dir.to_owned()), system.current_dir()];
        let roots = dirs.into_iter().flatten().map(|dir| files::absolute(&dir));
        let roots = roots.map(|dir| Ok(resolve_links(system, &files::project_of(&dir?))));
        let roots: Vec<PathBuf> = roots.collect::<CommandResult<_>>()?;
        let home = system.home().map(|home| resolve_links(system, &home));
        for file in self.events.iter().filter_map(|given| given.strip_prefix('@')) {
            let path = resolve_links(system, &files::absolute(Path::new(file))?);
            let around = path.parent().and_then(|dir| git::work_tree_root(system, dir));
            let around = around.filter(|root| home.as_ref().is_none_or(|home| !home.starts_with(root)));
            if roots.iter().chain(&around).any(|root| path.starts_with(root)) {
                return Err(CommandFailure::usage(format!("`{file}` is a file of the project"))
                    .help("an event of a hook comes from a file outside of it, or from JSON in `--event`"));
            }
        }
        Ok(())
    }

    /// Reads the events, in order.
    pub fn read(&self) -> CommandResult<Vec<Value>> {
        let mut events = Vec::new();
        for given in &self.events {
            match given.strip_prefix('@') {
                Some(file) => {
                    let bytes = files::read_at_most(Path::new(file), LIMIT)?;
                    events.extend(listed(&bytes).map_err(|why| not_json(&format!("`{file}`"), &why))?);
                }
                None => {
                    let event = serde_json::from_str(given);
                    events.push(event.map_err(|error| not_json("`--event`", &error.to_string()))?);
                }
            }
            if events.len() > MOST_EVENTS {
                return Err(CommandFailure::usage(format!("more than {MOST_EVENTS} events")));
            }
        }
        Ok(events)
    }
}

fn not_json(whose: &str, why: &str) -> CommandFailure {
    CommandFailure::usage(format!("{whose} is not JSON: {why}"))
        .help(r#"an event is a JSON object with a `type`, such as `{"type": "…", "path": "src/a.rs"}`"#)
}

/// One object, an array, or one object on each line.
fn listed(bytes: &[u8]) -> Result<Vec<Value>, String> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Array(events)) => return Ok(events),
        Ok(event) => return Ok(vec![event]),
        Err(error) if !error.to_string().starts_with("trailing characters") => {
            return Err(error.to_string());
        }
        Err(_) => {}
    }
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_has_one_event_or_many() {
        let (a, b) = (json!({"type": "a"}), json!({"type": "b"}));
        for (text, events) in [
            ("{\n \"type\": \"a\"\n}\n", vec![a.clone()]),
            ("[{\"type\":\"a\"}, {\"type\":\"b\"}]", vec![a.clone(), b.clone()]),
            ("{\"type\":\"a\"}\n\n{\"type\":\"b\"}\r\n", vec![a, b]),
            ("[]", vec![]),
            ("", vec![]),
            (" \n", vec![]),
        ] {
            assert_eq!(listed(text.as_bytes()), Ok(events), "{text}");
        }
        assert!(
            listed(b"{\"type\":\"a\"}\n{\"type\"\n").unwrap_err().starts_with("line 2: EOF while parsing")
        );
    }
}
