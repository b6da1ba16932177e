//! The lock file: digests of everything that went into a prompt, without its text.
//!
//! A prompt of the same sources, profile, tools and engine has the same lock, on any machine and any day: values of variables,
//! such as the date, are not in it. Texts of MCP servers are.

use crate::{
    attachment::AttachmentPlace,
    origin::{Origin, Source, Span},
    pipeline::draft::AbsentReason,
    prompt::{Prompt, fingerprint},
    scope::Scope,
    section::SectionId,
    turn::Tool,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The version of the format.
const VERSION: u32 = 1;

/// The inputs of a prompt. In JSON it has the digest of itself as `root`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    /// The version of preface.
    pub engine: String,
    /// The profile.
    pub profile: String,
    /// The version of the profile's texts, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_version: Option<String>,
    /// The files, in the order in which they begin in the prompt.
    pub sources: Vec<LockedSource>,
    /// The sections, in order, and after them those that are sent in the first message.
    pub sections: Vec<LockedSection>,
    /// The sections that are left out.
    pub absent: Vec<LockedAbsence>,
    /// The tool definitions, in order.
    pub tools: Vec<LockedTool>,
    /// The digest of all of the above.
    root: String,
}

/// A file that text of a prompt comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSource {
    /// The path: relative to the working directory, from `~`, or below `bundled/`.
    pub path: String,
    /// The layer of the file.
    pub scope: Scope,
    /// The bytes of it that are in the prompt.
    pub bytes: usize,
    /// The digest of these bytes, as `blake3:<hex>`.
    pub digest: String,
}

/// A section of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSection {
    /// The section.
    pub section: SectionId,
    /// The digest of the order of its origins and of the text that is of no file, such as that of the profile.
    pub digest: String,
}

/// A section that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedAbsence {
    /// The section.
    pub section: SectionId,
    /// The reason.
    pub reason: AbsentReason,
}

/// A tool definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTool {
    /// The name.
    pub name: String,
    /// The digest of name, description and input schema.
    pub digest: String,
}

/// A difference between a lock and a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockChange {
    /// The subject: `engine`, `profile`, a path, `section ID` or `tool NAME`.
    pub subject: String,
    /// The kind of the difference.
    pub change: LockChangeKind,
}

/// The kinds of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockChangeKind {
    /// The subject is new.
    New,
    /// The subject is gone.
    Gone,
    /// The content is another one.
    Changed,
    /// A file of preface itself is the same and gives another text: a condition in it was decided in another way.
    Decided,
    /// The position in the order is another one.
    Moved,
}

impl fmt::Display for LockChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.change {
            LockChangeKind::New => "is new",
            LockChangeKind::Gone => "is gone",
            LockChangeKind::Changed => "changed",
            LockChangeKind::Decided => {
                return write!(
                    f,
                    "a condition in {} was decided in another way: a variable is set or absent now",
                    self.subject
                );
            }
            LockChangeKind::Moved => "moved",
        };
        write!(f, "{} {verb}", self.subject)
    }
}

impl Lock {
    /// Locks a prompt and the tools that are sent with it. `engine` is the version of preface.
    #[must_use]
    pub fn of(prompt: &Prompt, tools: &[Tool], engine: &str) -> Self {
        let mut sources = Sources::default();
        let parts =
            prompt.parts.iter().map(|part| (&part.section, prompt.text_of(part), part.spans.as_slice()));
        let placed = prompt.attachments.iter().filter(|one| one.place == AttachmentPlace::FirstUser);
        let placed = placed.map(|one| (&one.part.section, one.text.as_str(), one.part.spans.as_slice()));
        let sections = parts
            .chain(placed)
            .map(|(section, text, spans)| LockedSection {
                section: section.clone(),
                digest: sources.section(text, spans),
            })
            .collect();
        let absent = prompt.absent.iter();
        let lock = Lock {
            version: VERSION,
            engine: engine.to_owned(),
            profile: prompt.preset.clone(),
            texts_version: prompt.texts_version.clone(),
            sources: sources.finish(),
            sections,
            absent: absent
                .map(|one| LockedAbsence { section: one.section.clone(), reason: one.reason })
                .collect(),
            tools: tools.iter().map(locked_tool).collect(),
            root: String::new(),
        };
        Lock { root: lock.digest(), ..lock }
    }

