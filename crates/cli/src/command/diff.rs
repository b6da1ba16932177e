//! `preface diff`: two builds, what changed between them, and where a provider's cache stops.

use crate::{
    command::capture::saved,
    conversation_prompt::{self, PersistFlags},
    diagnostics,
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, ToolNames, TrustFlags, TurnFlags},
    subject::rebuild,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, number, one_line, wrap},
    },
};
use preface_engine::{
    BuildResult, Engine, Request, ToolChoice, WriteScope,
    core::{
        budget,
        diff::{Change, Difference},
        document::Document,
        prompt::Prompt,
    },
    counter,
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface diff --against-model small-1
  preface diff --against-now 2026-03-08T09:00:00Z   what tomorrow changes
  preface diff --against-profile review.toml
  preface diff --against-tools read,bash --exit-code
  preface diff --snapshot before.json --against after.json   two snapshots
  preface build --format json > before.json
  preface diff -R --against before.json            what changed since
  preface diff before.json after.json              two captures of an agent";

/// Compare two builds: what changed, and where the cached prefix ends
///
/// The left side is the build of the flags, or of `--snapshot`. The right side is the same with what `--against-…` changes,
/// or a document that `build --format json` wrote, or a snapshot that `build --save-snapshot` wrote. If a prompt is
/// stored for `--conversation`, it is the left side.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES, override_usage = "preface diff [OPTIONS] --against…\n       preface diff [OPTIONS] FILE FILE")]
pub struct Args {
    /// Compare two files that `preface capture --save` wrote; ids are ignored
    #[arg(value_name = "FILE", num_args = 2, group = "AgainstFlags", conflicts_with_all = [
        "snapshot", "against", "against_preset", "against_profile", "against_model", "against_tools", "against_conversation", "against_now",
        "against_tz", "against_set",
    ])]
    captures: Vec<PathBuf>,

    /// Swap the sides
    #[arg(short = 'R', long)]
    reverse: bool,

    /// Exit with 1 if the texts differ
    #[arg(long)]
    exit_code: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Build the left side from the snapshot in FILE; nothing else is read
    #[arg(
        long,
        value_name = "FILE",
        requires = "against",
        conflicts_with_all = [
            "TurnFlags", "TrustFlags", "no_store", "template", "against_preset", "against_profile", "against_model",
            "against_tools", "against_conversation", "against_now", "against_tz", "against_set",
        ],
        help_heading = "What to build",
    )]
    snapshot: Option<PathBuf>,

    #[command(flatten)]
    against: AgainstFlags,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,

    #[command(flatten)]
    keep: PersistFlags,
}

/// The other side.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "What to compare with")]
#[group(required = true, multiple = true)]
pub struct AgainstFlags {
    /// Compare with the output of `build --format json` or a saved snapshot in FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "against_preset", "against_profile", "against_model", "against_tools", "against_conversation",
        "against_now", "against_tz", "against_set",
    ])]
    against: Option<PathBuf>,

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

/// One side: its name and its document.
pub struct DiffSide {
    pub name: String,
    pub document: Document,
}

/// Builds both sides and compares them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    if let [old, new] = args.captures.as_slice() {
        let files = if args.reverse { [new, old] } else { [old, new] };
        let tokenizer = args.turn.tokenizer.as_deref();
        let is_same = saved::diff(ui, files.map(PathBuf::as_path), tokenizer, args.format)?;
        return Ok(if args.exit_code && !is_same { Exit::Failed } else { Exit::Done });
    }
    let mut request = args.turn.request();
    args.trust.apply(&mut request)?;
    let system = files::system();
    let templates = args.keep.template.source(&request);
    let engine = Engine::new(&system).with_templates(&templates).writing(WriteScope::Nothing);
    let left = match (&args.snapshot, kept(args, request.conversation.as_deref())?) {
        (Some(file), _) => DiffOperand::snapshot(file)?,
        (None, Some(kept)) => kept,
        (None, None) => {
            let built = engine.build(&request)?;
            // Both sides have the same instant, unless the flags set another one.
            request.now.get_or_insert_with(|| built.snapshot.turn.now.clone());
            DiffOperand::built(built)
        }
    };
    let counter = counter(&left.counter)?;
    let name = match &left.kept {
        Some(kept) => kept.clone(),
        None => format!("{} (this build)", one_line(&left.prompt.preset)),
    };
    let prompt = left.prompt;
    let mut left = DiffSide { name, document: Document::of(&prompt, counter.as_ref()) };
    let mut right = match &args.against.against {
        Some(file) => side(file, counter.as_ref())?,
        None => {
            let other = match kept(args, args.against.against_conversation.as_deref())? {
                Some(kept) => kept,
                None => DiffOperand::built(engine.build(&args.against.request(request))?),
            };
            let name = other.kept.unwrap_or_else(|| args.against.name(&one_line(&other.prompt.preset)));
            DiffSide { name, document: Document::of(&other.prompt, counter.as_ref()) }
        }
    };
    if args.reverse {
        std::mem::swap(&mut left, &mut right);
    }
    let difference = Difference::of(&left.document, &right.document, counter.as_ref());
    match args.format {
        OutputFormat::Json => ui.json(&difference)?,
        OutputFormat::Text => show(ui, &left, &right, &difference)?,
    }
    diagnostics::print(ui, &prompt);
    Ok(if args.exit_code && !difference.same { Exit::Failed } else { Exit::Done })
}

