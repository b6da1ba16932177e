//! Where text comes from: runs of bytes that are in a file, whatever the agent did to its line ends, and texts behind a mark of the agent.

use serde::{Deserialize, Serialize};
use std::{collections::HashMap, ffi::OsString, ops::Range};

/// The fewest bytes that a file claims.
pub const SHORTEST: usize = 24;

/// The fewest bytes that a file claims from the middle of a line on: a phrase can be in two texts by chance.
const SHORTEST_WITHIN: usize = 64;

/// The most places in files that are tried for one run, so that repeated text costs little.
const MOST_PLACES: usize = 16;

/// The kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A file of instructions, or what one imports.
    File,
    /// A skill, a command or a subagent.
    Skill,
    /// The output of a hook.
    Hook,
    /// An MCP server.
    Server,
    /// What the agent found out about the machine and the directory.
    Environment,
    /// An argument of the user.
    Arguments,
    /// The message of the user.
    Message,
    /// The agent's own words.
    Agent,
    /// The characters of JSON between the values.
    Syntax,
}

/// The source of a run of bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The kind.
    pub kind: SourceKind,
    /// The names: each file that has the text, or the hook or server. Empty for the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Source {
    /// Creates a source without a name.
    #[must_use]
    pub fn of(kind: SourceKind) -> Self {
        Source { kind, names: Vec::new() }
    }

    /// Creates a source with one name.
    #[must_use]
    pub fn named(kind: SourceKind, name: impl Into<String>) -> Self {
        Source { kind, names: vec![name.into()] }
    }
}

/// A file that text may be from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The source.
    pub source: Source,
    /// The text of the file.
    pub text: String,
}

/// Returns the arguments of the user as texts, also without the name in front of a `=`.
pub fn argument_texts(args: &[OsString]) -> impl Iterator<Item = SourceText> {
    let args = args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let texts = args.flat_map(|arg| [arg.split_once('=').map(|(_, value)| value.to_owned()), Some(arg)]);
    texts.flatten().map(|text| SourceText { source: Source::of(SourceKind::Arguments), text })
}

/// A text of an agent that begins a run of another source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The beginning of a line.
    pub start: String,
    /// The kind of what follows, up to the next mark.
    pub kind: SourceKind,
    /// The name of what follows; that of a server without one is behind the start.
    pub name: Option<String>,
    /// The text that ends it, if it does not go on to the next mark.
    pub end: Option<String>,
    /// The beginning of the lines in it that name a source of their own: `## `.
    pub heads: Option<String>,
    /// The kind of that source.
    pub head_kind: Option<SourceKind>,
}

/// A text with its white space folded, and the way back.
struct Folded {
    bytes: Vec<u8>,
    /// For each byte, where it is in the text; one more for the end.
    places: Vec<usize>,
    /// For each byte, whether a line or the value of a line begins there.
    begins: Vec<bool>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = Folded { bytes: Vec::new(), places: Vec::new(), begins: Vec::new() };
        let (mut begins, mut end) = (true, 0);
        let mut rest = text.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            if c.is_whitespace() || c == '\u{feff}' {
                // `key: value` and `- item` begin behind their mark, too.
                let before = folded.bytes.last();
                begins |= c == '\n' || (matches!(before, Some(b':' | b'-' | b'*' | b'>' | b'#')));
                if before.is_some_and(|byte| *byte != b' ') {
                    folded.push(b' ', at, false);
                }
                continue;
            }
            let escape = [("&lt;", b'<'), ("&gt;", b'>'), ("&amp;", b'&')];
            match escape.iter().find(|(escape, _)| c == '&' && text[at..].starts_with(escape)) {
                Some((escape, byte)) => {
                    folded.push(*byte, at, begins);
                    for _ in 1..escape.len() {
                        rest.next();
                    }
                    end = at + escape.len();
                }
                None => {
                    let mut buffer = [0; 4];
                    for (nth, byte) in c.encode_utf8(&mut buffer).bytes().enumerate() {
                        folded.push(byte, at, begins && nth == 0);
                    }
                    end = at + c.len_utf8();
                }
            }
            begins = (begins && matches!(c, '"' | '\'')) || c == '>';
        }
        if folded.bytes.last() == Some(&b' ') {
            folded.bytes.pop();
            folded.places.pop();
            folded.begins.pop();
        }
        folded.places.push(end);
        folded
    }

    fn push(&mut self, byte: u8, place: usize, begins: bool) {
        self.bytes.push(byte);
        self.places.push(place);
        self.begins.push(begins);
    }
}

/// The files that text may be from, made ready for search.
pub struct Sources {
    texts: Vec<(Source, Folded)>,
    /// Where each run of [`SHORTEST`] bytes begins: text and place.
    index: HashMap<[u8; SHORTEST], Vec<(usize, usize)>>,
}

