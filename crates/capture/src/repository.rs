//! The files of all agents in a work tree: which agent reads which, what is cut, what would run, and what nobody reads.
//!
//! The rules are the `reads` and `config` of `agents.toml`. Nothing here touches the machine, and nothing of a file is acted upon.

use crate::{
    agent::{ConfigRule, UnreadRule, agents, readers, unread, wide},
    project::{actions, may_have, parsed, value_at},
};
use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::{hidden::escape_hidden, secret::redact},
    turn::one_line,
};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Texts that an agent reads in a repository.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadRule {
    /// The kind of the texts.
    #[serde(default)]
    pub kind: TextKind,
    /// Patterns from the root of the work tree; with `**/` in front from every directory.
    pub files: Vec<String>,
    /// Where only the first pattern that has a file is read.
    pub first: Option<FirstOf>,
    /// The most that is read.
    pub limit: Option<ReadLimit>,
}

/// The kinds of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextKind {
    /// Instructions for every session or for some files.
    #[default]
    Instructions,
    /// Skills.
    Skill,
    /// Other texts for a model.
    Text,
    /// Texts that are checked, whoever reads them.
    Check,
}

impl TextKind {
    /// Returns true for what agents look for by its name.
    fn is_named(self) -> bool {
        matches!(self, TextKind::Instructions | TextKind::Skill)
    }
}

/// The files of which one is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstOf {
    /// Those of a directory.
    Directory,
    /// Those of a directory and of all above it.
    Path,
}

/// The most that an agent reads of a file.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadLimit {
    /// The number of bytes or characters.
    pub most: usize,
    /// The unit of it.
    pub unit: LimitUnit,
    /// True if the files of a directory and of all above it have it together.
    #[serde(default)]
    pub is_of_path: bool,
    /// True if the agent prints a warning and reads the whole file.
    #[serde(default)]
    pub is_warning: bool,
}

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitUnit {
    /// Bytes.
    Bytes,
    /// Characters.
    Characters,
}

/// A file of a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryFile {
    /// The paths from the root: its own, and those of links to it.
    pub names: Vec<String>,
    /// The content.
    pub text: String,
}

/// The files of agents in a work tree.
#[derive(Debug, Default)]
pub struct RepositoryReport {
    /// The findings.
    pub findings: Diagnostics,
    /// The titles of the agents that read each file or act on it, in the order of the files.
    pub readers: Vec<Vec<&'static str>>,
}

/// A pattern of a rule.
struct ReadPattern {
    /// The name of the agent, and its name for people.
    agent: (&'static str, &'static str),
    rule: &'static ReadRule,
    /// The place in the rule.
    rank: usize,
    glob: PathGlob,
}

/// A pattern from the root or from every directory.
struct PathGlob {
    text: &'static str,
    exact: GlobMatcher,
    /// The same, whatever the case of letters.
    folded: GlobMatcher,
    is_anywhere: bool,
}

impl PathGlob {
    fn new(pattern: &'static str) -> Option<Self> {
        let rest = pattern.strip_prefix("**/");
        let text = rest.unwrap_or(pattern);
        let glob =
            |is_folded| GlobBuilder::new(text).literal_separator(true).case_insensitive(is_folded).build();
        let (exact, folded) = (glob(false).ok()?.compile_matcher(), glob(true).ok()?.compile_matcher());
        Some(PathGlob { text, exact, folded, is_anywhere: rest.is_some() })
    }

    /// Returns the directory that a path matches from, with a slash at its end; empty for the root.
    fn base<'p>(&self, path: &'p str) -> Option<&'p str> {
        self.base_by(&self.exact, path)
    }

    fn base_by<'p>(&self, glob: &GlobMatcher, path: &'p str) -> Option<&'p str> {
        let slashes = path.match_indices('/').map(|(at, _)| at + 1).filter(|_| self.is_anywhere);
        let start = [0].into_iter().chain(slashes).find(|start| glob.is_match(&path[*start..]))?;
        Some(&path[..start])
    }
}