    /// Reads a lock file.
    ///
    /// # Errors
    /// Text that is no lock file, one of another version, and one that was changed by hand.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let lock: Lock =
            serde_json::from_slice(bytes).map_err(|error| format!("it is no lock file: {error}"))?;
        if lock.version != VERSION {
            return Err(format!(
                "it has version {}, and this version of preface reads {VERSION}",
                lock.version
            ));
        }
        if lock.root != lock.digest() {
            return Err("its `root` is not the digest of the rest: it was changed".to_owned());
        }
        Ok(lock)
    }

    /// Returns the differences of `now`: the engine and the profile, then files, sections and tools in their order.
    #[must_use]
    pub fn changes(&self, now: &Lock) -> Vec<LockChange> {
        let mut changes = Vec::new();
        let mut replaced = |what: &str, before: &str, after: &str| {
            if before != after {
                let subject = format!("{what} (was {before}, is {after})");
                changes.push(LockChange { subject, change: LockChangeKind::Changed });
            }
        };
        replaced("engine", &self.engine, &now.engine);
        replaced("profile", &self.profile, &now.profile);
        let version = |lock: &Lock| lock.texts_version.clone().unwrap_or_else(|| "none".to_owned());
        replaced("version of the profile's texts", &version(self), &version(now));
        let sources = |lock: &Lock| entries(&lock.sources, |one| one.path.clone(), |one| one.digest.clone());
        let of_sources = changes.len();
        compare(&sources(self), &sources(now), &mut changes);
        // The files of one version of preface are always the same.
        let is_bundled =
            |path: &str| self.sources.iter().any(|one| one.scope == Scope::Bundled && one.path == path);
        for change in changes[of_sources..].iter_mut().filter(|_| self.engine == now.engine) {
            if change.change == LockChangeKind::Changed && is_bundled(&change.subject) {
                change.change = LockChangeKind::Decided;
            }
        }
        let sections = |lock: &Lock| {
            let there =
                entries(&lock.sections, |one| format!("section {}", one.section), |one| one.digest.clone());
            let absent = lock.absent.iter().filter(|one| {
                // A section without a text, or whose condition is false, is as good as none.
                !matches!(one.reason, AbsentReason::NoText | AbsentReason::Condition | AbsentReason::Empty)
            });
            let absent = absent
                .map(|one| (format!("section {} (left out)", one.section), format!("{:?}", one.reason)));
            there.into_iter().chain(absent).collect::<Vec<_>>()
        };
        compare(&sections(self), &sections(now), &mut changes);
        let tools =
            |lock: &Lock| entries(&lock.tools, |one| format!("tool {}", one.name), |one| one.digest.clone());
        compare(&tools(self), &tools(now), &mut changes);
        changes
    }

    fn digest(&self) -> String {
        let bare = Lock { root: String::new(), ..self.clone() };
        fingerprint(serde_json::to_string(&bare).unwrap_or_default())
    }
}

/// The files of a prompt, each with the bytes of it that are there, in the order of their first.
#[derive(Default)]
struct Sources(Vec<(Arc<Source>, usize, blake3::Hasher)>);

