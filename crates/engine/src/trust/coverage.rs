//! The coverage of a grant, for the user who decides about it: files with the targets of links, hidden text, secrets, the
//! branch, texts of the user that the project replaces, and programs that it would run.

use crate::{
    BuildResult, Engine, Error,
    build_options::{BuildOptions, TrustChoice},
    input::{Inputs, collect::Breadth, consent},
    trust::permission::CoveredPermission,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    lint::{decoded::scan_strings, finding, finding::TextFinding as _, hidden, secret},
    origin::Origin,
    prompt::Prompt,
    scope::Scope,
    section::SectionId,
    snapshot::Snapshot,
    trust::TrustMode,
    turn::Tool,
};
use preface_host::{
    places::normal,
    provider::{context::Headless, git},
    system::{FileKind, System},
    trust::{
        Digest, GrantState, PinPath, PinnedText, RootRecord,
        gate::{Consent, GateVerdict, GatedText, UnreadFile, is_plain_branch},
    },
};
use serde::Serialize;
use serde_json::json;
use std::{
    collections::BTreeSet,
    iter,
    path::{Path, PathBuf},
};

/// The most findings that are shown of one file.
const FINDINGS: usize = 5;

/// The most times that a prompt is composed to find the tools that its texts depend on: a condition can be inside another.
const TOOL_ROUNDS: usize = 4;

/// A build as if a project were granted, with what that grant covers.
#[derive(Clone, Debug)]
pub struct Review {
    /// The build.
    pub built: BuildResult,
    /// What a grant of it covers.
    pub coverage: Coverage,
}

/// The extent of a grant of everything that a build uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// The files with something to look at, in the order of the build.
    pub files: Vec<CoveredFile>,
    /// The files that a build needs and cannot read, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UncoveredFile>,
    /// The branch; `None` outside of a repository and where texts are not pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<CoveredBranch>,
    /// Files of the user's layer that the project replaces, such as `sections/rules.md`.
    pub replaces: Vec<String>,
    /// Other things of the user, or of preface, that the project removes, replaces or reorders: a sentence
    /// each.
    pub changes: Vec<String>,
    /// What the project would do beyond text. Only a grant of its own allows it.
    #[serde(skip)]
    pub permissions: Vec<CoveredPermission>,
    /// Every file of the project that a build reads.
    #[serde(skip)]
    pub texts: Vec<CoveredText>,
    /// The reason why no prompt can be built with a grant.
    #[serde(skip)]
    pub failure: Option<Error>,
}

/// A file of the project that a build reads.
#[derive(Clone, Debug, PartialEq)]
pub struct CoveredText {
    /// The file with its bytes.
    pub file: GatedText,
    /// True where text of it is sent to the model.
    pub is_sent: bool,
    /// Its state under the recorded grants, and the pins of the call.
    pub state: GrantState,
}

/// A file or directory of the project that a grant does not cover, because it cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UncoveredFile {
    /// The path for people.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// One file of a grant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoveredFile {
    /// The path for people.
    pub path: String,
    /// The target, where the path is a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Hidden text, secrets.
    #[serde(rename = "diagnostics")]
    pub findings: Diagnostics,
}

/// The branch of a grant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoveredBranch {
    /// The name, as it is shown.
    pub name: String,
    /// True if it was granted by its name.
    pub granted: bool,
    /// True if it is included without having been granted by its name.
    pub plain: bool,
}

/// The handling of files with hidden text in a grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenText {
    /// They are not granted.
    #[default]
    Refuse,
    /// They are granted.
    Allow,
}

/// Returns whether a text has characters that a reader does not see and that have no ordinary use there.
#[must_use]
pub fn has_hidden_text(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let hides =
        |found: &hidden::HiddenSpan| found.kind.is_of_characters() && found.severity() >= Severity::Warning;
    let scan = |text: &str| hidden::scan_few(text, 1).0.into_iter().filter(hides).collect::<Vec<_>>();
    !scan(&text).is_empty() || !scan_strings(&text, None, "", scan).is_empty()
}

impl Review {
    /// Keeps only what another root grants with the same content, and returns the names of the files that it does not.
    pub fn keep_granted_by(&mut self, root: &Path, other: &RootRecord) -> Vec<String> {
        let is_granted = |seen: &GatedText| other.state(&seen.pin, &seen.digest) == GrantState::Granted;
        let others = self.built.seen.iter().filter(|seen| !is_granted(seen)).map(|seen| seen.name_in(root));
        let others = others.collect();
        self.built.seen.retain(is_granted);
        self.coverage.texts.retain(|text| is_granted(&text.file));
        let is_allowed =
            |one: &CoveredPermission| other.permission_state(&one.permission) == GrantState::Granted;
        self.coverage.permissions.retain(is_allowed);
        self.coverage.branch.take_if(|branch| !other.has_branch(&branch.name));
        others
    }
}