/// The rules of all agents.
pub struct RepositoryRules {
    reads: Vec<ReadPattern>,
    config: Vec<(&'static str, &'static ConfigRule, PathGlob)>,
    unread: Vec<(&'static UnreadRule, PathGlob)>,
    /// All patterns.
    wanted: GlobSet,
    /// The patterns of what agents look for by its name, whatever the case of letters.
    near: GlobSet,
}

/// A file that a pattern of an agent has.
struct FileRead<'r, 'f> {
    file: usize,
    name: &'f str,
    base: &'f str,
    pattern: &'r ReadPattern,
}

impl RepositoryRules {
    /// Returns the rules of `agents.toml`.
    #[must_use]
    pub fn new() -> Self {
        let of_agents = agents().iter().map(|agent| {
            let config = agent.capture.iter().flat_map(|rules| &rules.config).collect::<Vec<_>>();
            ((agent.name.as_str(), agent.title.as_str()), &agent.reads, config)
        });
        let of_readers = readers().iter().map(|reader| {
            ((reader.name.as_str(), reader.title.as_str()), &reader.reads, reader.config.iter().collect())
        });
        let mut rules = RepositoryRules {
            reads: Vec::new(),
            config: Vec::new(),
            unread: Vec::new(),
            wanted: GlobSet::empty(),
            near: GlobSet::empty(),
        };
        for (agent, reads, config) in of_agents.chain(of_readers) {
            for rule in reads {
                let globs = rule.files.iter().enumerate();
                rules.reads.extend(globs.filter_map(|(rank, file)| {
                    Some(ReadPattern { agent, rule, rank, glob: PathGlob::new(file)? })
                }));
            }
            let of_project = |rule: &&ConfigRule| !rule.environment && !rule.file.starts_with(['~', '/']);
            rules.config.extend(config.into_iter().filter(of_project).filter_map(|rule| {
                Some((agent.1, rule, PathGlob { is_anywhere: true, ..PathGlob::new(&rule.file)? }))
            }));
        }
        rules.unread.extend(unread().iter().filter_map(|rule| Some((rule, PathGlob::new(&rule.file)?))));
        let texts = rules.reads.iter().map(|pattern| &pattern.glob);
        let config = rules.config.iter().map(|(_, _, glob)| glob);
        rules.wanted = glob_set(texts.chain(config).chain(rules.unread.iter().map(|(_, glob)| glob)), false);
        let named = rules.reads.iter().filter(|pattern| pattern.rule.kind.is_named());
        rules.near = glob_set(named.map(|pattern| &pattern.glob), true);
        rules
    }

    /// Returns true for a file that is to be looked at, by its path from the root.
    #[must_use]
    pub fn wants(&self, path: &str) -> bool {
        self.wanted.is_match(path) || is_place_of_agents(path) && self.near.is_match(path)
    }

    /// Looks at the files of a work tree.
    #[must_use]
    pub fn check(&self, files: &[RepositoryFile]) -> RepositoryReport {
        let reads = self.reads(files);
        let mut report = RepositoryReport { findings: Vec::new(), readers: vec![Vec::new(); files.len()] };
        let texts = reads.iter().filter(|read| read.pattern.rule.kind != TextKind::Check);
        for read in texts {
            add_reader(&mut report.readers[read.file], read.pattern.agent.1);
        }
        self.unread(files, &reads, &mut report.findings);
        one_agent(files, &reads, &mut report.findings);
        limits(files, &reads, &mut report.findings);
        for (file, readers) in files.iter().zip(&mut report.readers) {
            self.config(file, readers, &mut report.findings);
        }
        report
    }

    /// Returns who reads which file, without what another file takes the place of.
    fn reads<'r, 'f>(&'r self, files: &'f [RepositoryFile]) -> Vec<FileRead<'r, 'f>> {
        let mut reads = Vec::new();
        for (at, file) in files.iter().enumerate() {
            for name in file.names.iter().filter(|name| self.instead(name).is_none()) {
                reads.extend(self.reads.iter().filter_map(|pattern| {
                    Some(FileRead { file: at, name, base: pattern.glob.base(name)?, pattern })
                }));
            }
        }
        let mut first: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for read in reads.iter().filter(|read| read.pattern.rule.first.is_some()) {
            let rank = first.entry((read.pattern.id(), read.base)).or_insert(read.pattern.rank);
            *rank = read.pattern.rank.min(*rank);
        }
        reads.retain(|read| {
            let is_first =
                |base| first.get(&(read.pattern.id(), base)).is_none_or(|rank| *rank >= read.pattern.rank);
            match read.pattern.rule.first {
                None => true,
                Some(FirstOf::Directory) => is_first(read.base),
                Some(FirstOf::Path) => bases(read.base).all(is_first),
            }
        });
        reads
    }

