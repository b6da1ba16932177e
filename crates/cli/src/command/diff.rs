//! `preface diff`: two prompts or templates, what changed between them, and where a provider's cache stops.

use crate::{
    CommandFailure, CommandResult, Exit, OutputFormat, StoreFlag, Subject, TemplateFlags, TrustFlags,
    TurnFlags,
    command::{capture::saved, conversation::stored_prompts, template::default_text},
    diagnostics, files,
    flags::ToolNames,
    subject::rebuild,
    ui::{Cell, TextTable, Ui, count, number, one_line, style, wrap},
};
use preface_core::{
    diagnostic::Remedy,
    diff::{Change, Difference},
    document::Document,
    prompt::Prompt,
};
use preface_engine::{
    BuildOptions, Engine, TemplateSource, ToolChoice, WriteScope,
    conversation::TemplateChoice,
    counter,
    store::{ConversationId, VersionChoice},
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface diff --against-model small-1
  preface diff --against-now 2026-03-08T09:00:00Z   what tomorrow changes
  preface diff --against-profile review.toml
  preface diff --against-tools read,bash --exit-code
  preface build --format json > before.json
  preface diff before.json                 what changed since
  preface diff before.json after.json      two documents, snapshots or captures
  preface diff ../old .                    two directories
  preface diff main.json --max-growth 500  fail where a change adds more
  preface diff conversation:7f3a           what the last change was
  preface diff conversation:7f3a@1 .       revision 1 against a build of now
  preface diff template:main@stable        a version against the current one";

/// Compare two prompts or templates: what changed, and where the cached prefix ends
///
/// A side is a directory, which is built with the flags; a file of `build --format json`, `build --save-snapshot` or `capture --save`;
/// `conversation:ID` or `conversation:ID@REVISION`, a stored prompt; `template:NAME` or `template:NAME@VERSION`, a stored template, with
/// the version 0 for the default. A conversation or template alone is compared with what is current, or with the version before; everything
/// else alone, and what `--against-…` changes, with the build of the flags.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES, override_usage = "preface diff [OPTIONS] --against…\n       preface diff [OPTIONS] OLD [NEW]")]
pub struct Args {
    /// Compare these two; of two captures ids are ignored
    #[arg(value_name = "OLD", num_args = 1..=2, group = "AgainstFlags", value_parser = DiffOperand::parse, conflicts_with_all = [
        "against_preset", "against_profile", "against_model", "against_tools", "against_conversation", "against_now",
        "against_tz", "against_set",
    ])]
    operands: Vec<DiffOperand>,

    /// Exit with 1 if the texts differ
    #[arg(long)]
    exit_code: bool,

    /// Exit with 1 if the prompt grows by over N tokens
    #[arg(long, value_name = "N")]
    max_growth: Option<usize>,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    against: AgainstFlags,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,

    #[command(flatten)]
    template: TemplateFlags,
}

/// The other side.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "What to compare with")]
#[group(required = true, multiple = true)]
pub struct AgainstFlags {
    /// Compare with another preset, or profile of yours
    #[arg(long, value_name = "NAME")]
    against_preset: Option<String>,

    /// Compare with the profile in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "against_preset")]
    against_profile: Option<PathBuf>,

    /// Compare with another model
    #[arg(long, value_name = "ID")]
    against_model: Option<String>,

    /// Compare with other tools
    #[arg(long, value_name = "NAMES", value_parser = ToolNames::parse)]
    against_tools: Option<ToolNames>,

    /// Compare with another conversation
    #[arg(long, value_name = "ID")]
    against_conversation: Option<String>,

    /// Compare with another instant
    #[arg(long, value_name = "TIME")]
    against_now: Option<String>,

    /// Compare with another time zone
    #[arg(long, value_name = "ZONE")]
    against_tz: Option<String>,

    /// Compare with other settings or options
    #[arg(long, value_name = "PATH=VALUE")]
    against_set: Vec<String>,
}

/// What to compare, as the command line names it.
#[derive(Clone, Debug)]
enum DiffOperand {
    /// A directory to build, or a saved file.
    Path(PathBuf),
    /// A stored prompt, and its revision.
    Conversation(ConversationId, Option<u64>),
    /// A stored template.
    Template(TemplateChoice),
}

