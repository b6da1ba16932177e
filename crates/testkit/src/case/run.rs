//! Running a case on a machine in memory.

use super::parse::{Case, CaseEntry, CaseStep, CaseTurn, Expectation, parse, unescape};
use crate::MemorySystem;
use preface_engine::{
    ASSETS, Ask, BuildOptions, BuildResult, Engine, Error, ScopesReport, TemplateInput, ToolChoice,
    TrustAnswer, TrustChoice, TrustQuestion,
    core::{attachment::Attachment, origin::Origin, pipeline, prompt::Prompt, variable::source::NoSource},
    host::{
        provider::context::Confirm,
        system::testing::{AccessKind, FakeRun},
    },
};
use similar::TextDiff;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// A user who is neither root nor the one of the machine.
const ANOTHER_USER: u32 = 66;

/// The directory that a case's relative paths belong to.
pub const PROJECT: &str = "/home/user/project";

/// Runs every case of a file and returns what failed, for people.
#[must_use]
pub fn run_file(path: &Path) -> Vec<String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return vec![format!("{}: {error}", path.display())],
    };
    match parse(&text) {
        Err(why) => vec![format!("{}: {why}", path.display())],
        Ok(file) => file
            .cases
            .iter()
            .filter_map(|case| {
                run(case).err().map(|why| format!("{} ({})\n{why}", path.display(), case.name))
            })
            .collect(),
    }
}

/// Runs one case.
///
/// # Errors
/// The first difference, for people.
pub fn run(case: &Case) -> Result<(), String> {
    let mut system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir(PROJECT)
        .with_current_dir(PROJECT)
        .with_var("SHELL", "/bin/bash");
    let mut last: Option<LastTurn> = None;
    for act in &case.acts {
        match act {
            CaseStep::Put(path, entry) => system = add_entry(system, path, entry)?,
            CaseStep::Turn(turn, _) => {
                for (name, value) in &turn.env {
                    system = system.with_var(name, value);
                }
                if let Some(os) = &turn.os {
                    system = system.with_os(os);
                }
                if let Some(status) = &turn.git_status {
                    system = system.with_git_status(PROJECT, FakeRun::printing(status));
                }
                if turn.homeless {
                    system = system.without_home();
                }
                system.clear_touches();
                let person = ScriptedAnswers::new(turn);
                let outcome = take_turn(&system, turn, &person)?;
                let questions = person.questions.into_inner().unwrap_or_else(PoisonError::into_inner);
                last = Some(LastTurn {
                    outcome,
                    turn: (**turn).clone(),
                    questions,
                    opened: opened_files(&system),
                });
            }
            CaseStep::Expect(what, wanted, line) => {
                let Some(last) = &last else {
                    return Err(format!("line {line}: no turn before this block"));
                };
                let found = match actual_text(*what, wanted, last, &system) {
                    Ok(found) => found,
                    Err(why) => return Err(format!("line {line}: {why}")),
                };
                let wanted = normal(*what, wanted).map_err(|why| format!("line {line}: {why}"))?;
                if found != wanted {
                    let diff = TextDiff::from_lines(&wanted, &found);
                    let diff = diff.unified_diff().header("expected", "found").to_string();
                    return Err(format!("line {line}: {what:?} differs\n{diff}"));
                }
            }
        }
    }
    Ok(())
}

/// The state after the last turn.
struct LastTurn {
    outcome: Result<TurnOutcome, Error>,
    turn: CaseTurn,
    questions: String,
    opened: String,
}

/// The outcome of a turn.
enum TurnOutcome {
    Built(Box<BuildResult>),
    Report(Vec<String>),
}

fn absolute(path: &str) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => Path::new("/home/user").join(rest),
        None if path == "~" => PathBuf::from("/home/user"),
        None => Path::new(PROJECT).join(path),
    }
}

fn add_entry(system: MemorySystem, path: &str, entry: &CaseEntry) -> Result<MemorySystem, String> {
    if let Some(bundled) = path.strip_prefix("bundled/") {
        let CaseEntry::File(bytes) = entry else { return Err(format!("`{path}` can only be a file")) };
        return Ok(system.with_bundled(bundled, bytes.clone()));
    }
    let at = absolute(path);
    Ok(match entry {
        CaseEntry::File(bytes) => {
            system.put_file(&at, bytes);
            system
        }
        CaseEntry::Gone => {
            system.cut(&at);
            system
        }
        CaseEntry::Link(target) => {
            system.put_link(
                &at,
                if target.starts_with('~') { absolute(target) } else { PathBuf::from(target) },
            );
            system
        }
        CaseEntry::Same(other) => system.with_hard_link(at, absolute(other)),
        CaseEntry::Dir => system.with_dir(at),
        CaseEntry::Pipe => system.with_special(at),
        CaseEntry::Unreadable => system.with_unreadable(at),
        CaseEntry::Unwritable => system.with_unwritable_dir(at),
        CaseEntry::Shared => system.with_dir(&at).with_mode(at, 0o1777),
        CaseEntry::Foreign => system.with_owner(at, ANOTHER_USER),
    })
}