    /// Returns what is read in the place of a file that no agent reads.
    fn instead(&self, path: &str) -> Option<&'static str> {
        let rule = self.unread.iter().find(|(_, glob)| glob.base(path).is_some())?;
        Some(rule.0.instead.as_str()).filter(|_| !is_readme(path))
    }

    /// Returns the pattern that a path only matches if the case of letters is ignored.
    fn near_miss(&self, path: &str) -> Option<&'static str> {
        if !is_place_of_agents(path) || !self.near.is_match(path) || is_readme(path) {
            return None;
        }
        // A command may have the name of any file.
        let is_text = self.reads.iter().any(|pattern| pattern.glob.base(path).is_some());
        let near = |pattern: &&ReadPattern| {
            let glob = &pattern.glob;
            pattern.rule.kind.is_named()
                && (!is_text || glob.text.contains('/'))
                && glob.base_by(&glob.folded, path).is_some()
        };
        self.reads.iter().find(near).map(|pattern| pattern.glob.text)
    }

    fn unread(&self, files: &[RepositoryFile], reads: &[FileRead<'_, '_>], findings: &mut Diagnostics) {
        let named = reads.iter().filter(|read| read.pattern.rule.kind.is_named());
        let read: BTreeSet<usize> = named.map(|read| read.file).collect();
        for (_, file) in files.iter().enumerate().filter(|(at, _)| !read.contains(at)) {
            let Some(name) = file.names.first() else { continue };
            let (message, instead) = if let Some(instead) = self.instead(name) {
                ("no agent reads this file", instead)
            } else if let Some(near) = self.near_miss(name) {
                ("no agent reads this file where upper and lower case are different", near)
            } else {
                continue;
            };
            findings.push(
                Diagnostic::warning(DiagnosticCode::InstructionsUnread, message)
                    .at(Place::file(None, name))
                    .help(format!("agents read {instead}: rename or move it")),
            );
        }
    }

    /// Reports what a file of configuration would run, and what it allows, and adds who acts on it.
    fn config(&self, file: &RepositoryFile, readers: &mut Vec<&'static str>, findings: &mut Diagnostics) {
        let Some(shown) = file.names.first() else { return };
        let mut values: BTreeMap<&str, Option<Value>> = BTreeMap::new();
        let mut runs: Vec<Run<'_>> = Vec::new();
        let mut is_broken = false;
        for (agent, rule, glob) in &self.config {
            let Some(name) = file.names.iter().find(|name| glob.base(name).is_some()) else { continue };
            add_reader(readers, agent);
            let value = values.entry(name).or_insert_with(|| parsed(Path::new(name), file.text.as_bytes()));
            let found = match &*value {
                _ if rule.keys.is_empty() && rule.allows.is_empty() => vec![(String::new(), Vec::new())],
                Some(value) => rule.keys.iter().flat_map(|key| commands(value, key)).collect(),
                None => {
                    is_broken |= rule.keys.iter().any(|key| may_have(Path::new(name), &file.text, key));
                    Vec::new()
                }
            };
            for (key, commands) in found {
                match runs.iter_mut().find(|run| run.key == key && run.commands == commands) {
                    Some(run) if run.agents.contains(agent) => {}
                    Some(run) => run.agents.push(agent),
                    None => runs.push(Run { key, commands, agents: vec![agent] }),
                }
            }
            for key in &rule.allows {
                let values =
                    value.as_ref().and_then(|value| value_at(value, key)).map(texts).unwrap_or_default();
                findings.extend(allowed(key, &values, agent, &|word| place_of(shown, &file.text, &[word])));
            }
        }
        if is_broken {
            let message = "it cannot be parsed: what it would run is not known";
            let diagnostic = Diagnostic::warning(DiagnosticCode::FileUnreadable, message);
            findings.push(diagnostic.at(Place::file(None, shown)).help("correct its syntax"));
        }
        for run in runs {
            let diagnostic = Diagnostic::info(DiagnosticCode::ProjectRuns, run.message());
            let help = DiagnosticCode::ProjectRuns.help().unwrap_or_default();
            findings.push(diagnostic.at(place_of(shown, &file.text, &run.words())).help(help));
        }
    }
}