impl Sources {
    /// Reads files.
    #[must_use]
    pub fn new(texts: impl IntoIterator<Item = SourceText>) -> Self {
        let texts: Vec<(Source, Folded)> =
            texts.into_iter().map(|text| (text.source, Folded::of(&text.text))).collect();
        let mut index: HashMap<[u8; SHORTEST], Vec<(usize, usize)>> = HashMap::new();
        for (nth, (_, text)) in texts.iter().enumerate() {
            for (at, run) in text.bytes.windows(SHORTEST).enumerate() {
                if let Ok(run) = <[u8; SHORTEST]>::try_from(run) {
                    let places = index.entry(run).or_default();
                    if places.len() < MOST_PLACES {
                        places.push((nth, at));
                    }
                }
            }
        }
        Sources { texts, index }
    }

    /// Finds the runs of a text that are in files, in order.
    #[must_use]
    pub fn claims(&self, text: &str) -> Vec<(Range<usize>, Source)> {
        let folded = Folded::of(text);
        let mut claims: Vec<(Range<usize>, Source)> = Vec::new();
        // The files of the run before, and where it ended.
        let mut before: (usize, Vec<usize>) = (0, Vec::new());
        let mut at = 0;
        while at + SHORTEST <= folded.bytes.len() {
            let follows = if at <= before.0 + 1 { before.1.as_slice() } else { &[] };
            let Some((length, files)) = self.longest(&folded.bytes[at..], folded.begins[at], follows) else {
                at += 1;
                continue;
            };
            // A character has one source.
            let end = (at..=at + length).rev().find(|end| text.is_char_boundary(folded.places[*end]));
            let end = end.unwrap_or(at);
            let mut range = folded.places[at]..folded.places[end];
            range.end = range.start + text[range.clone()].trim_end().len();
            let mut names: Vec<String> =
                files.iter().flat_map(|file| self.texts[*file].0.names.iter().cloned()).collect();
            names.sort();
            names.dedup();
            let kind = files.iter().map(|file| self.texts[*file].0.kind).min().unwrap_or(SourceKind::Agent);
            claims.push((range, Source { kind, names }));
            at = end.max(at + 1);
            before = (at, files);
        }
        claims
    }

    /// Returns the length of the longest run of a file that text begins with, and the files that have it. `begins` is true where a
    /// line of the text begins, `before` has the files of a run that ends there.
    fn longest(&self, text: &[u8], begins: bool, before: &[usize]) -> Option<(usize, Vec<usize>)> {
        let first = <[u8; SHORTEST]>::try_from(text.get(..SHORTEST)?).ok()?;
        let mut best: Option<(usize, Vec<usize>)> = None;
        for (file, place) in self.index.get(&first)? {
            let source = &self.texts[*file].1;
            let length = text.iter().zip(&source.bytes[*place..]).take_while(|(a, b)| a == b).count();
            let is_run =
                (begins && source.begins[*place]) || length >= SHORTEST_WITHIN || before.contains(file);
            match &mut best {
                _ if !is_run => {}
                Some((most, files)) if *most == length => {
                    if !files.contains(file) {
                        files.push(*file);
                    }
                }
                Some((most, _)) if *most > length => {}
                _ => best = Some((length, vec![*file])),
            }
        }
        best
    }
}

/// Divides a text at the marks of an agent. What is before the first mark, and behind the end of one, has the source `rest`.
#[must_use]
pub fn marked(text: &str, marks: &[Mark], rest: &Source) -> Vec<(Range<usize>, Source)> {
    let mut runs: Vec<(Range<usize>, Source)> = Vec::new();
    let (mut source, mut from, mut end, mut heads) = (rest.clone(), 0, None::<&str>, None);
    let mut line_start = 0;
    let mut push = |range: Range<usize>, source: &Source| {
        if !range.is_empty() {
            runs.push((range, source.clone()));
        }
    };
    for line in text.split_inclusive('\n') {
        let at = line_start;
        line_start += line.len();
        // The longest mark is the one that is meant.
        let found =
            marks.iter().filter(|mark| line.starts_with(&mark.start)).max_by_key(|mark| mark.start.len());
        if let Some(mark) = found {
            push(from..at, &source);
            let behind = (mark.kind == SourceKind::Server).then(|| server_name(&line[mark.start.len()..]));
            source = Source { kind: mark.kind, names: mark.name.clone().or(behind).into_iter().collect() };
            (from, end) = (at, mark.end.as_deref());
            heads = mark.heads.as_deref().map(|head| (head, mark.head_kind.unwrap_or(mark.kind)));
        } else if let Some((name, kind)) =
            heads.and_then(|(head, kind)| Some((line.strip_prefix(head)?, kind)))
        {
            push(from..at, &source);
            source = Source::named(kind, server_name(name));
            from = at;
        } else if let Some(name) = server_of(line.trim_start_matches(['-', ' '])) {
            push(from..at, &source);
            push(at..line_start, &Source::named(SourceKind::Server, name));
            from = line_start;
        }
        if let Some(stop) = end.and_then(|end| line.find(end).map(|found| at + found + end.len())) {
            push(from..stop, &source);
            (source, from, end, heads) = (rest.clone(), stop, None, None);
        }
    }
    push(from..text.len(), &source);
    runs
}

/// Returns a name without what a line has around it.
fn server_name(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || "\"'<>:".contains(c)).to_owned()
}