impl Coverage {
    /// Returns the digest of everything that a grant of this records: each text by its path and content, the branch, and what the
    /// project would do.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let texts =
            self.texts.iter().map(|text| json!([text.file.pin, text.file.digest.to_string()]).to_string());
        let permissions = self.permissions.iter().map(|one| json!(one.permission).to_string());
        let mut lines: Vec<String> = texts.chain(permissions).collect();
        lines.sort();
        lines.dedup();
        let branch = self.branch.as_ref().map(|branch| &branch.name);
        Digest::of(json!([lines, branch]).to_string().as_bytes())
    }

    /// Returns one line for each variable but those of `changes`, fit to be shown.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for file in &self.files {
            lines.extend(file.target.iter().map(|target| format!("{} -> {target}", file.path)));
            for found in &file.findings {
                let line = found.place.as_ref().and_then(|place| place.line);
                let at = line.map_or_else(String::new, |line| format!(":{line}"));
                lines.push(format!("{}{at}: {}", file.path, found.message));
            }
        }
        lines.extend(self.unread.iter().map(|file| format!("not read: {}: {}", file.path, file.why)));
        lines.extend(self.branch.as_ref().map(|branch| {
            // No branch can have this name.
            let is_detached = branch.name == "HEAD";
            let name = if is_detached {
                "no branch (detached HEAD)".into()
            } else {
                format!("branch {}", branch.name)
            };
            match (branch.granted, branch.plain) {
                (true, _) => format!("{name}, granted"),
                (false, true) => name,
                (false, false) => format!("{name}, not granted"),
            }
        }));
        lines.extend(self.replaces.iter().map(|name| format!("replaces your {name}")));
        lines.extend(self.failure.iter().map(|why| format!("with a grant no prompt could be built: {why}")));
        lines
    }

    /// Returns all that a question about a grant shows beside the names of files.
    pub(crate) fn question_lines(&self) -> Vec<String> {
        let permissions = self.permission_lines();
        let head = (!permissions.is_empty()).then(|| {
            "could run, outside of any sandbox, once the commands of the project are granted:".to_owned()
        });
        [self.lines(), self.changes.clone(), head.into_iter().collect(), permissions].concat()
    }

    /// Returns what the extensions and servers could do after a grant of commands, as far as that is not given: line by
    /// line, fit to be shown.
    #[must_use]
    pub fn permission_lines(&self) -> Vec<String> {
        let waiting = self.permissions.iter().filter(|one| one.state != GrantState::Granted);
        waiting
            .flat_map(|CoveredPermission { permission, .. }| {
                let lines = permission.lines().into_iter().map(|line| format!("    {line}"));
                iter::once(format!("  {}", hidden::escape_hidden(&permission.subject))).chain(lines)
            })
            .collect()
    }
}

