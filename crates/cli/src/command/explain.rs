//! `preface explain`: where every byte comes from.

mod absent;
pub mod apportion;
mod at;
mod cache;
mod largest;

use crate::{
    CommandResult, DirectoryArgument, Exit, InteractionMode, OutputFormat, Subject, SubjectFlags,
    command::capture::{ShownFlags, saved},
    conversation::ConversationFlags,
    diagnostics,
    ui::{Cell, TextTable, Ui, count, number, one_line, short_middle, style, wrap},
};
use apportion::apportion;
use preface_core::{
    attachment::AttachmentPlace,
    explain::{AttachmentRow, Explanation, Labels, PartRow, SourceRow, spans_view},
    origin::{LiteralSource, Origin, Source},
    pipeline::draft::{Cut, CutWhy},
};
use std::{collections::BTreeMap, fmt::Write};

const EXAMPLES: &str = "\
Examples:
  preface explain                        list the parts with their sources
  preface explain --largest              the ten largest parts
  preface explain --largest 3 --tokenizer o200k
  preface explain --absent               what is left out, and why
  preface explain --spans                every run of bytes and its origin
  preface explain --cache --model claude-opus-5-5   what a service caches
  preface explain --at 'Use tabs'        which source has this text
  preface explain --at 400               which source this byte is from
  preface explain --at AGENTS.md:12      how this line was used
  preface explain --conversation 7f3a    the stored prompt, if there is one
  preface explain --snapshot snapshot.json   a saved snapshot
  preface explain capture.json           what an agent was given";

/// Show where each part of the prompt comes from
///
/// For each part: its tokens, its share of the bytes, how long it stays the same, its sources, and what it lost. Static
/// first parts are what a provider's prompt cache can reuse. In the place of DIR it takes a file that `preface capture --save` wrote.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Show the N largest parts (10), with their share of the tokens and what they take so far
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = largest::FEW, conflicts_with_all = ["absent", "spans", "at"])]
    largest: Option<usize>,

    /// Show what is not in the prompt, and why
    #[arg(long, conflicts_with_all = ["spans", "at"])]
    absent: bool,

    /// Show every run of bytes with its origin
    #[arg(long, conflicts_with = "at")]
    spans: bool,

    /// Show the origin of a text or a byte of the prompt, or what became of a line of a file
    #[arg(long, value_name = "TEXT|OFFSET|FILE:LINE", allow_hyphen_values = true)]
    at: Option<String>,

    /// Show what a service caches of a request for `--model`, and what a turn costs
    #[arg(long, conflicts_with_all = ["largest", "absent", "spans", "at"])]
    cache: bool,

    /// Count with cached beginnings that live for TTL, such as `1h`, as `preface build --cache-ttl` asks for
    #[arg(long, value_name = "TTL", requires = "cache")]
    cache_ttl: Option<String>,

    /// Show the request with this number of a saved capture instead of the main one
    #[arg(long, value_name = "N")]
    request: Option<usize>,

    /// Choose the form: a view, or the document that `build` prints too
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    conversation: ConversationFlags,

    #[command(flatten)]
    dir: DirectoryArgument,

    #[command(flatten)]
    subject: SubjectFlags,
}

/// Builds and explains.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    if let Some(capture) = saved::read(args.dir.dir.as_deref())? {
        let tokenizer = args.subject.turn.tokenizer.clone();
        let shown = ShownFlags { request: args.request, at: args.at.clone(), tokenizer };
        match args.format {
            OutputFormat::Json => ui.json(&capture)?,
            OutputFormat::Text => saved::show(ui, &capture, &shown)?,
        }
        return Ok(Exit::Done);
    }
    let subject_flags = args.subject.in_directory(&args.dir)?;
    let conversation = args.conversation.read()?;
    let kept = match (&conversation.prompt, conversation.events.is_empty()) {
        // A run, and what just happened, is about a build of now.
        (Some(_), _) | (_, false) => None,
        (None, true) => subject_flags.kept(ui, InteractionMode::MayNot)?,
    };
    let subject = match kept {
        Some(kept) => Some(kept),
        None => match subject_flags.run(ui, InteractionMode::MayNot, conversation) {
            // The view shows what takes the room.
            Err(failure) if failure.exit_code() == Exit::OverBudget && args.format == OutputFormat::Text => {
                show_whole(ui, args)?;
                return Err(failure);
            }
            subject => subject?,
        },
    };
    let Some(mut subject) = subject else { return Ok(Exit::Done) };
    if args.cache {
        let model = subject_flags.turn.model.or_else(|| subject.model().map(str::to_owned));
        let (plan, diagnostics) = cache::plan(&subject, model.as_deref(), args.cache_ttl.as_deref())?;
        ui.show(args.format, &plan, || cache::view(ui, &plan))?;
        subject.prompt.diagnostics.extend(diagnostics);
        diagnostics::print(ui, &subject.prompt);
        return Ok(Exit::Done);
    }
    match (&args.at, args.format) {
        (at, OutputFormat::Json) => {
            if let Some(at) = at {
                // What is not in the prompt is an error in each form.
                at::view(ui, &subject, at)?;
            }
            ui.json(&subject.document()?)?;
        }
        (Some(at), _) => ui.view(&at::view(ui, &subject, at)?)?,
        (None, _) if args.largest.is_some() => {
            ui.view(&by_size(ui, &subject, args.largest.unwrap_or_default())?)?;
        }
        (None, _) if args.absent => ui.view(&absent::view(&subject))?,
        (None, _) if args.spans => ui.view(&spans(ui, &subject))?,
        (None, _) => ui.view(&parts(ui, &subject)?)?,
    }
    subject.print_diagnostics(ui);
    Ok(Exit::Done)
}

