//! What the files of a project make an agent start or connect to.

use crate::{agent::CaptureRules, files::Places};
use jsonc_parser::ParseOptions;
use preface_core::skill::frontmatter;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The largest configuration that is read.
const LIMIT: u64 = 4 << 20;

/// A file that makes an agent start programs or connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// True if it is the user's own.
    pub is_user: bool,
    /// What it starts or connects to.
    pub actions: Vec<Action>,
}

/// A program that is started, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The keys that lead to it: `hooks SessionStart`.
    pub key: String,
    /// The command or the address; empty for a file that is run itself.
    pub command: String,
}

/// Returns the files of configuration that act, those of the user first.
#[must_use]
pub fn config_files(rules: &CaptureRules, places: &Places) -> Vec<ConfigFile> {
    let mut found: Vec<ConfigFile> = Vec::new();
    for rule in &rules.config {
        let is_user = rule.file.starts_with("~/");
        for path in places.files(rules, &rule.file, &places.project_dirs()) {
            let is_small = fs::metadata(&path).is_ok_and(|meta| meta.len() <= LIMIT);
            let bytes = if is_small { fs::read(&path).unwrap_or_default() } else { Vec::new() };
            let actions = match parsed(&path, &bytes) {
                _ if rule.keys.is_empty() => {
                    vec![Action { key: "the file itself".into(), command: String::new() }]
                }
                Some(value) => rule.keys.iter().flat_map(|key| actions(&value, key)).collect(),
                // What cannot be read here may be read there.
                None => {
                    let text = String::from_utf8_lossy(&bytes);
                    let has = |key: &&String| !is_small || may_have(&path, &text, key);
                    let keys = rule.keys.iter().filter(has).cloned();
                    keys.map(|key| Action { key, command: String::new() }).collect()
                }
            };
            if actions.is_empty() {
                continue;
            }
            match found.iter_mut().find(|file| file.path == path) {
                Some(file) => file.actions.extend(actions),
                None => found.push(ConfigFile { path, bytes, is_user, actions }),
            }
        }
    }
    found.sort_by_key(|file| !file.is_user);
    found
}

/// Returns the names of the MCP servers in some files.
#[must_use]
pub fn servers(files: &[ConfigFile]) -> Vec<String> {
    let keys = ["mcpServers", "mcp_servers", "mcp", "servers"];
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| parsed(&file.path, &file.bytes))
        .flat_map(|value| keys.iter().filter_map(|key| value[*key].as_object().cloned()).collect::<Vec<_>>())
        .flat_map(|servers| servers.keys().cloned().collect::<Vec<_>>())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Returns the command of a hook, if exactly one is configured for the event.
#[must_use]
pub fn hook_command<'f>(files: &'f [ConfigFile], event: &str) -> Option<&'f str> {
    let key = format!("hooks {event}");
    let mut commands = files
        .iter()
        .flat_map(|file| &file.actions)
        .filter(|action| action.key.eq_ignore_ascii_case(&key))
        .map(|action| action.command.as_str());
    commands.next().filter(|_| commands.next().is_none())
}

/// Reads TOML, JSON with comments, or the head of a Markdown file.
pub(crate) fn parsed(path: &Path, bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    match path.extension()?.to_str()? {
        "toml" => toml::from_str(text).ok(),
        "json" | "jsonc" => jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).ok(),
        "md" => match frontmatter::split(text).block {
            Some(block) => frontmatter::read(&block).ok().map(Value::Object),
            None => Some(Value::Null),
        },
        _ => None,
    }
}

/// Returns true if a file that cannot be parsed may have a key: in the head of a Markdown file at the start of a line.
pub(crate) fn may_have(path: &Path, text: &str, key: &str) -> bool {
    let is_line = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    match path.extension() {
        Some(extension) if extension == "md" => text[frontmatter::split(text).span].lines().any(is_line),
        _ => text.contains(key),
    }
}

/// Returns the value of a key, which may have dots.
pub(crate) fn value_at<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    key.split('.').try_fold(value, |value, key| value.get(key))
}

/// Returns what is started under a key, which may have dots.
pub(crate) fn actions(value: &Value, key: &str) -> Vec<Action> {
    let Some(value) = value_at(value, key) else { return Vec::new() };
    let mut found = Vec::new();
    collect(value, &[key], &mut found);
    found
}

fn collect(value: &Value, keys: &[&str], found: &mut Vec<Action>) {
    // `hooks EVENT` and `mcpServers NAME` are enough to find it.
    let action = |command: String| Action { key: keys[..keys.len().min(2)].join(" "), command };
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Object(map) => {
            let text = |key: &str| map.get(key).and_then(words);
            let command = ["command", "bash", "url", "httpUrl", "serverUrl"].iter().find_map(|key| text(key));
            match command {
                Some(command) => found.push(action(
                    [Some(command), text("args")].into_iter().flatten().collect::<Vec<_>>().join(" "),
                )),
                None => {
                    for (key, value) in map {
                        collect(value, &[keys, &[key.as_str()]].concat(), found);
                    }
                }
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                collect(item, keys, found);
            }
        }
        value => {
            // A setting beside the commands, such as a time limit or a matcher.
            if keys.len() == 1
                || !matches!(keys[0], "hooks" | "mcpServers" | "mcp_servers" | "mcp" | "servers")
            {
                found.push(action(words(value).unwrap_or_else(|| value.to_string())));
            }
        }
    }
}

/// Returns a string, or strings as the words of a command.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if !items.is_empty() => {
            let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_servers_and_helpers_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join(".claude")).unwrap();
        fs::write(
            root.join(".claude/settings.json"),
            r#"{"hooks":{"SessionStart":[{"matcher":"*","hooks":[{"type":"command","command":"echo hi","timeout":5}]}]},"apiKeyHelper":"./key.sh","model":"x"}"#,
        )
        .unwrap();
        fs::write(
            root.join(".mcp.json"),
            r#"{"mcpServers":{"git":{"command":"npx","args":["-y","git"]},"web":{"url":"https://x"}}}"#,
        )
        .unwrap();
        fs::write(root.join("odd.json"), "{ hooks ").unwrap();
        let rules: CaptureRules = toml::from_str(
            r#"
            measured = "1"
            print = ["[message]"]
            config = [
              { file = ".claude/settings.json", keys = ["hooks", "apiKeyHelper"] },
              { file = ".mcp.json", keys = ["mcpServers"] },
              { file = "odd.json", keys = ["hooks"] },
              { file = "plugins/*" },
            ]
            "#,
        )
        .unwrap();
        let places = Places { cwd: root.into(), root: root.into(), home: None };
        let files = config_files(&rules, &places);
        let shown: Vec<String> = files
            .iter()
            .flat_map(|file| &file.actions)
            .map(|action| format!("{}: {}", action.key, action.command))
            .collect();
        assert_eq!(
            shown,
            [
                "hooks SessionStart: echo hi",
                "apiKeyHelper: ./key.sh",
                "mcpServers git: npx -y git",
                "mcpServers web: https://x",
                "hooks: ",
            ]
        );
        assert_eq!(servers(&files), ["git", "web"]);
        assert_eq!(hook_command(&files, "SessionStart"), Some("echo hi"));
        assert_eq!(hook_command(&files, "Stop"), None);
    }
}