impl Sources {
    /// Adds the sources of a section and returns the digest of the rest.
    fn section(&mut self, text: &str, spans: &[Span]) -> String {
        let mut own = blake3::Hasher::new();
        let mut put = |kind: &str, name: &str, text: &str| {
            for field in [kind, name, text] {
                own.update(&(field.len() as u64).to_le_bytes());
                own.update(field.as_bytes());
            }
        };
        let mut last = None;
        for span in spans {
            let bytes = text.get(span.range.clone()).unwrap_or_default();
            match &span.origin {
                Origin::Source { source, .. } => {
                    let at = self.0.iter().position(|(known, ..)| known == source).unwrap_or_else(|| {
                        self.0.push((source.clone(), 0, blake3::Hasher::new()));
                        self.0.len() - 1
                    });
                    self.0[at].1 += bytes.len();
                    self.0[at].2.update(bytes.as_bytes());
                    if last != Some(source) {
                        put("source", &source.path, "");
                    }
                    last = Some(source);
                    continue;
                }
                Origin::Variable { key, .. } if key.kind() == "mcp" => put("variable", key.as_str(), bytes),
                Origin::Variable { key, .. } => put("variable", key.as_str(), ""),
                Origin::Literal { key, .. } => put("literal", key, bytes),
                other => put("text", &other.to_string(), bytes),
            }
            last = None;
        }
        format!("blake3:{}", own.finalize().to_hex())
    }

    fn finish(self) -> Vec<LockedSource> {
        let locked = |(source, bytes, hasher): (Arc<Source>, usize, blake3::Hasher)| LockedSource {
            path: source.path.clone(),
            scope: source.scope,
            bytes,
            digest: format!("blake3:{}", hasher.finalize().to_hex()),
        };
        self.0.into_iter().map(locked).collect()
    }
}

fn locked_tool(tool: &Tool) -> LockedTool {
    let mut sent = serde_json::json!([tool.name, tool.description, tool.input_schema]);
    if let (true, Some(sent)) = (tool.strict, sent.as_array_mut()) {
        sent.push("strict".into());
    }
    LockedTool { name: tool.name.clone(), digest: fingerprint(sent.to_string()) }
}

type Entries = Vec<(String, String)>;

fn entries<T>(list: &[T], name: impl Fn(&T) -> String, digest: impl Fn(&T) -> String) -> Entries {
    list.iter().map(|one| (name(one), digest(one))).collect()
}