impl Default for RepositoryRules {
    fn default() -> Self {
        Self::new()
    }
}

impl ReadPattern {
    /// Returns a number that the patterns of a rule have in common.
    fn id(&self) -> usize {
        std::ptr::from_ref(self.rule).addr()
    }
}

/// The keys that have MCP servers by name.
const SERVERS: [&str; 5] = ["context_servers", "mcp", "mcpServers", "mcp_servers", "servers"];
/// The most values of a list that a message shows.
const MOST_SHOWN: usize = 5;
/// The most characters of a command that a message shows.
const MOST_CHARACTERS: usize = 160;

/// Builds a set of patterns from the root.
fn glob_set<'g>(globs: impl Iterator<Item = &'g PathGlob>, ignores_case: bool) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let text = if glob.is_anywhere { format!("**/{}", glob.text) } else { glob.text.to_owned() };
        let glob = GlobBuilder::new(&text).literal_separator(true).case_insensitive(ignores_case).build();
        glob.into_iter().for_each(|glob| _ = set.add(glob));
    }
    set.build().unwrap_or_default()
}

fn add_reader(readers: &mut Vec<&'static str>, title: &'static str) {
    if !readers.contains(&title) {
        readers.push(title);
    }
}

/// Returns true for the root and for directories of agents. Elsewhere `agents.md` is a document about agents.
fn is_place_of_agents(path: &str) -> bool {
    !path.contains('/') || path.starts_with('.') || path.contains("/.")
}

fn is_readme(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.to_lowercase().starts_with("readme."))
}

/// Returns a directory and those above it, each with a slash at its end, the nearest first.
fn bases(base: &str) -> impl Iterator<Item = &str> {
    let above = base.match_indices('/').rev().skip(1).map(|(at, _)| &base[..=at]);
    [base].into_iter().chain(above).chain((!base.is_empty()).then_some(""))
}

/// Something that agents run, connect to or set.
struct Run<'a> {
    /// The keys that lead to it; empty for the file itself.
    key: String,
    commands: Vec<String>,
    agents: Vec<&'a str>,
}

impl Run<'_> {
    fn message(&self) -> String {
        let (first, rest) = self.key.split_once(' ').unwrap_or((&self.key, ""));
        let commands: Vec<String> = self.commands.iter().map(|command| quoted(command)).collect();
        let (commands, agents) = (commands.join(", "), self.agents.join(", "));
        let is_address = ["`http://", "`https://"].iter().any(|start| commands.starts_with(start));
        let verb = if is_address { "connect to" } else { "run" };
        match first {
            "" => format!("would run this file ({agents})"),
            "hooks" => format!("would run {commands}: hook {} ({agents})", quoted(rest)),
            key if SERVERS.contains(&key) => {
                format!("would {verb} {commands}: MCP server {} ({agents})", quoted(rest))
            }
            _ => format!("would use {}: {commands} ({agents})", quoted(&self.key)),
        }
    }

    /// Returns the words that its place is searched by.
    fn words(&self) -> [&str; 3] {
        let command = self.commands.first().map_or("", String::as_str);
        let (first, name) =
            (command.split(' ').next().unwrap_or(""), self.key.rsplit(' ').next().unwrap_or(""));
        if self.key.starts_with("hooks ") { [command, first, name] } else { [name, command, first] }
    }
}

/// Returns what a key of a configuration makes an agent run: each hook and each server by itself, other settings with all of their values.
fn commands(value: &Value, key: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for action in actions(value, key) {
        let name = action.key.split_once(' ').map(|(_, name)| name);
        // An agent ignores an event without a list; a path in the place of a table is a file of its own.
        let event = name.and_then(|event| value["hooks"].get(event));
        match found.iter_mut().find(|(key, _)| *key == action.key) {
            _ if key == "hooks" && !event.is_some_and(Value::is_array) => {}
            _ if SERVERS.contains(&key) && name.is_none() => {}
            Some((_, values)) if key != "hooks" && !SERVERS.contains(&key) => values.push(action.command),
            _ => found.push((action.key, vec![action.command])),
        }
    }
    found
}