/// The files below the project that were opened, or tried to be, one a line.
fn opened_files(system: &MemorySystem) -> String {
    let reads = system.touches().into_iter().filter(|touch| touch.verb == AccessKind::Read);
    let places = reads.filter_map(|touch| touch.place.strip_prefix(PROJECT).ok().map(Path::to_owned));
    let places: BTreeSet<PathBuf> = places.collect();
    places.iter().map(|place| format!("{}\n", place.display())).collect()
}

fn take_turn(
    system: &MemorySystem,
    turn: &CaseTurn,
    person: &ScriptedAnswers,
) -> Result<Result<TurnOutcome, Error>, String> {
    let engine = Engine::new(system);
    let mut variables = std::collections::BTreeMap::new();
    for (key, value) in &turn.variable {
        variables.insert(key.parse().map_err(|error| format!("{error}"))?, Some(value.clone()));
    }
    let request = BuildOptions {
        cwd: Some(turn.cwd.as_deref().map_or_else(|| PathBuf::from(PROJECT), absolute)),
        cwd_name: None,
        preset: turn.preset.clone(),
        profile: turn.profile.as_deref().map(absolute),
        default_on_error: false,
        fallback_preset: None,
        model: turn.model.clone(),
        conversation: turn.conversation.clone(),
        agent: turn.agent.clone(),
        tools: match (&turn.tools, &turn.tool) {
            (None, None) => ToolChoice::Profile,
            (Some(names), None) => ToolChoice::Named(names.clone()),
            (None, Some(tools)) => ToolChoice::Given(tools.clone()),
            (Some(_), Some(_)) => return Err("a turn has `tools` or `[[tool]]`, not both".to_owned()),
        },
        now: Some(turn.now.clone().unwrap_or_else(|| "2026-03-07T14:55:05Z".to_owned())),
        zone: Some(turn.zone.clone().unwrap_or_else(|| "UTC".to_owned())),
        budget: turn.budget,
        counter: None,
        variables,
        sets: turn.set.clone(),
        trust: match turn.trust.as_deref() {
            None | Some("ask") => TrustChoice::Ask,
            Some("once") => TrustChoice::Once,
            Some("deny") => TrustChoice::Deny,
            Some("require") => TrustChoice::Require,
            Some(other) => return Err(format!("unknown trust `{other}`")),
        },
        shown: None,
        home_trust: match turn.trust_home {
            Some(true) => preface_engine::host::places::HomeTrust::Anywhere,
            _ => preface_engine::host::places::HomeTrust::OutsideProject,
        },
        pins: None,
        template: None,
        template_text: turn
            .template
            .as_ref()
            .map(|text| TemplateInput { version: Some(1), ..TemplateInput::unsaved("main", text.as_str()) }),
        roots: turn.roots.as_ref().map(|roots| roots.iter().map(|root| absolute(root)).collect()),
        follow: turn.follow.iter().map(|path| absolute(path)).collect(),
        events: turn.event.clone(),
    };
    let paths: Vec<PathBuf> = turn.paths.iter().map(|path| absolute(path)).collect();
    Ok(match turn.action.as_deref() {
        None | Some("build") => {
            engine.build_interactive(&request, person).map(|built| TurnOutcome::Built(Box::new(built)))
        }
        Some("grant") => {
            crate::grant(&engine, &request, &paths, preface_engine::coverage::HiddenText::Refuse)
                .map(|report| TurnOutcome::Report(report.added.into_iter().map(|(name, _)| name).collect()))
        }
        Some("revoke") => engine
            .revoke(&request, &paths)
            .map(|reports| {
                reports.into_iter().flat_map(|report| report.added).map(|(name, _)| name).collect()
            })
            .map(TurnOutcome::Report),
        Some("scopes") => engine
            .look(&request)
            .and_then(|build| build.scopes())
            .map(|report| TurnOutcome::Report(rows(&report, turn))),
        Some(other) => return Err(format!("unknown action `{other}`")),
    })
}