impl DiffOperand {
    fn parse(text: &str) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix("template:") {
            return name.parse().map(DiffOperand::Template).map_err(|error| format!("{error}"));
        }
        let Some(id) = text.strip_prefix("conversation:") else { return Ok(DiffOperand::Path(text.into())) };
        let numbered = id.rsplit_once('@').and_then(|(id, revision)| Some((id, revision.parse().ok()?)));
        let (id, revision) = numbered.map_or((id, None), |(id, revision)| (id, Some(revision)));
        let id = id.parse().map_err(|error| format!("{error}"))?;
        Ok(DiffOperand::Conversation(id, revision))
    }

    /// Returns what it is compared with if nothing else is named.
    fn current(&self) -> DiffOperand {
        match self {
            DiffOperand::Path(_) => DiffOperand::Path(".".into()),
            DiffOperand::Conversation(id, _) => DiffOperand::Conversation(id.clone(), None),
            DiffOperand::Template(choice) => {
                DiffOperand::Template(TemplateChoice { which: VersionChoice::Current, ..choice.clone() })
            }
        }
    }
}

/// One side: its name and its document.
pub struct DiffSide {
    pub name: String,
    pub document: Document,
}

/// Compares two sides.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    if let [DiffOperand::Path(old), DiffOperand::Path(new)] = args.operands.as_slice()
        && saved::is_capture(old)
    {
        if args.max_growth.is_some() {
            return Err(CommandFailure::usage("`--max-growth` compares prompts of preface, not captures"));
        }
        let is_same = saved::diff(ui, [old, new], args.turn.tokenizer.as_deref(), args.format)?;
        return Ok(if args.exit_code && !is_same { Exit::Failed } else { Exit::Done });
    }
    let request = args.trust.apply(args.turn.request())?;
    let templates = args.template.source(&request);
    let store = args.template.store.for_request(&request);
    let engine = Engine::new(files::system()).with_templates(&templates).writing(WriteScope::Nothing);
    let mut sides = Sides { engine, request, store, tokenizer: None, built: None };
    let (left, right) = match args.operands.as_slice() {
        [] => {
            let left = sides.build(None)?;
            sides.request = args.against.request(sides.request);
            let right = sides.build(None)?;
            let name = args.against.name(&right.document.preset);
            (left, DiffSide { name, ..right })
        }
        [old] => (sides.side(old, true)?, sides.side(&old.current(), false)?),
        [old, new, ..] => (sides.side(old, false)?, sides.side(new, false)?),
    };
    let difference =
        Difference::of(&left.document, &right.document, &*counter(&left.document.tokens.counter)?);
    match args.format {
        OutputFormat::Json => ui.json(&difference)?,
        OutputFormat::Text => show(ui, &left, &right, &difference)?,
    }
    if let Some(built) = &sides.built {
        diagnostics::print(ui, built);
    }
    let growth = right.document.tokens.count.saturating_sub(left.document.tokens.count);
    if let Some(most) = args.max_growth.filter(|most| growth > *most) {
        let what = format!("the prompt grows by {} tokens, over {}", number(growth), number(most));
        return Err(
            CommandFailure::new(what).help(Remedy::command("see what is largest", "explain --largest"))
        );
    }
    Ok(if args.exit_code && !difference.same { Exit::Failed } else { Exit::Done })
}

/// What makes the sides of a comparison.
struct Sides<'s> {
    engine: Engine<'s>,
    request: BuildOptions,
    store: StoreFlag,
    /// The tokenizer of the builds.
    tokenizer: Option<String>,
    /// The first prompt that was built, whose diagnostics are printed.
    built: Option<Prompt>,
}

