//! A capture as a table: what each source takes, and what each part of the request is made of.

use crate::{
    command::explain::apportion::apportion,
    ui::{Cell, TextTable, count, listed, number, one_line, short_middle, style, wrap},
};
use preface_capture::{
    agent::{Agent, find},
    body::{Item, ItemKind},
    document::{Capture, CapturedRequest, SecretPlace},
    run::Mode,
    source::{Source, SourceKind},
};
use preface_core::{budget::Counter, model::Models};
use std::{collections::BTreeMap, fmt::Write as _};

/// Columns before the last one, at their usual widths.
const BEFORE: usize = 28;
/// The most names in a list of files.
const MOST_FILES: usize = 12;

/// A request with its tokens: those of each item, and of each of its rows.
pub struct CountedRequest<'c> {
    capture: &'c Capture,
    request: &'c CapturedRequest,
    tokens: Vec<(usize, Vec<usize>)>,
    counter: &'c dyn Counter,
}

impl<'c> CountedRequest<'c> {
    /// Counts the items of a request.
    pub fn of(capture: &'c Capture, request: &'c CapturedRequest, counter: &'c dyn Counter) -> Self {
        let count = |item: &Item| {
            let tokens = counter.count(&item.text);
            let sizes: Vec<usize> = item.rows.iter().map(|row| row.range.len()).collect();
            (tokens, apportion(&sizes, tokens))
        };
        // A setting is not read by the model.
        let tokens = request.items.iter().map(|item| match item.kind {
            ItemKind::Setting => (0, vec![0; item.rows.len()]),
            _ => count(item),
        });
        CountedRequest { capture, request, tokens: tokens.collect(), counter }
    }

    /// Returns the tokens that the model reads.
    pub fn total(&self) -> usize {
        self.tokens.iter().map(|(tokens, _)| tokens).sum()
    }

    fn tokens_of(&self, wanted: &Item) -> usize {
        let mut items = self.request.items.iter().zip(&self.tokens);
        items.find(|(item, _)| std::ptr::eq(*item, wanted)).map_or(0, |(_, (tokens, _))| *tokens)
    }

    fn percent(&self, tokens: usize) -> String {
        percent(tokens, self.total())
    }

    /// Shows the request.
    pub fn view(&self, columns: Option<usize>) -> String {
        let mut out = self.head();
        out.push('\n');
        out.push_str(&self.sources(columns));
        out.push('\n');
        out.push_str(&self.parts(columns));
        out.push('\n');
        for line in self.lines() {
            out.push_str(&wrap(&line, columns.unwrap_or(100), 2));
            out.push('\n');
        }
        out
    }

    fn head(&self) -> String {
        let (bold, dim) = (style::BOLD, style::DIM);
        let (capture, request) = (self.capture, self.request);
        let version =
            capture.version.as_deref().map(|version| format!(" {}", one_line(version))).unwrap_or_default();
        let mode = match capture.mode {
            Mode::Print => "print mode",
            Mode::Terminal => "on a terminal",
            Mode::Listen => "started by hand",
        };
        let model =
            request.model.as_deref().map(|model| format!(", model {}", one_line(model))).unwrap_or_default();
        format!(
            "{bold}{}{version}{bold:#} ({mode}) in {}\n{} {}{model}: {}, ≈ {} {dim}({}){dim:#}\n",
            title(&capture.agent),
            one_line(&capture.directory),
            request.method,
            one_line(&request.path),
            count(request.body.len(), "byte"),
            count(self.total(), "token"),
            self.counter.name(),
        )
    }

    /// A row for each source, the largest first.
    fn sources(&self, columns: Option<usize>) -> String {
        let mut tokens: BTreeMap<&Source, usize> = BTreeMap::new();
        for (item, (_, counts)) in self.request.items.iter().zip(&self.tokens) {
            for (row, count) in item.rows.iter().zip(counts) {
                *tokens.entry(&row.source).or_default() += count;
            }
        }
        let mut table = table("source");
        for (source, bytes) in self.request.by_source() {
            let tokens = tokens.get(&source).copied().unwrap_or(0);
            let label = fitted(&label(&self.capture.agent, &source), columns, 0);
            let is_own = matches!(source.kind, SourceKind::Agent | SourceKind::Syntax);
            table.row([
                shown(tokens),
                self.percent(tokens).into(),
                number(bytes).into(),
                Cell::styled(label, if is_own { style::DIM } else { style::BOLD }),
            ]);
        }
        table.show(columns)
    }