/// A row for each extension that is not built in (or only those that the turn names), then the diagnostics that matter.
fn rows(report: &ScopesReport, turn: &CaseTurn) -> Vec<String> {
    let shipped = |entry: &&preface_engine::core::extension::ExtensionEntry| {
        ASSETS.iter().any(|(path, _)| entry.origin.path == format!("bundled/{path}"))
            || entry.origin.path == "bundled"
    };
    let listed = |entry: &&preface_engine::core::extension::ExtensionEntry| {
        !shipped(entry) || !entry.active || entry.fallback_from.is_some()
    };
    let mut lines: Vec<String> = report
        .scopes
        .entries
        .iter()
        .filter(listed)
        .map(|entry| {
            let mut cells = vec![
                format!("{}/{}", entry.value.category, entry.name),
                entry.origin.scope.to_string(),
                if entry.active { "active" } else { "inactive" }.to_owned(),
            ];
            if entry.active && !entry.runnable {
                cells.push("not runnable".to_owned());
            }
            if entry.status == preface_engine::core::extension::Status::Pending {
                cells.push("pending".to_owned());
            }
            let origin = |word: &str, origin: &preface_engine::core::extension::EntryOrigin| {
                format!("{word} {}", origin.scope)
            };
            cells.extend(entry.shadows.iter().map(|hidden| origin("hides", hidden)));
            cells.extend(entry.shadowed_by.iter().map(|by| origin("hidden by", by)));
            cells.extend(entry.disabled_by.iter().map(|by| format!("disabled by {}", by.scope)));
            cells.extend(entry.fallback_from.iter().map(|from| origin("instead of", from)));
            cells.extend(entry.slot.map(|slot| format!("{slot} {}", entry.order.unwrap_or_default())));
            cells.join("  ")
        })
        .collect();
    let diagnostics = report
        .diagnostics
        .iter()
        .filter(|diagnostic| !turn.ignore.iter().any(|severity| severity == diagnostic.severity.as_str()));
    lines
        .extend(diagnostics.map(|diagnostic| {
            format!("{} {}: {}", diagnostic.severity, diagnostic.code, diagnostic.message)
        }));
    lines
}

/// The user of a case.
#[derive(Debug)]
struct ScriptedAnswers {
    answer: Option<String>,
    confirm: bool,
    /// The questions, one line each.
    questions: Mutex<String>,
}

impl ScriptedAnswers {
    fn new(turn: &CaseTurn) -> Self {
        ScriptedAnswers {
            answer: turn.answer.clone(),
            confirm: turn.confirm.unwrap_or(false),
            questions: Mutex::default(),
        }
    }

    fn record(&self, line: &str) {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        questions.push_str(line);
        questions.push('\n');
    }
}

impl Confirm for ScriptedAnswers {
    fn confirm(&self, question: &str) -> bool {
        self.record(question);
        self.confirm
    }
}

impl Ask for ScriptedAnswers {
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer> {
        let answer = self.answer.as_deref()?;
        self.record(&format!("trust {}", question.path.display()));
        for line in &question.contents {
            self.record(&format!("  {line}"));
        }
        match answer {
            "trust" => Some(TrustAnswer::Trust),
            "once" => Some(TrustAnswer::Once),
            "decline" => Some(TrustAnswer::Decline),
            _ => Some(TrustAnswer::Abort),
        }
    }

    fn is_there(&self) -> bool {
        self.answer.is_some()
    }

    fn as_confirm(&self) -> &dyn Confirm {
        self
    }
}

fn actual_text(
    what: Expectation,
    wanted: &str,
    last: &LastTurn,
    system: &MemorySystem,
) -> Result<String, String> {
    match (what, &last.outcome) {
        (Expectation::Questions, _) => Ok(last.questions.clone()),
        (Expectation::Opened, _) => Ok(last.opened.clone()),
        (Expectation::File, _) => {
            let path = wanted.lines().next().unwrap_or_default();
            let text = preface_engine::host::system::System::read(
                system,
                &absolute(path),
                preface_engine::host::system::ReadScope::Anywhere,
                1 << 20,
            )
            .map_or_else(
                |error| format!("({error})\n"),
                |read| String::from_utf8_lossy(&read.bytes).into_owned(),
            );
            Ok(format!("{path}\n{text}"))
        }
        (Expectation::Error, Err(error)) => Ok(format!("{error}\n{}", place(error))),
        (_, Err(error)) => Err(format!("the turn failed: {error}")),
        (Expectation::Error, Ok(_)) => Err("the turn did not fail".to_owned()),
        (Expectation::Explain, Ok(TurnOutcome::Report(lines))) => {
            Ok(lines.iter().map(|line| format!("{line}\n")).collect())
        }
        (_, Ok(TurnOutcome::Report(_))) => Err("this turn builds no prompt".to_owned()),
        (what, Ok(TurnOutcome::Built(built))) => {
            laws(built)?;
            let prompt = &built.prompt;
            Ok(match what {
                Expectation::Prompt | Expectation::PromptEscaped => prompt.text.clone(),
                Expectation::Explain => explain(prompt),
                Expectation::Absent => prompt
                    .absent
                    .iter()
                    .map(|absent| format!("{}: {}\n", absent.section, absent.why))
                    .collect(),
                Expectation::Diagnostics => prompt
                    .diagnostics
                    .iter()
                    .filter(|diagnostic| {
                        !last.turn.ignore.iter().any(|severity| severity == diagnostic.severity.as_str())
                    })
                    .map(|diagnostic| {
                        format!("{} {}: {}\n", diagnostic.severity, diagnostic.code, diagnostic.message)
                    })
                    .collect(),
                Expectation::Attachments => attachments(prompt),
                Expectation::Audit => prompt
                    .audit
                    .iter()
                    .map(|event| serde_json::to_string(event).map(|line| line + "\n"))
                    .collect::<Result<String, _>>()
                    .map_err(|error| error.to_string())?,
                Expectation::Error | Expectation::File | Expectation::Questions | Expectation::Opened => {
                    String::new()
                }
            })
        }
    }
}