/// Shows the prompt as it is without a limit.
fn show_whole(ui: &Ui, args: &Args) -> CommandResult<()> {
    let mut flags = args.subject.in_directory(&args.dir)?;
    flags.turn.set.push("budget.onOver=warn".to_owned());
    let whole = flags.build(Vec::new(), ui, InteractionMode::MayNot)?;
    match args.largest {
        Some(most) => ui.view(&by_size(ui, &whole, most)?),
        None => ui.view(&parts(ui, &whole)?),
    }
}

fn explained(subject: &Subject) -> CommandResult<Explanation> {
    let mut labels = Labels::with_files(|source: &Source| subject.file(source));
    Ok(Explanation::with(&subject.prompt, subject.counter()?.as_ref(), &mut labels))
}

/// The line above the parts: the sizes, and the tokenizer.
fn head(explained: &Explanation) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let tokens = &explained.tokens;
    let between = match (tokens.low, tokens.high) {
        (Some(low), Some(high)) => format!(": {} to {}", number(low), number(high)),
        _ => String::new(),
    };
    format!(
        "{bold}{}{bold:#}: {}, {} {dim}({}{between}){dim:#}, {}\n",
        one_line(&explained.preset),
        count(explained.parts.len(), "part"),
        count(tokens.count, "token"),
        tokens.counter,
        count(explained.bytes, "byte"),
    )
}

fn by_size(ui: &Ui, subject: &Subject, most: usize) -> CommandResult<String> {
    let mut explained = explained(subject)?;
    let mut out = head(&explained);
    let counts = row_tokens(&explained);
    for (part, tokens) in explained.parts.iter_mut().zip(counts) {
        part.tokens = tokens;
    }
    if !explained.parts.is_empty() {
        out.push('\n');
        out.push_str(&largest::view(&explained, most, ui.columns()));
    }
    Ok(out)
}

/// The main view: a row per part, its sources below it, the cache line, the total.
pub fn parts(ui: &Ui, subject: &Subject) -> CommandResult<String> {
    let explained = explained(subject)?;
    let bold = style::BOLD;
    let tokens = &explained.tokens;
    let mut out = head(&explained);
    let room = ui.columns();
    if explained.parts.is_empty() {
        out.push_str(&attachments(&explained, room));
        return Ok(out);
    }
    out.push('\n');
    let mut table = TextTable::headed(["tokens", "share", "stability", "section"]).right(&[0, 1]);
    let cache = &explained.cache;
    let counts = row_tokens(&explained);
    let tenths = apportion(&counts, 1000);
    for (at, part) in explained.parts.iter().enumerate() {
        if at == cache.static_parts && at > 0 {
            let line = format!("── static up to here: {} tokens ──", number(cache.static_tokens));
            table.row(["".into(), "".into(), "".into(), Cell::styled(line, style::GOOD)]);
        }
        let share = match tenths[at] {
            0 if part.bytes > 0 => "<0.1%".to_owned(),
            tenths => percent(tenths as f64 / 1000.0),
        };
        part_rows(&mut table, (part, &merged(part, &explained.preset)), counts[at], share, room);
    }
    table.row([
        Cell::styled(number(tokens.count), bold),
        Cell::styled("100%", bold),
        "".into(),
        Cell::styled("total", bold),
    ]);
    out.push_str(&table.show(room));
    out.push('\n');
    out.push_str(&wrap(&cache_line(&explained), room.unwrap_or(usize::MAX), 0));
    out.push_str(&attachments(&explained, room));
    out.push_str(&triggers(&explained, room));
    Ok(out)
}