/// Returns the finding about what a key lets an agent do without a question.
fn allowed(key: &str, values: &[String], agent: &str, place: &dyn Fn(&str) -> Place) -> Option<Diagnostic> {
    if let Some(value) = values.iter().find(|value| wide().contains(value)) {
        let message =
            format!("`{key}`: {} allows without a question and without a limit ({agent})", quoted(value));
        let diagnostic = Diagnostic::warning(DiagnosticCode::ProjectRuns, message);
        return Some(diagnostic.at(place(value)).help("allow what is needed, each by its name"));
    }
    let last = key.rsplit('.').next().filter(|last| *last == "allow" && !values.is_empty())?;
    let few: Vec<String> = values.iter().take(MOST_SHOWN).map(|value| quoted(value)).collect();
    let more = match values.len() - few.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("`{key}` allows without a question: {}{more} ({agent})", few.join(", "));
    Some(Diagnostic::info(DiagnosticCode::ProjectRuns, message).at(place(last)))
}

/// Returns a command on one line, without secrets and hidden characters, within a limit.
fn quoted(text: &str) -> String {
    let text = redact(text);
    let text = escape_hidden(&one_line(&text)).into_owned();
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((at, _)) => format!("`{}…`", &text[..at]),
        None => format!("`{text}`"),
    }
}

/// Returns the strings of a value, `true` as one of them.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Bool(true) => vec!["true".to_owned()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Returns the place of the first of some words that a text has.
fn place_of(shown: &str, text: &str, words: &[&str]) -> Place {
    let found = words.iter().filter(|word| !word.is_empty()).find_map(|word| {
        let quoted = Value::from(*word).to_string();
        let inner = quoted.trim_matches('"');
        let start = text.find(&quoted).map(|at| at + 1).or_else(|| text.find(inner))?;
        Some(start..start + inner.len())
    });
    match found {
        Some(span) => Place::within(None, shown, text, span),
        None => Place::file(None, shown),
    }
}

/// Reports instructions and skills that only one agent reads, once for each pattern.
fn one_agent(files: &[RepositoryFile], reads: &[FileRead<'_, '_>], findings: &mut Diagnostics) {
    let mut by_file: BTreeMap<usize, Vec<&ReadPattern>> = BTreeMap::new();
    for read in reads.iter().filter(|read| read.pattern.rule.kind.is_named()) {
        by_file.entry(read.file).or_default().push(read.pattern);
    }
    let mut groups: BTreeMap<(&str, &str), (&str, Vec<&str>)> = BTreeMap::new();
    for (file, patterns) in by_file {
        let (name, title) = patterns[0].agent;
        if patterns.iter().all(|pattern| pattern.agent.0 == name)
            && let Some(path) = files[file].names.first()
        {
            groups.entry((name, patterns[0].glob.text)).or_insert((title, Vec::new())).1.push(path);
        }
    }
    for (title, paths) in groups.into_values() {
        let message = match paths.len() {
            1 => format!("only {title} reads this file"),
            2 => format!("only {title} reads this file and 1 other like it"),
            count => format!("only {title} reads this file and {} others like it", count - 1),
        };
        let diagnostic = Diagnostic::info(DiagnosticCode::InstructionsOneAgent, message);
        findings.push(diagnostic.at(Place::file(None, paths[0])));
    }
}