/// A prompt to compare: built now, or kept for a conversation.
struct DiffOperand {
    prompt: Prompt,
    counter: String,
    /// The name of the stored prompt or the snapshot; `None` for one that was built now.
    kept: Option<String>,
}

impl DiffOperand {
    fn built(built: BuildResult) -> Self {
        DiffOperand { prompt: built.prompt, counter: built.snapshot.turn.counter, kept: None }
    }

    fn snapshot(file: &Path) -> Result<Self, CommandFailure> {
        let name = one_line(&file.display().to_string());
        let subject = rebuild(&name, &files::read(file)?)?;
        Ok(DiffOperand { prompt: subject.prompt, counter: subject.counter, kept: Some(name) })
    }
}

/// Returns the stored prompt of a conversation, if it is to be used and exists.
fn kept(args: &Args, id: Option<&str>) -> Result<Option<DiffOperand>, CommandFailure> {
    let Some(id) = id.filter(|_| !args.keep.no_store) else { return Ok(None) };
    let Some(subject) = conversation_prompt::look(
        &args.keep.template,
        &args.turn.request(),
        &conversation_prompt::conversation_id(id)?,
    )?
    else {
        return Ok(None);
    };
    let name = subject.kept.map(|kept| {
        let id = one_line(id);
        let preset = one_line(&subject.prompt.preset);
        format!("{preset} (stored for {id}, revision {})", kept.head.revision.revision)
    });
    Ok(Some(DiffOperand { prompt: subject.prompt, counter: subject.counter, kept: name }))
}

/// Shows what two prompts differ in: what became of the parts, where the cached prefix ends, and the texts line by line.
pub fn show(
    ui: &Ui,
    left: &DiffSide,
    right: &DiffSide,
    difference: &Difference,
) -> Result<(), CommandFailure> {
    ui.view(&view(left, right, difference, ui.columns().unwrap_or(usize::MAX)))?;
    ui.patch(&difference.text)
}

impl AgainstFlags {
    /// Overrides the request with the flags of the other side.
    fn request(&self, request: Request) -> Request {
        let other_profile = self.against_preset.is_some() || self.against_profile.is_some();
        Request {
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
        let mut with: Vec<String> = changed
            .into_iter()
            .filter_map(|(what, value)| Some(format!("{what} {}", one_line(&value?))))
            .collect();
        with.extend(self.against_set.iter().map(|set| one_line(set)));
        if with.is_empty() { preset.to_owned() } else { format!("{preset} ({})", with.join(", ")) }
    }
}

/// Reads the JSON document of a prompt, or builds a saved snapshot again.
fn side(file: &Path, counter: &dyn budget::Counter) -> Result<DiffSide, CommandFailure> {
    let shown = file.display();
    let bytes = files::read(file)?;
    let value: serde_json::Value = serde_json::from_slice(&bytes)
        .map_err(|error| CommandFailure::new(format!("`{shown}` is no JSON: {error}")))?;
    let name = one_line(&shown.to_string());
    if value.get("version").is_some() {
        let subject = rebuild(&name, &bytes)?;
        return Ok(DiffSide { name, document: Document::of(&subject.prompt, counter) });
    }
    let document: Document = serde_json::from_value(value).map_err(|error| {
        CommandFailure::new(format!("`{shown}` is not a JSON document of a prompt: {error}"))
            .help("`preface build --format json` writes one")
    })?;
    document.check().map_err(|why| {
        CommandFailure::new(format!("`{shown}` does not add up: {why}"))
            .help("it was changed after it was written")
    })?;
    Ok(DiffSide { name, document })
}

fn view(left: &DiffSide, right: &DiffSide, difference: &Difference, most: usize) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let total = |side: &DiffSide| {
        format!(
            "{bold}{}{bold:#}  {dim}{}, {}{dim:#}",
            side.name,
            count(side.document.tokens.count, "token"),
            count(side.document.text.len(), "byte")
        )
    };
    let mut out = format!("--- {}\n+++ {}\n", total(left), total(right));
    if difference.same {
        out.push_str("\nThe texts are the same, byte for byte.\n");
        return out;
    }
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Right, ColumnAlignment::Left]);
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
    let mut cache = format!(
        "cache: the first {} ({}) are the same",
        count(prefix.tokens, "token"),
        count(prefix.bytes, "byte")
    );
    if let Some(cause) = difference.first_difference.as_ref().and_then(|first| first.cause()) {
        cache.push_str(&format!(
            "; then `{}` differs, because of {bold}{}{bold:#}",
            cause.section,
            one_line(&cause.label)
        ));
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