/// Formats the attachments in messages of the user: a table for each place.
fn attachments(explained: &Explanation, room: Option<usize>) -> String {
    let bold = style::BOLD;
    let mut out = String::new();
    for place in AttachmentPlace::ALL {
        let here: Vec<&AttachmentRow> =
            explained.attachments.iter().filter(|attachment| attachment.place == place).collect();
        if here.is_empty() {
            continue;
        }
        let tokens: usize = here.iter().map(|attachment| attachment.tokens).sum();
        let (about, tokens) = (place.about(), count(tokens, "token"));
        let _ = writeln!(out, "\n{bold}not in the system prompt{bold:#}, {about}: {tokens}");
        let mut table = TextTable::headed(["tokens", "stability", "text"]).right(&[0]);
        for AttachmentRow { id, tokens, stability, sources, .. } in here {
            table.row([
                number(*tokens).into(),
                Cell::styled(stability.as_str(), style::stability(*stability)),
                Cell::styled(id.as_str(), style::BOLD),
            ]);
            source_cells(sources, *tokens, room).for_each(|cells| table.row(cells));
        }
        out.push_str(&table.show(room));
    }
    out
}

/// Formats the triggers of the prompt, if more than one build or a hook made it: the event, the hook, the
/// changed sections.
fn triggers(explained: &Explanation, room: Option<usize>) -> String {
    let named = explained.triggers.len() > 1 || explained.triggers.iter().any(|trigger| trigger.by.is_some());
    if !named {
        return String::new();
    }
    let mut table = TextTable::headed(["made by", "hook", "sections"]);
    for trigger in &explained.triggers {
        let sections: Vec<&str> = trigger.sections.iter().map(|id| id.as_str()).collect();
        let sections = if sections.is_empty() { "none changed".to_owned() } else { sections.join(", ") };
        table.row([
            trigger.kind.as_str().into(),
            trigger.by.as_deref().unwrap_or("").into(),
            Cell::styled(sections, style::BOLD),
        ]);
    }
    format!("\n{}", table.show(room))
}

/// Columns before the last one, at their usual widths.
const BEFORE: usize = 32;

/// Returns the tokens of each part, so that they add up to those of the static prefix and of the whole prompt.
fn row_tokens(explained: &Explanation) -> Vec<usize> {
    let counts: Vec<usize> = explained.parts.iter().map(|part| part.tokens).collect();
    let (first, rest) = counts.split_at(explained.cache.static_parts);
    let in_static = if rest.is_empty() { explained.tokens.count } else { explained.cache.static_tokens };
    let mut rows = apportion(first, in_static);
    rows.extend(apportion(rest, explained.tokens.count.saturating_sub(in_static)));
    rows
}

fn part_rows(
    table: &mut TextTable<4>,
    (part, sources): (&PartRow, &[SourceRow]),
    tokens: usize,
    share: String,
    room: Option<usize>,
) {
    table.row([
        number(tokens).into(),
        share.into(),
        Cell::styled(part.stability.as_str(), style::stability(part.stability)),
        Cell::styled(part.section.as_str(), style::BOLD),
    ]);
    for [tokens, kind, label] in source_cells(sources, tokens, room) {
        table.row([tokens, "".into(), kind, label]);
    }
    if let (Some(first), Some(last)) = (part.cuts.first(), part.cuts.last()) {
        let lost = lost(first, last);
        table.row(["".into(), "".into(), "".into(), Cell::styled(format!("  {lost}"), style::CARE)]);
    }
}

/// Returns the cells of each source: tokens, which add up to those of its text, kind and label.
fn source_cells(sources: &[SourceRow], total: usize, room: Option<usize>) -> impl Iterator<Item = [Cell; 3]> {
    let tokens = apportion(&sources.iter().map(|source| source.tokens).collect::<Vec<_>>(), total);
    sources.iter().zip(tokens).map(move |(source, tokens)| {
        let label = match room {
            Some(room) => short_middle(&source.label, room.saturating_sub(BEFORE + 2).max(16)),
            None => source.label.as_str().into(),
        };
        [number(tokens), kind(source).to_owned(), format!("  {label}")]
            .map(|text| Cell::styled(text, style::DIM))
    })
}