/// Reports files that are longer than an agent reads.
fn limits(files: &[RepositoryFile], reads: &[FileRead<'_, '_>], findings: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for read in reads {
        let Some(limit) = read.pattern.rule.limit else { continue };
        let title = read.pattern.agent.1;
        let file = &files[read.file];
        let Some(shown) = file.names.first().filter(|_| seen.insert((read.file, read.pattern.id()))) else {
            continue;
        };
        let is_above = |other: &&FileRead<'_, '_>| {
            limit.is_of_path
                && other.pattern.id() == read.pattern.id()
                && other.base != read.base
                && read.base.starts_with(other.base)
        };
        let above: usize =
            reads.iter().filter(is_above).map(|other| limit.size(&files[other.file].text)).sum();
        let size = limit.size(&file.text);
        let Some(over) = (above + size).checked_sub(limit.most).filter(|over| *over > 0) else { continue };
        let ReadLimit { most, unit, is_of_path, is_warning } = limit;
        let unit = if unit == LimitUnit::Bytes { "bytes" } else { "characters" };
        if is_warning {
            let message =
                format!("{title} prints a warning for a file of more than {most} {unit}: it has {size}");
            let diagnostic = Diagnostic::info(DiagnosticCode::InstructionsLong, message);
            findings.push(diagnostic.at(Place::file(None, shown)));
            continue;
        }
        let whole = match is_of_path {
            true => format!("`{}` from the root down", read.pattern.glob.text),
            false => "a file".to_owned(),
        };
        let lost = match over {
            over if over >= size => "this file is not read".to_owned(),
            over => format!("the last {over} of {size} of this file are cut"),
        };
        let link = if read.name == shown { String::new() } else { format!(", as `{}`", read.name) };
        let message = format!("{title} reads at most {most} {unit} of {whole}{link}: {lost}");
        let at = limit.offset(&file.text, size.saturating_sub(over));
        let diagnostic = Diagnostic::warning(DiagnosticCode::InstructionsCut, message);
        let help = DiagnosticCode::InstructionsCut.help().unwrap_or_default();
        findings.push(diagnostic.at(Place::within(None, shown, &file.text, at..at)).help(help));
    }
}

impl ReadLimit {
    fn size(self, text: &str) -> usize {
        match self.unit {
            LimitUnit::Bytes => text.len(),
            LimitUnit::Characters => text.chars().count(),
        }
    }