impl Engine<'_> {
    /// Builds as if some files (all, where none is named) were granted, and works out what that grant covers. Nothing is recorded.
    /// Also what only other tools make a build use: a grant is about the project, not about the tools of one call.
    ///
    /// # Errors
    /// See [`Error`]. A template or a budget that stops the build is part of the answer.
    pub fn review(&self, request: &BuildOptions, paths: &[PathBuf]) -> Result<Review, Error> {
        let request = BuildOptions { trust: TrustChoice::Ask, ..request.clone() };
        let granting = Consent::Granting(self.real(paths));
        let (mut inputs, mut snapshot) =
            self.read_and_collect(&request, Breadth::EveryTool, Some(granting), &Headless)?;
        self.read_for_other_tools(&inputs, &snapshot);
        let mut coverage = Coverage { permissions: self.permissions(&inputs)?, ..Coverage::default() };
        coverage.replaces = replaced_files(&snapshot);
        coverage.changes = inputs.changes.lines(&snapshot.diagnostics);
        let (prompt, tools) = match self.complete(&mut inputs, &mut snapshot, &Headless) {
            Err(error @ (Error::Render(_) | Error::Over(_))) => {
                coverage.failure = Some(error);
                unrendered(&snapshot)
            }
            completed => completed?,
        };
        let mut built = BuildResult::new(prompt, snapshot, tools, inputs);
        let below = self.used_below(&request, &built, paths)?;
        built.seen.extend(below);
        coverage.files = built.seen.iter().filter_map(|seen| self.covered_file(seen, &built)).collect();
        let base = (built.mode != TrustMode::Whole).then(|| {
            let cwd = &built.places.cwd;
            let root = consent::pin_root(self.system(), cwd);
            (root, self.system().canonical(cwd).unwrap_or_else(|_| cwd.clone()))
        });
        coverage.unread = built.unread.iter().map(|file| UncoveredFile::of(file, base.as_ref())).collect();
        coverage.branch = self.branch(&built);
        coverage.texts = self.covered_texts(&built, request.pins.as_deref())?;
        Ok(Review { built, coverage })
    }

    /// Reads the files that only a build with other tools uses, so that the gate has them: those behind a condition or an
    /// `[if tool:…]` of a tool that is not active.
    pub(crate) fn read_for_other_tools(&self, inputs: &Inputs, snapshot: &Snapshot) {
        let mut snapshot = snapshot.clone();
        for _ in 0..TOOL_ROUNDS {
            // The build of the caller reports what is wrong.
            let _ = self.compose(inputs, &mut snapshot, &Headless);
            let inactive =
                snapshot.variables.iter().filter(|(key, tool)| key.kind() == "tool" && tool.value.is_none());
            let tools: Vec<Tool> =
                inactive.map(|(key, _)| Tool { name: key.name().to_owned(), ..Tool::default() }).collect();
            if tools.is_empty() {
                return;
            }
            snapshot.turn.tools.extend(tools);
            // What was looked up stays: the state of a repository takes long to find out.
            snapshot.variables.retain(|key, _| key.kind() != "tool");
        }
    }

    /// Returns the named files of the project that only builds in a directory below the working directory use.
    fn used_below(
        &self,
        request: &BuildOptions,
        built: &BuildResult,
        paths: &[PathBuf],
    ) -> Result<Vec<GatedText>, Error> {
        let cwd = &built.places.cwd;
        let root = consent::pin_root(self.system(), cwd);
        let mut found: Vec<GatedText> = Vec::new();
        if built.mode == TrustMode::Whole {
            return Ok(found);
        }
        for (named, path) in paths.iter().zip(self.real(paths)) {
            let is_used = |seen: &GatedText| seen.path.starts_with(&path);
            let is_below = |dir: &PathBuf| {
                dir != cwd && dir.starts_with(&root) && consent::pin_root(self.system(), dir) == root
            };
            // A link is used where it lies, and not where it leads to.
            let dirs = [named, &path].map(|path| self.directory_of(path));
            let dirs: BTreeSet<PathBuf> =
                self.real(&dirs.into_iter().flatten().collect::<Vec<_>>()).into_iter().collect();
            for dir in dirs.into_iter().filter(is_below) {
                if built.seen.iter().chain(&found).any(is_used) {
                    break;
                }
                let there = BuildOptions { cwd: Some(dir.clone()), ..request.clone() };
                let seen = self.review(&there, &[])?.built.seen;
                found.extend(seen.into_iter().filter(is_used).map(|seen| {
                    // Paths are relative to the directory of this call.
                    let is_relative = !seen.shown.starts_with(['~', '/']);
                    let shown = built.places.shown(&normal(&dir, seen.shown.as_ref()));
                    GatedText { shown: if is_relative { shown } else { seen.shown.clone() }, ..seen }
                }));
            }
        }
        Ok(found)
    }

    /// Returns a path if it is a directory, else the directory that holds it.
    pub(crate) fn directory_of(&self, path: &Path) -> Option<PathBuf> {
        let is_directory = self.system().stat(path).is_some_and(|stat| stat.kind == FileKind::Dir);
        if is_directory { Some(path.to_owned()) } else { path.parent().map(Path::to_owned) }
    }

    /// Returns the record that grants of a build's texts are in, with the pins of the call.
    ///
    /// # Errors
    /// Pins of the caller that cannot be read.
    pub fn granted(&self, built: &BuildResult, pins: Option<&[u8]>) -> Result<RootRecord, Error> {
        let root = self.grant_root(built);
        let record =
            root.map(|root| consent::recorded(self.system(), built.store.as_deref(), &built.places, &root));
        let mut record = record.unwrap_or_default();
        if let Some(pins) = pins {
            record
                .join(RootRecord::from_export(pins).map_err(|error| Error::Trust(error.to_string(), None))?);
        }
        Ok(record)
    }

    /// Returns the root that grants of a build are about: of texts, or of the project as a whole, which need not be there.
    #[must_use]
    pub fn grant_root(&self, built: &BuildResult) -> Option<PathBuf> {
        match built.mode {
            TrustMode::Whole => consent::layer_root(self.system(), &built.places),
            TrustMode::Pinned | TrustMode::None => Some(consent::pin_root(self.system(), &built.places.cwd)),
        }
    }

    /// Returns the texts of a build, which of them are sent, and which are granted.
    fn covered_texts(&self, built: &BuildResult, pins: Option<&[u8]>) -> Result<Vec<CoveredText>, Error> {
        let sent = sent_texts(built);
        let granted = self.granted(built, pins)?;
        let covered = |file: &GatedText| CoveredText {
            is_sent: sent.contains(file.shown.as_str()),
            state: granted.state(&file.pin, &file.digest),
            file: file.clone(),
        };
        Ok(built.seen.iter().map(covered).collect())
    }

    /// Returns the branch of a build whose texts are pinned.
    #[must_use]
    pub fn branch(&self, built: &BuildResult) -> Option<CoveredBranch> {
        if built.mode != TrustMode::Pinned {
            return None;
        }
        let name = git::branch(self.system(), &built.places.cwd).ok().flatten()?;
        let granted = self.granted(built, None).is_ok_and(|record| record.has_branch(&name));
        Some(CoveredBranch { plain: is_plain_branch(&name), granted, name })
    }

    /// Returns a file where there is something to look at.
    fn covered_file(&self, seen: &GatedText, built: &BuildResult) -> Option<CoveredFile> {
        let text = String::from_utf8_lossy(&seen.bytes);
        let name = match built.mode {
            TrustMode::Whole => seen.shown.clone(),
            _ => seen.name_in(&consent::pin_root(self.system(), &built.places.cwd)),
        };
        let found = hidden::scan(&text).into_iter().filter(|found| found.severity() >= Severity::Warning);
        let (found, more) = finding::worst(found.collect(), FINDINGS);
        let mut findings = finding::diagnostics(&found, &text, Some(Scope::Project), &name);
        let read =
            scan_strings(&text, Some(Scope::Project), &name, |text| hidden::scan_few(text, FINDINGS).0);
        findings.extend(read.into_iter().filter(|found| found.severity >= Severity::Warning));
        if more > 0 {
            let what = format!("{more} more places with hidden text");
            findings.push(Diagnostic::warning(DiagnosticCode::HiddenMore, what));
        }
        let (found, _) = finding::worst(secret::scan(&text), FINDINGS);
        findings.extend(finding::diagnostics(&found, &text, Some(Scope::Project), &name));
        findings.extend(scan_strings(&text, Some(Scope::Project), &name, |text| {
            finding::worst(secret::scan(text), FINDINGS).0
        }));
        // The line of a secret would repeat it.
        for place in findings.iter_mut().filter_map(|found| found.place.as_mut()) {
            place.excerpt = None;
        }
        let target = link_target(self.system(), seen, built);
        (target.is_some() || !findings.is_empty()).then_some(CoveredFile { path: name, target, findings })
    }
}