impl Sides<'_> {
    /// Returns one side. `is_alone`: a stored one without a version is the one before the current.
    fn side(&mut self, operand: &DiffOperand, is_alone: bool) -> CommandResult<DiffSide> {
        match operand {
            DiffOperand::Path(path) if files::is_file(path) => saved_side(path),
            DiffOperand::Path(path) => self.build(Some(path)),
            DiffOperand::Conversation(id, revision) => {
                let prompts = stored_prompts(&self.store, id)?;
                let at = match revision {
                    Some(revision) => {
                        prompts.iter().position(|(prompt, _)| prompt.head.revision.revision == *revision)
                    }
                    None => Some(usize::from(is_alone && prompts.len() > 1)),
                };
                let Some((stored, _)) = at.and_then(|at| prompts.get(at)) else {
                    let named = revision.unwrap_or_default();
                    return Err(CommandFailure::new(format!("unknown revision: {named}"))
                        .help(Remedy::command("see the revisions", "conversation history ID")));
                };
                let revision = stored.head.revision.revision;
                let name = format!("{} (revision {revision})", one_line(id.as_str()));
                Ok(DiffSide { name, document: Subject::kept(stored)?.document()? })
            }
            DiffOperand::Template(choice) => self.template(choice, is_alone),
        }
    }

    /// Builds a directory, or that of the flags. All builds have the same instant.
    fn build(&mut self, dir: Option<&Path>) -> CommandResult<DiffSide> {
        let mut request = self.request.clone();
        let dir = dir.filter(|dir| *dir != Path::new("."));
        if let Some(dir) = dir {
            request.cwd = Some(dir.to_owned());
        }
        let built = self.engine.build(&request)?;
        self.request.now.get_or_insert_with(|| built.snapshot.turn.now.clone());
        let tokenizer = self.tokenizer.get_or_insert(built.snapshot.turn.counter);
        let document = Document::of(&built.prompt, &*counter(tokenizer)?);
        let what = dir.map_or("this build".into(), |dir| dir.to_string_lossy());
        let name = format!("{} ({})", one_line(&document.preset), one_line(&what));
        self.built.get_or_insert(built.prompt);
        Ok(DiffSide { name, document })
    }

    fn template(&self, choice: &TemplateChoice, is_alone: bool) -> CommandResult<DiffSide> {
        let read = |which: &VersionChoice| {
            let choice = TemplateChoice { which: which.clone(), ..choice.clone() };
            let flags = TemplateFlags { template: Some(choice), store: self.store.clone() };
            flags.source(&self.request).template()
        };
        let mut found = match &choice.which {
            VersionChoice::Version(0) => None,
            which => read(which)?,
        };
        if let (true, VersionChoice::Current, Some(version)) =
            (is_alone, &choice.which, found.as_ref().and_then(|found| found.version))
        {
            found = if version > 1 { read(&VersionChoice::Version(version - 1))? } else { None };
        }
        let which = match found.as_ref().and_then(|found| found.version) {
            Some(version) => format!("{}@{version}", choice.name),
            None => format!("{} (default)", choice.name),
        };
        let text = match found {
            Some(found) => found.text.to_string(),
            None => default_text(&self.engine, &self.request)?,
        };
        let prompt = Prompt { text, ..Prompt::default() };
        let counter = counter(self.request.counter.as_deref().unwrap_or("estimate"))?;
        Ok(DiffSide { name: which, document: Document::of(&prompt, &*counter) })
    }
}

/// Shows what two prompts differ in: what became of the parts, where the cached prefix ends, and the texts line by line.
pub fn show(ui: &Ui, left: &DiffSide, right: &DiffSide, difference: &Difference) -> CommandResult<()> {
    ui.view(&view(left, right, difference, ui.columns().unwrap_or(usize::MAX)))?;
    ui.patch(&difference.text)
}

impl AgainstFlags {
    /// Overrides the request with the flags of the other side.
    fn request(&self, request: BuildOptions) -> BuildOptions {
        let other_profile = self.against_preset.is_some() || self.against_profile.is_some();
        BuildOptions {
            preset: self.against_preset.clone().or(request.preset.filter(|_| !other_profile)),
            profile: self.against_profile.clone().or(request.profile.filter(|_| !other_profile)),
            model: self.against_model.clone().or(request.model),
            conversation: self.against_conversation.clone().or(request.conversation),
            tools: self
                .against_tools
                .clone()
                .map_or(request.tools, |ToolNames(names)| ToolChoice::Named(names)),
            now: self.against_now.clone().or(request.now),
            zone: self.against_tz.clone().or(request.zone),
            sets: request.sets.into_iter().chain(self.against_set.iter().cloned()).collect(),
            ..request
        }
    }