    /// A row for each item, by kind, with its sources below it.
    fn parts(&self, columns: Option<usize>) -> String {
        let mut table = table("part of the request");
        for (kind, heading) in [
            (ItemKind::System, "system prompt"),
            (ItemKind::Tool, "tools"),
            (ItemKind::Message, "messages"),
            (ItemKind::Setting, "settings"),
        ] {
            let items: Vec<(&Item, &(usize, Vec<usize>))> =
                self.request.items.iter().zip(&self.tokens).filter(|(item, _)| item.kind == kind).collect();
            if items.is_empty() {
                continue;
            }
            let tokens: usize = items.iter().map(|(_, (tokens, _))| tokens).sum();
            let bytes: usize = items.iter().map(|(item, _)| item.range().len()).sum();
            let heading = match kind {
                ItemKind::Tool => count(items.len(), "tool"),
                ItemKind::Setting => {
                    let names: Vec<&str> = items.iter().map(|(item, _)| item.name.as_str()).collect();
                    format!("{heading}: {}", fitted(&names.join(", "), columns, 10))
                }
                _ => heading.to_owned(),
            };
            table.row([
                shown(tokens),
                self.percent(tokens).into(),
                number(bytes).into(),
                Cell::styled(heading, style::BOLD),
            ]);
            if kind == ItemKind::Setting {
                continue;
            }
            for (item, (tokens, counts)) in items {
                self.item_rows(&mut table, item, *tokens, counts, columns);
            }
        }
        let json: usize =
            self.request.body.len() - self.request.items.iter().map(|item| item.range().len()).sum::<usize>();
        table.row(["".into(), "".into(), number(json).into(), Cell::styled("JSON between them", style::DIM)]);
        table.show(columns)
    }

    fn item_rows(
        &self,
        table: &mut TextTable<4>,
        item: &Item,
        tokens: usize,
        counts: &[usize],
        columns: Option<usize>,
    ) {
        let dim = style::DIM;
        let place = match item.kind {
            ItemKind::Tool => item.name.clone(),
            _ if item.name == "system" => item.place.clone(),
            _ => format!("{} ({})", item.place, item.name),
        };
        let one = item.rows.first().filter(|_| item.rows.len() == 1).map(|row| &row.source);
        let source = one.filter(|source| source.kind != SourceKind::Agent);
        let source =
            source.map(|source| format!(": {}", label(&self.capture.agent, source))).unwrap_or_default();
        let mark = if item.cache_mark { ", cache mark" } else { "" };
        let text = fitted(&format!("{}{source}{mark}", one_line(&place)), columns, 2);
        table.row([
            shown(tokens),
            self.percent(tokens).into(),
            number(item.range().len()).into(),
            Cell::styled(format!("  {text}"), style::ACCENT),
        ]);
        if one.is_some() {
            return;
        }
        // Each source once, in the order of the item, and the agent's own at last.
        let mut sums: Vec<(&Source, usize, usize)> = Vec::new();
        for (row, tokens) in item.rows.iter().zip(counts) {
            match sums.iter_mut().find(|(source, ..)| **source == row.source) {
                Some((_, sum, bytes)) => (*sum, *bytes) = (*sum + tokens, *bytes + row.range.len()),
                None => sums.push((&row.source, *tokens, row.range.len())),
            }
        }
        sums.sort_by_key(|(source, ..)| source.kind == SourceKind::Agent);
        for (source, tokens, bytes) in sums {
            let label = fitted(&label(&self.capture.agent, source), columns, 4);
            table.row([
                Cell::styled(number(tokens), dim),
                "".into(),
                Cell::styled(number(bytes), dim),
                Cell::styled(format!("    {label}"), dim),
            ]);
        }
    }

    /// The sentences behind the tables.
    fn lines(&self) -> Vec<String> {
        let (capture, request) = (self.capture, self.request);
        let mut lines = Vec::new();
        lines.push(match request.cached() {
            Some(items) => {
                let tokens: usize = items.iter().map(|item| self.tokens_of(item)).sum();
                let last = items.last().map(|item| item.place.as_str()).unwrap_or_default();
                format!(
                    "cache: ≈ {} up to the last cache mark ({last}) can be read from the cache by the next request that begins with the same bytes.",
                    count(tokens, "token"),
                )
            }
            None => "cache: the request has no cache marks; a service that caches by itself keeps the longest beginning that stays the same.".to_owned(),
        });
        if !request.secrets.is_empty() {
            let code =
                |secret: &SecretPlace| format!("{} at byte {}", secret.code, number(secret.range.start));
            let codes: Vec<String> = request.secrets.iter().map(code).collect();
            lines.push(format!("secrets: {}.", listed(&codes)));
        }
        if capture.requests.len() > 1 {
            let others: Vec<String> = capture
                .requests
                .iter()
                .enumerate()
                .filter(|(_, other)| !std::ptr::eq(*other, request))
                .take(MOST_FILES)
                .map(|(at, other)| {
                    let known = if other.known { "" } else { ", answered with 404" };
                    format!(
                        "{} {} {} ({}{known})",
                        at + 1,
                        other.method,
                        one_line(&other.path),
                        count(other.body.len(), "byte")
                    )
                })
                .collect();
            lines.push(format!("other requests (`--request N` shows one): {}.", others.join(", ")));
        }
        if !capture.written.is_empty() {
            let mut files: Vec<String> =
                capture.written.iter().take(MOST_FILES).map(|file| one_line(file)).collect();
            if capture.written.len() > MOST_FILES {
                files.push(format!("{} more", capture.written.len() - MOST_FILES));
            }
            lines.push(format!("written by the agent meanwhile: {}.", files.join(", ")));
        }
        let rules = find(&capture.agent).and_then(|agent| agent.capture.as_ref());
        for note in rules.into_iter().flat_map(|rules| &rules.notes) {
            lines.push(format!("note: {note}"));
        }
        let window =
            request.model.as_deref().and_then(|model| Models::bundled().find(model).model.context_window);
        lines.push(match window {
            Some(window) => {
                let used = percent(self.total(), window);
                format!("context window: {used} of {} are in use before the answer.", count(window, "token"))
            }
            None => "context window: that of the model is not known.".to_owned(),
        });
        lines.push("note: this is the first request; what later turns add is not known. Counts of tokens are estimates of the text.".to_owned());
        lines
    }
}