/// Returns the server of a tool that is named `mcp__SERVER__TOOL`.
#[must_use]
pub fn server_of(tool: &str) -> Option<&str> {
    let rest = tool.strip_prefix("mcp__")?;
    let name = rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).next()?;
    Some(name.split_once("__").map_or(name, |(server, _)| server)).filter(|server| !server.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> Sources {
        Sources::new(files.iter().map(|(name, text)| SourceText {
            source: Source::named(SourceKind::File, *name),
            text: (*text).to_owned(),
        }))
    }

    fn claimed<'t>(sources: &Sources, text: &'t str) -> Vec<(&'t str, String)> {
        sources
            .claims(text)
            .into_iter()
            .map(|(range, source)| (&text[range], source.names.join("+")))
            .collect()
    }

    #[test]
    fn a_file_is_found_with_other_line_ends_and_wrapped() {
        let file =
            "# Rules\r\n\r\nAlways run the tests before a commit,\r\nand never after it. Grüße <b>.\r\n";
        let sources = sources(&[("AGENTS.md", file)]);
        let text = "Own words.\n  # Rules\n\n Always run the tests\n before a commit, and never\n after it. Grüße &lt;b>.\nMore.";
        let run = "# Rules\n\n Always run the tests\n before a commit, and never\n after it. Grüße &lt;b>.";
        assert_eq!(claimed(&sources, text), [(run, "AGENTS.md".to_owned())]);
    }

    #[test]
    fn short_runs_and_phrases_within_a_line_are_not_claimed() {
        let sources = sources(&[("A.md", "Short line\nSee the guide at the usual place for more\n")]);
        assert_eq!(claimed(&sources, "Short line"), []);
        assert_eq!(claimed(&sources, "guide at the usual place for more"), []);
        assert_eq!(claimed(&sources, "See the guide at the usual place for more").len(), 1);
    }

    #[test]
    fn a_text_in_two_files_names_both_and_the_longer_run_wins() {
        let both = "The same sentence is in two files.";
        let longer = format!("{both} And one more is in this.");
        let sources = sources(&[("A.md", both), ("B.md", both), ("C.md", &longer)]);
        assert_eq!(claimed(&sources, &longer), [(longer.as_str(), "C.md".to_owned())]);
        assert_eq!(claimed(&sources, &both[..30]), [(&both[..30], "A.md+B.md+C.md".to_owned())]);
    }

    #[test]
    fn what_goes_on_behind_a_cut_is_the_file_again() {
        let sources = sources(&[(
            "A.md",
            "One sentence is before it. <!-- a comment --> Another is behind it, short.",
        )]);
        let text = "One sentence is before it. Another is behind it, short.";
        let found: usize = claimed(&sources, text).iter().map(|(run, _)| run.len()).sum();
        assert!(found >= text.len() - 1, "{:?}", claimed(&sources, text));
    }

    #[test]
    fn the_description_of_a_skill_is_found_without_its_key() {
        let sources =
            sources(&[("SKILL.md", "---\nname: x\ndescription: \"Deploys the service to staging\"\n---\n")]);
        assert_eq!(
            claimed(&sources, "- x: Deploys the service to staging"),
            [("Deploys the service to staging", "SKILL.md".to_owned())]
        );
    }

    #[test]
    fn marks_divide_a_text() {
        let mark = |start: &str, kind, name: &str| Mark {
            start: start.into(),
            kind,
            name: Some(name.into()),
            end: None,
            heads: None,
            head_kind: None,
        };
        let marks = [
            mark("Hook: ", SourceKind::Hook, "SessionStart"),
            Mark { end: Some("</env>".into()), ..mark("<env>", SourceKind::Environment, "") },
            Mark { heads: Some("## ".into()), ..mark("# Servers", SourceKind::Server, "all") },
        ];
        let text = "a\nHook: x\ny\n<env>\nz</env> b\nmcp__s__t\n# Servers\n## one\nwords\n";
        let runs = marked(text, &marks, &Source::of(SourceKind::Agent));
        let shown: Vec<(&str, SourceKind, String)> = runs
            .iter()
            .map(|(range, source)| (&text[range.clone()], source.kind, source.names.join("+")))
            .collect();
        assert_eq!(
            shown,
            [
                ("a\n", SourceKind::Agent, String::new()),
                ("Hook: x\ny\n", SourceKind::Hook, "SessionStart".into()),
                ("<env>\nz</env>", SourceKind::Environment, String::new()),
                (" b\n", SourceKind::Agent, String::new()),
                ("mcp__s__t\n", SourceKind::Server, "s".into()),
                ("# Servers\n", SourceKind::Server, "all".into()),
                ("## one\nwords\n", SourceKind::Server, "one".into()),
            ]
        );
    }

    #[test]
    fn repeated_text_is_quick() {
        let much = "a".repeat(200_000);
        let sources = sources(&[("A.md", &much), ("B.md", &"ab ".repeat(60_000))]);
        assert_eq!(sources.claims(&much).len(), 1);
        let _ = sources.claims(&"ab a".repeat(50_000));
    }
}