/// The sources of a part, each variable once, and what each file of the profile put there as one: headers, separators, forms.
fn merged(part: &PartRow, preset: &str) -> Vec<SourceRow> {
    let mut rows: Vec<SourceRow> = Vec::with_capacity(part.sources.len());
    let mut profiles: BTreeMap<&str, usize> = BTreeMap::new();
    let own = format!("section.{}.", part.section);
    for source in &part.sources {
        let known = match &source.origin {
            Origin::Literal { profile, key } => {
                Some((profile.as_ref(), one_line(key.strip_prefix(&own).unwrap_or(key))))
            }
            _ => None,
        };
        let same = rows.iter().position(|row| row.label == source.label && row.scope == source.scope);
        let (at, more) = match (known, same) {
            (Some((profile, key)), _) => match profiles.get(profile) {
                Some(at) => (*at, Some(key)),
                None => {
                    profiles.insert(profile, rows.len());
                    let file = match variant_of(preset, profile) {
                        Some(name) => format!("{preset}.toml, variant {name}"),
                        None => LiteralSource::of(profile).to_string(),
                    };
                    let label = format!("{}: {key}", one_line(&file));
                    rows.push(SourceRow { label, ..source.clone() });
                    continue;
                }
            },
            (None, Some(at)) => (at, None),
            (None, None) => {
                rows.push(source.clone());
                continue;
            }
        };
        let row = &mut rows[at];
        if let Some(key) = more {
            row.label.push_str(", ");
            row.label.push_str(&key);
        }
        row.bytes += source.bytes;
        row.tokens += source.tokens;
    }
    rows
}

/// Returns the variant of the chosen profile that a literal is from. An origin names it behind the profile.
fn variant_of<'p>(preset: &str, profile: &'p str) -> Option<&'p str> {
    profile.strip_prefix(preset)?.strip_prefix(' ')
}

/// Returns the kind of a source: the word of its scope, or where else its bytes come from.
fn kind(source: &SourceRow) -> &'static str {
    match &source.origin {
        Origin::Source { source, .. } => source.scope.as_str(),
        Origin::Literal { profile, .. } => match LiteralSource::of(profile) {
            LiteralSource::Profile(_) => "profile",
            LiteralSource::Bundled => "bundled",
            LiteralSource::Caller => "caller",
        },
        Origin::Variable { .. } => "variable",
        Origin::Stored { .. } => "store",
        Origin::Caller { .. } => "caller",
        Origin::Hook { .. } => "hook",
    }
}

/// Describes the cuts of a part, from the first to the last, as one.
fn lost(first: &Cut, last: &Cut) -> String {
    let whose = match last.why {
        CutWhy::Ceiling => "its ceiling",
        CutWhy::Budget => "the budget",
    };
    format!("cut by {whose}: {} of {} tokens are left", number(last.after), number(first.before))
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        some if some > 0.0 && some < 0.1 => "<0.1%".to_owned(),
        some => format!("{some:.1}%"),
    }
}

fn cache_line(explained: &Explanation) -> String {
    let cache = &explained.cache;
    let mut line = match &cache.ends_at {
        None => "cache: every part is static.".to_owned(),
        Some(section) if cache.static_parts == 0 => {
            format!("cache: no static prefix; the first part, `{section}`, is not static.")
        }
        Some(section) => format!(
            "cache: the first {} ({}) are the same for every conversation; `{section}` ends them.",
            count(cache.static_tokens, "token"),
            count(cache.static_bytes, "byte"),
        ),
    };
    if cache.stranded_tokens > 0 {
        let _ = write!(line, " {} are ignored because of it.", count(cache.stranded_tokens, "static token"));
    }
    line.push('\n');
    line
}

fn spans(ui: &Ui, subject: &Subject) -> String {
    let mut labels = Labels::with_files(|source: &Source| subject.file(source));
    let room = ui.columns();
    let mut table = TextTable::headed(["from", "to", "section", "origin", "text"]).right(&[0, 1]);
    for row in spans_view(&subject.prompt, &mut labels) {
        let label = match room {
            Some(room) => short_middle(&row.label, (room / 3).max(16)).into_owned(),
            None => row.label,
        };
        table.row([
            row.range.start.to_string().into(),
            row.range.end.to_string().into(),
            row.section.as_str().into(),
            Cell::styled(label, style::ACCENT),
            Cell::styled(row.excerpt, style::DIM),
        ]);
    }
    table.show(room)
}