/// Returns the file that a path leads to, where the way there has a link below the directories that are worked in. A
/// project that is trusted as a whole is the directory that its own link leads to.
fn link_target(system: &dyn System, seen: &GatedText, built: &BuildResult) -> Option<String> {
    let places = &built.places;
    let has_no_link = |dir: &Path| {
        let real = system.canonical(dir).ok();
        let below = real.and_then(|real| Some(seen.path.strip_prefix(real).ok()?.to_owned()));
        below.is_some_and(|below| places.shown(&dir.join(below)) == seen.shown)
    };
    let project = places.project.as_deref().filter(|_| built.mode == TrustMode::Whole);
    // The cwd may be spelled with links itself; a path below one of its directories has none of its own.
    let is_plain = project.into_iter().chain(places.cwd.ancestors()).any(has_no_link);
    (!is_plain).then(|| places.shown(&seen.path))
}

/// Returns the files of the user's layer that the project replaces.
fn replaced_files(snapshot: &Snapshot) -> Vec<String> {
    let layers = (snapshot.stack.layer(Scope::Global), snapshot.stack.layer(Scope::Project));
    let (Some(own), Some(project)) = layers else { return Vec::new() };
    let mut replaces = BTreeSet::new();
    replaces.extend(own.files.keys().filter(|name| project.files.contains_key(*name)).cloned());
    let is_for_projects =
        |id: &str| snapshot.profile.section(&SectionId::new(id)).is_some_and(|section| section.project);
    let sections = own.sections.keys().filter(|id| project.sections.contains_key(*id) && is_for_projects(id));
    replaces.extend(sections.map(|id| format!("sections/{id}.md")));
    replaces.into_iter().collect()
}