/// Returns the place of an error, on a line of its own.
fn place(error: &Error) -> String {
    match error {
        Error::Render(diagnostic) => diagnostic.place.as_ref().map_or_else(String::new, |place| {
            let at = |number: Option<usize>| number.map_or_else(String::new, |number| format!(":{number}"));
            format!("at {}{}{}\n", place.path, at(place.line), at(place.column))
        }),
        _ => String::new(),
    }
}

/// Checks the properties that every build has, whatever the case expects.
fn laws(built: &BuildResult) -> Result<(), String> {
    built.prompt.check_tiling()?;
    for Attachment { text, part, .. } in &built.prompt.attachments {
        if built.prompt.text.contains(text) {
            return Err(format!("the attachment `{}` is in the system prompt, too", part.section));
        }
    }
    let json = serde_json::to_string(&built.snapshot).map_err(|error| error.to_string())?;
    let mut again: preface_engine::core::snapshot::Snapshot =
        serde_json::from_str(&json).map_err(|error| error.to_string())?;
    if again != built.snapshot {
        return Err("the snapshot does not survive its JSON form".to_owned());
    }
    match pipeline::run(&mut again, &mut NoSource) {
        Ok(prompt)
            if prompt.text == built.prompt.text
                && prompt.parts == built.prompt.parts
                && prompt.attachments == built.prompt.attachments =>
        {
            Ok(())
        }
        Ok(_) => Err("the saved snapshot gives another prompt".to_owned()),
        Err(error) => Err(format!("the saved snapshot cannot be rebuilt: {error}")),
    }
}

/// Each text that is sent beside the prompt, as it is sent.
fn attachments(prompt: &Prompt) -> String {
    let each = |attachment: &Attachment| {
        format!(
            "{} {}\n{}\n",
            attachment.place,
            attachment.part.section,
            Attachment::wrap(&attachment.text).text
        )
    };
    prompt.attachments.iter().map(each).collect()
}

/// A row for each part and source: section, scope, origin, tokens. Runs of equal origins are one row.
fn explain(prompt: &Prompt) -> String {
    let mut rows = String::new();
    for part in &prompt.parts {
        let mut groups: Vec<(String, String, usize)> = Vec::new();
        for span in &part.spans {
            let (scope, label) = match &span.origin {
                Origin::Source { source, .. } => (source.scope.as_str().to_owned(), source.path.clone()),
                other => ("-".to_owned(), other.to_string()),
            };
            match groups.iter_mut().find(|group| group.0 == scope && group.1 == label) {
                Some(group) => group.2 += span.range.len(),
                None => groups.push((scope, label, span.range.len())),
            }
        }
        for (scope, label, bytes) in groups {
            rows.push_str(&format!("{}  {scope}  {label}  {} tokens\n", part.section, bytes.div_ceil(4)));
        }
    }
    rows
}

/// Brings an expectation into the form of what is found.
fn normal(what: Expectation, wanted: &str) -> Result<String, String> {
    match what {
        Expectation::Prompt => Ok(wanted.strip_suffix('\n').unwrap_or(wanted).to_owned()),
        Expectation::PromptEscaped => {
            String::from_utf8(unescape(wanted.trim_end_matches('\n'))?).map_err(|error| error.to_string())
        }
        Expectation::Explain => Ok(wanted
            .lines()
            .map(|line| {
                let cells: Vec<&str> =
                    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
                cells.join("  ") + "\n"
            })
            .collect()),
        _ => Ok(wanted.to_owned()),
    }
}