    /// Returns the byte of a text behind so many bytes or characters.
    fn offset(self, text: &str, size: usize) -> usize {
        match self.unit {
            LimitUnit::Bytes => (0..=size).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0),
            LimitUnit::Characters => text.char_indices().nth(size).map_or(text.len(), |(at, _)| at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(names: &[&str], text: &str) -> RepositoryFile {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let rules = RepositoryRules::new();
        assert!(names.iter().all(|name| rules.wants(name)), "{names:?}");
        RepositoryFile { names, text: text.to_owned() }
    }

    /// Returns the findings as `CODE PATH:LINE MESSAGE`.
    fn findings(files: &[RepositoryFile]) -> Vec<String> {
        let shown = |found: Diagnostic| {
            let place = found.place.map(|place| place.to_string()).unwrap_or_default();
            format!("{} {place} {}", found.code, found.message)
        };
        RepositoryRules::new().check(files).findings.into_iter().map(shown).collect()
    }

    fn read_by(files: &[RepositoryFile]) -> Vec<String> {
        RepositoryRules::new().check(files).readers.iter().map(|titles| titles.join(", ")).collect()
    }

    #[test]
    fn every_pattern_can_be_read() {
        let rules = RepositoryRules::new();
        let of_agents = agents().iter().map(|agent| &agent.reads);
        let files: usize = of_agents
            .chain(readers().iter().map(|reader| &reader.reads))
            .flatten()
            .map(|rule| rule.files.len())
            .sum();
        assert_eq!((rules.reads.len(), rules.unread.len()), (files, unread().len()));
        assert!(readers().iter().all(|reader| !reader.source.is_empty()));
    }

    #[test]
    fn the_measured_agents_read_what_was_measured() {
        let all = [
            file(&["AGENTS.md"], ""),
            file(&["CLAUDE.md"], ""),
            file(&["GEMINI.md"], ""),
            file(&["a/AGENTS.md"], ""),
        ];
        let read = read_by(&all);
        let reads = |agent: &str| {
            read.iter().map(|titles| titles.split(", ").any(|one| one == agent)).collect::<Vec<_>>()
        };
        assert_eq!(reads("Claude Code"), [false, true, false, false]);
        assert_eq!(reads("Codex"), [true, false, false, true]);
        assert_eq!(reads("Gemini CLI"), [false, false, true, false]);
        assert_eq!(reads("opencode"), [true, false, false, true]);
        assert_eq!(reads("pi"), [true, false, false, true]);
        assert_eq!(reads("GitHub Copilot CLI"), [true, true, true, true]);
        assert_eq!(reads("Zed"), [true, false, false, false], "the first in the root alone");
        // Without AGENTS.md in the directory pi reads CLAUDE.md, and opencode does so without one on the whole path.
        let nested =
            [file(&["AGENTS.md"], ""), file(&["a/CLAUDE.md"], ""), file(&["AGENTS.override.md"], "")];
        let read = read_by(&nested);
        assert!(read[1].contains("pi") && !read[1].contains("opencode"), "{read:?}");
        assert!(read[2].contains("Codex") && !read[0].contains("Codex"), "{read:?}");
        assert!(read_by(&[file(&["a/CLAUDE.md"], "")])[0].contains("opencode"));
    }

    #[test]
    fn a_link_is_read_by_the_agents_of_both_names() {
        let read = read_by(&[file(&["AGENTS.md", "CLAUDE.md"], "")]);
        assert!(read[0].contains("Codex") && read[0].contains("Claude Code"), "{read:?}");
        let skill = [file(&[".agents/skills/x/SKILL.md", ".kiro/steering/x.md"], "")];
        assert_eq!(findings(&skill), Vec::<String>::new());
    }

    #[test]
    fn names_that_nobody_reads_and_that_one_agent_reads_are_found() {
        let unread = "instructions/unread";
        let nobody = "no agent reads this file";
        let cased = "no agent reads this file where upper and lower case are different";
        for (path, expected) in [
            ("agents.md", format!("{unread} agents.md {cased}")),
            ("Claude.md", format!("{unread} Claude.md {cased}")),
            (".claude/skills/x/skill.md", format!("{unread} .claude/skills/x/skill.md {cased}")),
            ("sub/AGENT.md", format!("{unread} sub/AGENT.md {nobody}")),
            (".agents/AGENTS.md", format!("{unread} .agents/AGENTS.md {nobody}")),
            (".github/instructions/rust.md", format!("{unread} .github/instructions/rust.md {nobody}")),
            (".claude/skills/x.md", format!("{unread} .claude/skills/x.md {nobody}")),
            ("CLAUDE.txt", format!("{unread} CLAUDE.txt {nobody}")),
            (".agents/skills/x/SKILLS.md", format!("{unread} .agents/skills/x/SKILLS.md {nobody}")),
            (".claude/settings.jsonc", format!("{unread} .claude/settings.jsonc {nobody}")),
            (".cursorrule", format!("{unread} .cursorrule {nobody}")),
            (".github/instruction/x.md", format!("{unread} .github/instruction/x.md {nobody}")),
            (".claude/command/x.md", format!("{unread} .claude/command/x.md {nobody}")),
            ("AGENT.md", "instructions/one-agent AGENT.md only Zed reads this file".to_owned()),
            (
                "a/CLAUDE.local.md",
                "instructions/one-agent a/CLAUDE.local.md only Claude Code reads this file".to_owned(),
            ),
        ] {
            assert_eq!(findings(&[file(&[path], "")]), [expected]);
        }
        for path in [
            "docs/agents.md",
            "docs/claude.md",
            ".claude/skills/README.md",
            ".github/instructions/rust.instructions.md",
            ".claude/commands/agents.md",
            "AGENTS.md",
        ] {
            let file = RepositoryFile { names: vec![path.to_owned()], text: String::new() };
            assert_eq!(findings(&[file]), Vec::<String>::new(), "{path}");
        }
        let many = [".kiro/steering/a.md", ".kiro/steering/b.md", ".kiro/steering/c.md"];
        let found = findings(&many.map(|path| file(&[path], "")));
        assert_eq!(
            found,
            ["instructions/one-agent .kiro/steering/a.md only Kiro reads this file and 2 others like it"]
        );
    }

    #[test]
    fn limits_hold_for_a_file_and_for_all_on_the_way() {
        let line = "x".repeat(99) + "\n";
        let text = |lines: usize| line.repeat(lines);
        let files = [
            file(&["AGENTS.md"], &text(200)),
            file(&["a/AGENTS.md"], &text(200)),
            file(&["a/b/AGENTS.md"], &text(1)),
            file(&["c/AGENTS.md"], &text(127)),
            file(&["d/AGENTS.md"], &text(128)),
        ];
        let codex = "Codex reads at most 32768 bytes of `AGENTS.md` from the root down:";
        assert_eq!(
            findings(&files),
            [
                format!(
                    "instructions/cut a/AGENTS.md:128:69 {codex} the last 7232 of 20000 of this file are cut"
                ),
                format!("instructions/cut a/b/AGENTS.md:1:1 {codex} this file is not read"),
                format!(
                    "instructions/cut d/AGENTS.md:128:69 {codex} the last 32 of 12800 of this file are cut"
                ),
            ]
        );
        let copilot = [file(&["CLAUDE.md", ".github/copilot-instructions.md"], &"é".repeat(4_001))];
        assert_eq!(
            findings(&copilot),
            [
                "instructions/cut CLAUDE.md:1:4001 GitHub Copilot code review reads at most 4000 characters of a file, as \
              `.github/copilot-instructions.md`: the last 1 of 4001 of this file are cut"
            ]
        );
        let long = findings(&[file(&["CLAUDE.md"], &"a".repeat(40_001))]);
        assert_eq!(
            long,
            [
                "instructions/long CLAUDE.md Claude Code prints a warning for a file of more than 40000 characters: it has 40001"
            ]
        );
    }

    #[test]
    fn what_would_run_is_shown_without_secrets() {
        let token = format!("ghp_{}", "0123456789".repeat(3));
        let settings = r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "echo hi"}]}],
    "notAnEvent": {"command": "echo no"}
  },
  "apiKeyHelper": "./key.sh",
  "permissions": {"allow": ["Bash(git *)", "Bash"], "defaultMode": "plan"}
}"#;
        let servers = format!(
            r#"{{ // a comment
  "mcpServers": {{
    "git": {{"command": "npx", "args": ["-y", "git", "{token}"]}},
    "web": {{"url": "https://x/mcp"}},
  }}
}}"#
        );
        let files = [
            file(&[".claude/settings.json"], settings),
            file(&[".mcp.json"], &servers),
            file(&[".opencode/plugin/x.ts"], "export default 1"),
            file(
                &[".claude/agents/a.md"],
                "---\nname: a\nhooks:\n  Stop:\n    - command: echo bye\n---\nhooks: none\n",
            ),
            file(&[".claude/agents/b.md"], "---\nname: b\n---\nhooks:\n  Stop:\n"),
            file(&[".claude/agents/c.md"], "---\ndescription: Use: it hooks readers\n---\n"),
            file(&[".claude/agents/d.md"], "---\ndescription: Use: it\nhooks:\n  Stop:\n---\n"),
            file(&[".cursor/mcp.json"], "{ \"mcpServers\": "),
            file(
                &[".codex/config.toml"],
                "sandbox_mode = \"danger-full-access\"\n[mcp_servers.a]\ncommand = \"a\"\n",
            ),
        ];
        assert_eq!(
            findings(&files),
            [
                "project/runs .claude/settings.json:7:45 `permissions.allow`: `Bash` allows without a question and without a limit (Claude Code)",
                "project/runs .claude/settings.json:3:65 would run `echo hi`: hook `SessionStart` (Claude Code)",
                "project/runs .claude/settings.json:6:4 would use `apiKeyHelper`: `./key.sh` (Claude Code)",
                "project/runs .mcp.json:3:6 would run `npx -y git [REDACTED]`: MCP server `git` (Claude Code, GitHub Copilot CLI)",
                "project/runs .mcp.json:4:6 would connect to `https://x/mcp`: MCP server `web` (Claude Code, GitHub Copilot CLI)",
                "project/runs .opencode/plugin/x.ts would run this file (opencode)",
                "project/runs .claude/agents/a.md:5:16 would run `echo bye`: hook `Stop` (Claude Code)",
                "file/unreadable .claude/agents/d.md it cannot be parsed: what it would run is not known",
                "file/unreadable .cursor/mcp.json it cannot be parsed: what it would run is not known",
                "project/runs .codex/config.toml:1:17 `sandbox_mode`: `danger-full-access` allows without a question and without a limit (Codex)",
                "project/runs .codex/config.toml:3:12 would run `a`: MCP server `a` (Codex)",
            ]
        );
    }
}