/// Compares two lists of names with digests.
fn compare(before: &Entries, after: &Entries, changes: &mut Vec<LockChange>) {
    let mut push = |subject: &str, change| changes.push(LockChange { subject: subject.to_owned(), change });
    let was: BTreeMap<&str, &str> = before.iter().map(|(name, digest)| (&**name, &**digest)).collect();
    let is: BTreeMap<&str, &str> = after.iter().map(|(name, digest)| (&**name, &**digest)).collect();
    for (name, _) in before.iter().filter(|(name, _)| !is.contains_key(&**name)) {
        push(name, LockChangeKind::Gone);
    }
    let mut common = before.iter().filter(|(name, _)| is.contains_key(&**name));
    for (name, digest) in after {
        match was.get(&**name) {
            None => push(name, LockChangeKind::New),
            Some(before) => {
                let in_place = common.next().is_some_and(|(other, _)| other == name);
                if before != digest {
                    push(name, LockChangeKind::Changed);
                } else if !in_place {
                    push(name, LockChangeKind::Moved);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        origin::Source,
        prompt::Part,
        variable::{Stability, VariableKey},
    };
    use std::sync::Arc;

    /// A prompt with one part for each section, origin and text. An origin is `profile`, a variable such as `system:date`, or a path.
    fn prompt(parts: &[(&str, &str, &str)]) -> Prompt {
        let mut prompt = Prompt { preset: "p".into(), ..Prompt::default() };
        for (section, origin, text) in parts {
            let origin = match *origin {
                "profile" => Origin::Literal { profile: "p".into(), key: "section.a.text".into() },
                variable if variable.contains(':') => {
                    let (kind, name) = variable.split_once(':').unwrap();
                    Origin::Variable { key: VariableKey::new(kind, name), source: "x".into() }
                }
                path => Origin::Source {
                    source: Arc::new(Source {
                        scope: if path.starts_with("bundled/") { Scope::Bundled } else { Scope::Project },
                        path: path.into(),
                    }),
                    span: 0..text.len(),
                    lossy: false,
                },
            };
            let start = prompt.text.len();
            prompt.text.push_str(text);
            prompt.parts.push(Part {
                section: SectionId::new(*section),
                provider: None,
                range: start..prompt.text.len(),
                stability: Stability::Static,
                priority: 0,
                spans: vec![Span { range: 0..text.len(), origin }],
                cuts: Vec::new(),
            });
        }
        prompt
    }

    fn changes(before: &[(&str, &str, &str)], after: &[(&str, &str, &str)]) -> Vec<String> {
        let lock = |parts: &[(&str, &str, &str)]| Lock::of(&prompt(parts), &[], "1");
        lock(before).changes(&lock(after)).iter().map(ToString::to_string).collect()
    }

    const BEFORE: [(&str, &str, &str); 4] = [
        ("a", "profile", "You help."),
        ("b", "AGENTS.md", "Use tabs."),
        ("c", "docs/x.md", "X."),
        ("d", "system:date", "2026-11-26"),
    ];

    #[test]
    fn what_changed_is_named() {
        assert_eq!(changes(&BEFORE, &BEFORE), Vec::<String>::new());
        let mut after = BEFORE;
        after[3].2 = "2026-11-27";
        assert_eq!(changes(&BEFORE, &after), Vec::<String>::new(), "the value of a variable is not locked");
        let mut after = BEFORE;
        after[1].2 = "Use blanks.";
        assert_eq!(changes(&BEFORE, &after), ["AGENTS.md changed"]);
        after = BEFORE;
        after[0].2 = "You code.";
        assert_eq!(changes(&BEFORE, &after), ["section a changed"]);
        after = BEFORE;
        after.swap(1, 2);
        let moved = ["docs/x.md moved", "AGENTS.md moved", "section c moved", "section b moved"];
        assert_eq!(changes(&BEFORE, &after), moved);
        assert_eq!(
            changes(&BEFORE, &BEFORE[..2]),
            ["docs/x.md is gone", "section c is gone", "section d is gone"]
        );
        assert_eq!(changes(&BEFORE[..1], &BEFORE[..2]), ["AGENTS.md is new", "section b is new"]);
    }

    #[test]
    fn another_text_of_the_same_bundled_file_is_a_decision() {
        let with = |text: &'static str| [("e", "bundled/e.md", text)];
        assert_eq!(
            changes(&with("On main."), &with("No branch.")),
            ["a condition in bundled/e.md was decided in another way: a variable is set or absent now"]
        );
        let lock = |text, engine| Lock::of(&prompt(&with(text)), &[], engine);
        let changes = lock("On main.", "1").changes(&lock("No branch.", "2"));
        assert_eq!(changes[1].to_string(), "bundled/e.md changed");
    }

    #[test]
    fn the_text_of_a_server_is_locked() {
        let with = |text: &'static str| [("m", "mcp:quay", text)];
        assert_eq!(changes(&with("Be kind."), &with("Send keys.")), ["section m changed"]);
    }

    #[test]
    fn tools_and_versions_are_locked() {
        let tool = |description: &str| Tool {
            name: "read".into(),
            description: Some(description.into()),
            ..Tool::default()
        };
        let before = Lock::of(&prompt(&BEFORE), &[tool("Reads.")], "1");
        let after = Lock::of(&prompt(&BEFORE), &[tool("Reads!")], "2");
        let changes: Vec<String> = before.changes(&after).iter().map(ToString::to_string).collect();
        assert_eq!(changes, ["engine (was 1, is 2) changed", "tool read changed"]);
    }

    #[test]
    fn a_file_has_no_text_and_is_checked_when_it_is_read() {
        let lock = Lock::of(&prompt(&BEFORE), &[], "1");
        let json = serde_json::to_string(&lock).unwrap();
        assert!(!json.contains("tabs") && !json.contains("You help"), "{json}");
        assert_eq!(Lock::read(json.as_bytes()), Ok(lock));
        let edited = json.replace("AGENTS.md", "AGENT.md");
        assert!(Lock::read(edited.as_bytes()).unwrap_err().contains("`root`"));
        assert!(Lock::read(b"{}").unwrap_err().starts_with("it is no lock file"));
    }
}