fn table(last: &str) -> TextTable<4> {
    TextTable::headed(["≈tokens", "share", "bytes", last]).right(&[0, 1, 2])
}

fn percent(part: usize, whole: usize) -> String {
    match part * 1000 / whole.max(1) {
        0 if part > 0 => "<0.1%".to_owned(),
        0 => String::new(),
        tenths => format!("{}.{}%", tenths / 10, tenths % 10),
    }
}

/// Returns the name of an agent for people.
fn title(agent: &str) -> String {
    find(agent).map_or_else(|| one_line(agent), |agent: &Agent| agent.title.clone())
}

/// Names a source.
pub fn label(agent: &str, source: &Source) -> String {
    let names: Vec<String> = source.names.iter().map(|name| one_line(name)).collect();
    let same = if names.len() > 1 { " (the same text)" } else { "" };
    let names = format!("{}{same}", listed(&names));
    match source.kind {
        SourceKind::File | SourceKind::Skill => names,
        SourceKind::Hook => format!("hook {names}"),
        SourceKind::Server => format!("MCP server {names}"),
        SourceKind::Environment => "environment".to_owned(),
        SourceKind::Arguments => "your arguments".to_owned(),
        SourceKind::Message => "your message".to_owned(),
        SourceKind::Agent => format!("{}'s own", title(agent)),
        SourceKind::Syntax => "JSON".to_owned(),
    }
}

fn shown(tokens: usize) -> Cell {
    if tokens == 0 { "".into() } else { number(tokens).into() }
}

fn fitted(text: &str, columns: Option<usize>, indent: usize) -> String {
    match columns {
        Some(columns) => short_middle(text, columns.saturating_sub(BEFORE + indent).max(16)).into_owned(),
        None => text.to_owned(),
    }
}

/// Shows which source a text, a part or a byte of the body has, each as it is printed here, too.
pub fn at(capture: &Capture, request: &CapturedRequest, wanted: &str) -> Option<String> {
    let body = &request.body;
    let offset = wanted.rsplit("byte ").next().unwrap_or(wanted).replace(',', "");
    let starts: Vec<usize> = match offset.parse::<usize>() {
        Ok(offset) => vec![offset],
        Err(_) => {
            let json = serde_json::to_string(wanted).unwrap_or_default();
            let json = json.get(1..json.len() - 1).unwrap_or_default();
            let needles = if json == wanted { vec![wanted] } else { vec![json, wanted] };
            let parts =
                request.items.iter().filter(|item| item.place == wanted).map(|item| item.range().start);
            let texts = needles.into_iter().flat_map(|needle| body.match_indices(needle).map(|(at, _)| at));
            parts.chain(texts).collect()
        }
    };
    let mut out = String::new();
    for row in request.partition() {
        let Some(start) = starts.iter().copied().find(|start| row.range.contains(start)) else { continue };
        let item = request.items.iter().find(|item| item.range().contains(&row.range.start));
        let place = item.map_or("between the values", |item| item.place.as_str());
        let (bold, dim) = (style::BOLD, style::DIM);
        let is_border = |at: &usize| body.is_char_boundary(*at);
        let from =
            (row.range.start..=start).rev().filter(is_border).take(31).last().unwrap_or(row.range.start);
        let to = (start + 1..=row.range.end).filter(is_border).take(60).last().unwrap_or(row.range.end);
        let _ = writeln!(
            out,
            "{bold}{}{bold:#}  {place}, byte {}\n  {dim}{}{dim:#}",
            label(&capture.agent, &row.source),
            number(start),
            one_line(&body[from..to]),
        );
    }
    (!out.is_empty()).then_some(out)
}