    /// Names the other side by what is different about it.
    fn name(&self, preset: &str) -> String {
        let changed = [
            ("model", self.against_model.clone()),
            ("tools", self.against_tools.as_ref().map(|ToolNames(names)| names.join(","))),
            ("conversation", self.against_conversation.clone()),
            ("now", self.against_now.clone()),
            ("tz", self.against_tz.clone()),
        ];
        let changed =
            changed.into_iter().filter_map(|(what, value)| Some(format!("{what} {}", one_line(&value?))));
        let with: Vec<String> = changed.chain(self.against_set.iter().map(|set| one_line(set))).collect();
        if with.is_empty() { preset.to_owned() } else { format!("{preset} ({})", with.join(", ")) }
    }
}

/// Reads the JSON document of a prompt, or builds a saved snapshot again.
fn saved_side(file: &Path) -> CommandResult<DiffSide> {
    let shown = file.display();
    let bytes = files::read(file)?;
    let value: serde_json::Value = serde_json::from_slice(&bytes)
        .map_err(|error| CommandFailure::new(format!("`{shown}` is no JSON: {error}")))?;
    let name = one_line(&shown.to_string());
    if value.get("version").is_some() {
        return Ok(DiffSide { document: rebuild(&name, &bytes)?.document()?, name });
    }
    let document: Document = serde_json::from_value(value).map_err(|error| {
        CommandFailure::new(format!("`{shown}` is not a JSON document of a prompt: {error}"))
            .help(Remedy::command("write one", "build --format json"))
    })?;
    document.check().map_err(|why| {
        CommandFailure::new(format!("`{shown}` does not add up: {why}"))
            .help("it was changed after it was written")
    })?;
    Ok(DiffSide { name, document })
}

fn view(left: &DiffSide, right: &DiffSide, difference: &Difference, most: usize) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let total = |DiffSide { name, document }: &DiffSide| {
        let (tokens, bytes) = (count(document.tokens.count, "token"), count(document.text.len(), "byte"));
        format!("{bold}{name}{bold:#}  {dim}{tokens}, {bytes}{dim:#}")
    };
    let mut out = format!("--- {}\n+++ {}\n", total(left), total(right));
    if difference.same {
        out.push_str("\nThe texts are the same, byte for byte.\n");
        return out;
    }
    let mut table = TextTable::new().right(&[1]);
    for part in difference.parts.iter().filter(|part| part.change != Change::Same) {
        table.row([
            Cell::styled(part.change.as_str(), style::change(part.change)),
            sizes(part.tokens_before, part.tokens_after, "tokens").into(),
            Cell::styled(part.section.as_str(), bold),
        ]);
    }
    out.push('\n');
    out.push_str(&table.show(None));
    let same = difference.parts.iter().filter(|part| part.change == Change::Same).count();
    if same > 0 {
        out.push_str(&format!("{dim}{} the same{dim:#}\n", count(same, "part")));
    }
    let prefix = &difference.cached_prefix;
    let (tokens, bytes) = (count(prefix.tokens, "token"), count(prefix.bytes, "byte"));
    let mut cache = format!("cache: the first {tokens} ({bytes}) are the same");
    if let Some(cause) = difference.first_difference.as_ref().and_then(|first| first.cause()) {
        let (section, label) = (&cause.section, one_line(&cause.label));
        cache.push_str(&format!("; then `{section}` differs, because of {bold}{label}{bold:#}"));
    }
    out.push_str(&wrap(&cache, most, 0));
    out.push_str(".\n\n");
    out
}

/// `80 → 92 tokens`, `+120 tokens`, `−120 tokens`.
pub fn sizes(before: Option<usize>, after: Option<usize>, unit: &str) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before == after => format!("{} {unit}", number(after)),
        (Some(before), Some(after)) => format!("{} → {} {unit}", number(before), number(after)),
        (None, Some(after)) => format!("+{} {unit}", number(after)),
        (Some(before), None) => format!("−{} {unit}", number(before)),
        (None, None) => String::new(),
    }
}