/// Returns the paths of the project's texts that are sent: those that a prompt has bytes of, and what context providers contribute.
fn sent_texts(built: &BuildResult) -> BTreeSet<&str> {
    let attachments = built.prompt.attachments.iter().flat_map(|attachment| &attachment.part.spans);
    let spans = built.prompt.parts.iter().flat_map(|part| &part.spans).chain(attachments);
    let items = built.snapshot.contributions.iter().flat_map(|contribution| &contribution.items);
    let pieces = items.flat_map(|item| &item.pieces).map(|piece| &piece.origin);
    spans
        .map(|span| &span.origin)
        .chain(pieces)
        .filter_map(|origin| match origin {
            Origin::Source { source, .. } if source.scope == Scope::Project => Some(source.path.as_str()),
            _ => None,
        })
        .collect()
}

/// Returns the prompt, without text, and the tools of what was collected alone, where no prompt can be built of it.
pub(crate) fn unrendered(snapshot: &Snapshot) -> (Prompt, Vec<Tool>) {
    (Prompt { diagnostics: snapshot.diagnostics.clone(), ..Prompt::default() }, Vec::new())
}

impl UncoveredFile {
    /// Names a file as trusted ones are named: relative to the root where texts are granted one by one. `base` is that root,
    /// and the working directory.
    fn of(file: &UnreadFile, base: Option<&(PathBuf, PathBuf)>) -> Self {
        let shown = file.shown.as_str();
        let below = |(root, cwd): &(PathBuf, PathBuf)| {
            let name = PinPath::new(root, &normal(cwd, Path::new(shown))).ok()?.shown_in(root);
            (!Path::new(&name).has_root() && !shown.starts_with("~/")).then_some(name)
        };
        let path = base.and_then(below).unwrap_or_else(|| shown.to_owned());
        UncoveredFile { path, why: file.error.to_string() }
    }
}

/// Returns texts as a grant records them.
pub(crate) fn pinned_texts<'s>(seen: impl IntoIterator<Item = &'s GatedText>) -> Vec<PinnedText> {
    let text = |seen: &GatedText| PinnedText { path: seen.pin.clone(), bytes: seen.bytes.to_vec() };
    seen.into_iter().map(text).collect()
}

/// Returns the texts that a grant of a project as a whole covers. What others could have put there is granted by its path alone.
pub(crate) fn texts_of_whole(built: &BuildResult) -> Vec<&GatedText> {
    built.seen.iter().filter(|seen| seen.verdict == GateVerdict::Included && !seen.shared).collect()
}

/// Splits texts into those that may be granted and the names of those with hidden text: relative to a root, where texts are
/// granted one by one.
pub(crate) fn without_hidden<'s>(
    seen: impl IntoIterator<Item = &'s GatedText>,
    hidden: HiddenText,
    root: Option<&Path>,
) -> (Vec<&'s GatedText>, Vec<String>) {
    let (refused, kept): (Vec<&GatedText>, Vec<&GatedText>) =
        seen.into_iter().partition(|seen| hidden == HiddenText::Refuse && has_hidden_text(&seen.bytes));
    (
        kept,
        refused
            .into_iter()
            .filter(|seen| seen.verdict != GateVerdict::Denied)
            .map(|seen| root.map_or_else(|| seen.shown.clone(), |root| seen.name_in(root)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_core::assets::ASSETS;
    use preface_host::system::testing::MemorySystem;

    #[test]
    fn a_detached_head_is_no_branch() {
        let branch = |name: &str| {
            let branch = CoveredBranch { name: name.to_owned(), granted: true, plain: true };
            Coverage { branch: Some(branch), ..Coverage::default() }.lines()
        };
        assert_eq!(branch("main"), ["branch main, granted"]);
        assert_eq!(branch("HEAD"), ["no branch (detached HEAD), granted"]);
    }

    #[test]
    fn what_waits_for_a_grant_of_commands_replaces_too() {
        let manifest = |path: &str| {
            format!(
                r#"{{"id": "log", "category": "loggers", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", "path": "{path}"}}"#
            )
        };
        let place = "extensions/loggers/log/manifest.json";
        let system = MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/user")
            .with_dir("/work")
            .with_current_dir("/work")
            .with_file(format!("/home/user/.config/preface/{place}"), manifest("mine.jsonl"))
            .with_file(format!("/work/.preface/{place}"), manifest("theirs.jsonl"));
        let coverage =
            Engine::new(&system).review(&BuildOptions::default(), &[]).expect("it can be looked at").coverage;
        assert_eq!(
            coverage.changes,
            [
                "once its commands are granted, the project replaces your `loggers/log` with .preface/extensions/loggers/log/manifest.json"
            ]
        );
        assert_eq!(coverage.permissions.len(), 1);
    }
}
