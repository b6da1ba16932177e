//! Render: from an outline and facts to a draft in which each range of output knows its source span.
//!
//! Like compose it is a resumable machine: [`Render::step`] either finishes or names the one fact that it needs next,
//! and goes on exactly where it stopped. Inserted values are inert: they are emitted, never scanned for tags.

mod watch;

use crate::{
    compose::Step,
    diagnostic::{Diagnostic, Diagnostics, Place},
    draft::{Absent, AbsentReason, Draft, DraftPart, behead_spans, push_span, truncate_spans},
    fact::{FactKey, Facts, Stability},
    lint::forged::neutralise,
    origin::{Origin, Piece, Span},
    outline::{Outline, Plan, PlanItem},
    profile::{OwnTags, TemplateLimits},
    scope::Scope,
    section::{Language, Trim},
    template::{Cursor, Looked, Lookup, Options, Progress, Sink, Template, TemplateError, trim},
};
use std::{borrow::Cow, cell::Cell, collections::BTreeMap, collections::VecDeque, fmt, ops::Range};
use watch::Watch;

/// A text that cannot be rendered, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderError {
    /// The error as a note with file, line and column.
    pub diagnostic: Box<Diagnostic>,
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diagnostic.message)
    }
}

impl std::error::Error for RenderError {}

/// What rendering may do, from the profile.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The template language's switches and limits.
    pub template: Options,
    /// The fact types whose values have forged structure escaped.
    pub escape: Vec<String>,
    /// The engine's own tags, for texts that are watched.
    pub own_tags: OwnTags,
}

impl Rules {
    /// Reads the rules off a profile's keys.
    #[must_use]
    pub fn new(limits: &TemplateLimits, escape: &[String]) -> Self {
        let some = |limit: usize| (limit > 0).then_some(limit);
        Rules {
            template: Options {
                raw: limits.raw,
                trim_tag_lines: limits.trim_tag_lines,
                max_depth: some(limits.max_depth),
                max_bytes: some(limits.max_bytes),
            },
            escape: escape.to_vec(),
            own_tags: OwnTags::default(),
        }
    }

    /// Sets the tags that watched texts must not imitate.
    #[must_use]
    pub fn with_own_tags(self, own_tags: &OwnTags) -> Self {
        Rules { own_tags: own_tags.clone(), ..self }
    }

    /// Escapes forged structure in a value of `kind`, where the profile names it.
    fn guard<'t>(
        &self,
        kind: &str,
        key: &FactKey,
        text: &'t str,
        diagnostics: &mut Diagnostics,
    ) -> Cow<'t, str> {
        if !self.escape.iter().any(|escaped| escaped == kind) {
            return Cow::Borrowed(text);
        }
        let safe = neutralise(text);
        if let Cow::Owned(_) = &safe {
            diagnostics.push(Diagnostic::warning(
                "forged/escaped",
                format!("the value of `{key}` imitates the structure of a prompt; it was escaped"),
            ));
        }
        safe
    }
}

/// The render stage.
#[derive(Debug)]
pub struct Render<'w> {
    rules: Rules,
    watch: Watch,
    /// The parts of the draft that are watched, with what they were made of.
    watched: Vec<(usize, Vec<PlanItem<'w>>)>,
    waiting: VecDeque<Plan<'w>>,
    current: Option<PartRender<'w>>,
    draft: Draft,
}

impl<'w> Render<'w> {
    /// Takes an outline.
    #[must_use]
    pub fn new(outline: Outline<'w>, rules: Rules) -> Self {
        let tags = rules.own_tags.watched(&outline.plans);
        Render {
            watch: Watch { tags, neutralise: rules.own_tags.neutralise },
            watched: Vec::new(),
            rules,
            waiting: outline.plans.into(),
            current: None,
            draft: Draft { parts: Vec::new(), absent: outline.absent },
        }
    }

    /// Goes on until a fact is missing or the draft is done.
    ///
    /// # Errors
    /// A template that is nested too deeply or too large; with its place.
    pub fn step(&mut self, facts: &Facts, diagnostics: &mut Diagnostics) -> Result<Step<Draft>, RenderError> {
        loop {
            let mut part = match self.current.take() {
                Some(part) => part,
                None => match self.waiting.pop_front() {
                    Some(plan) => PartRender::new(plan, &self.rules)?,
                    None => {
                        watch::headings(&self.draft.parts, &self.watched, diagnostics);
                        return Ok(Step::Done(std::mem::take(&mut self.draft)));
                    }
                },
            };
            match part.step(facts, &self.rules, &self.watch, diagnostics)? {
                Some(key) => {
                    self.current = Some(part);
                    return Ok(Step::Need(key));
                }
                None => self.finish(part),
            }
        }
    }

    fn finish(&mut self, part: PartRender<'w>) {
        let Joined { plan, mut rendered, blank, volatility } = part.join();
        if !plan.keep_blank && blank {
            self.draft.absent.push(Absent {
                section: plan.section,
                reason: AbsentReason::Empty,
                why: "it came out empty".to_owned(),
            });
            return;
        }
        if plan.trim != Trim::None {
            let end = rendered.text.trim_end_matches(['\n', '\r']).len();
            rendered.truncate(end);
        }
        if plan.trim == Trim::Both {
            let gone = rendered.text.len() - rendered.text.trim_start_matches(['\n', '\r']).len();
            rendered.behead(gone);
        }
        if plan.watch_tags {
            self.watched.push((self.draft.parts.len(), plan.items));
        }
        self.draft.parts.push(DraftPart {
            section: plan.section,
            provider: plan.provider,
            audit_id: plan.audit_id,
            text: rendered.text,
            spans: rendered.spans,
            stability: plan.stability.unwrap_or(volatility),
            priority: plan.priority,
            max_tokens: plan.max_tokens,
            cut: plan.cut,
            last: plan.last,
            cuts: Vec::new(),
        });
    }
}

/// A text with spans that tile it.
#[derive(Clone, Debug, Default)]
struct Rendered {
    text: String,
    spans: Vec<Span>,
}

impl Rendered {
    fn push(&mut self, text: &str, origin: Origin) {
        push_span(&mut self.text, &mut self.spans, text, origin);
    }

    fn append(&mut self, other: &Rendered) {
        for span in &other.spans {
            self.push(&other.text[span.range.clone()], span.origin.clone());
        }
    }

    fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        truncate_spans(&mut self.spans, len);
    }

    fn behead(&mut self, len: usize) {
        self.text.drain(..len);
        behead_spans(&mut self.spans, len);
    }
}

/// One part on its way: a list of small jobs, each with an output of its own.
#[derive(Debug)]
struct PartRender<'w> {
    plan: Plan<'w>,
    jobs: Vec<Job<'w>>,
    at: usize,
    cursor: Cursor,
    done: Vec<Rendered>,
    volatility: Stability,
}

/// One text to be rendered.
#[derive(Debug)]
struct Job<'w> {
    role: Role,
    text: Ready<'w>,
}

/// A text that has been looked at.
#[derive(Clone, Debug)]
enum Ready<'w> {
    /// No tags in it, or none wanted.
    Plain(Cow<'w, [Piece]>),
    /// A parsed template, the pieces that its text is made of, and who wrote them.
    Parsed(std::rc::Rc<(Template, Vec<Piece>, Option<Scope>)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Prefix,
    /// The content of an item.
    Content(usize),
    /// The form around an item; its content is the job before.
    Form(usize),
    Between,
    Suffix,
}

impl<'w> PartRender<'w> {
    fn new(plan: Plan<'w>, rules: &Rules) -> Result<Self, RenderError> {
        let mut jobs = Vec::new();
        let one = |piece: &Piece| ready(Cow::Owned(vec![piece.clone()]), Language::Template, rules);
        for prefix in &plan.prefix {
            jobs.push(Job { role: Role::Prefix, text: one(prefix)? });
        }
        let form = plan.item.as_deref().map(one).transpose()?;
        for (at, item) in plan.items.iter().enumerate() {
            jobs.push(Job {
                role: Role::Content(at),
                text: ready(item.pieces.clone(), item.language, rules)?,
            });
            if let Some(form) = &form {
                jobs.push(Job { role: Role::Form(at), text: form.clone() });
            }
        }
        if let (Some(between), true) = (&plan.between, plan.items.len() > 1) {
            jobs.push(Job { role: Role::Between, text: one(between)? });
        }
        for suffix in &plan.suffix {
            jobs.push(Job { role: Role::Suffix, text: one(suffix)? });
        }
        let done = vec![Rendered::default(); jobs.len()];
        Ok(PartRender { plan, jobs, at: 0, cursor: Cursor::default(), done, volatility: Stability::Static })
    }

    fn step(
        &mut self,
        facts: &Facts,
        rules: &Rules,
        watch: &Watch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<FactKey>, RenderError> {
        let watch = Some(watch).filter(|_| self.plan.watch_tags);
        while let Some(job) = self.jobs.get(self.at) {
            match &job.text {
                Ready::Plain(pieces) => {
                    for piece in pieces.iter() {
                        let text = match &piece.origin {
                            Origin::Fact { key, .. } => {
                                rules.guard(key.kind(), key, &piece.text, diagnostics)
                            }
                            _ => Cow::Borrowed(piece.text.as_str()),
                        };
                        self.done[self.at].push(&text, piece.origin.clone());
                    }
                }
                Ready::Parsed(parsed) => {
                    let (template, pieces, by) = parsed.as_ref();
                    let (before, here) = self.done.split_at_mut(self.at);
                    let item = match job.role {
                        Role::Form(at) => {
                            Some((&self.plan.items[at], before.last().map_or(EMPTY, |done| done)))
                        }
                        _ => None,
                    };
                    let item_facts = item.map(|(item, content)| (&item.facts, content));
                    let scope =
                        Known { facts, by: *by, item: item_facts, volatility: Cell::new(self.volatility) };
                    let mut sink = Writer {
                        template: template.text(),
                        pieces,
                        rules,
                        watch,
                        diagnostics,
                        out: &mut here[0],
                        item: item.map(|(item, _)| item),
                        piece: 0,
                        piece_start: 0,
                        over: None,
                    };
                    let progress = template.resume(&mut self.cursor, &scope, &mut sink);
                    self.volatility = scope.volatility.get();
                    if let Some(tag) = sink.over.take() {
                        let what = format!("what comes out has more than the {RENDERED_LIMIT} bytes allowed");
                        return Err(stopped("template/too-large", what, pieces, template.text(), tag));
                    }
                    if let Progress::Need(key) = progress {
                        return Ok(Some(key.asked_by(*by).into_owned()));
                    }
                }
            }
            if let (Some(watch), Role::Content(item)) = (watch, job.role) {
                watch.text(&mut self.done[self.at], &self.plan.items[item].pieces, diagnostics);
            }
            self.at += 1;
            self.cursor = Cursor::default();
        }
        Ok(None)
    }

    /// Puts prefix, items and suffix together.
    fn join(self) -> Joined<'w> {
        let PartRender { plan, jobs, done, volatility, .. } = self;
        let formed = plan.item.is_some();
        let between = jobs.iter().position(|job| job.role == Role::Between).map(|at| &done[at]);
        let mut out = Rendered::default();
        let mut items = 0;
        let mut body = 0;
        let mut blank = true;
        for (job, rendered) in jobs.iter().zip(&done) {
            match job.role {
                Role::Between => {}
                Role::Content(_) if formed => {}
                Role::Content(_) | Role::Form(_) => {
                    if items > 0 {
                        if plan.seam {
                            let end = body + out.text[body..].trim_end_matches(['\n', '\r']).len();
                            out.truncate(end);
                        }
                        if let Some(between) = between {
                            out.append(between);
                        }
                    }
                    body = out.text.len();
                    if plan.seam && items > 0 {
                        let mut rest = rendered.clone();
                        rest.behead(rest.text.len() - rest.text.trim_start_matches(['\n', '\r']).len());
                        out.append(&rest);
                    } else {
                        out.append(rendered);
                    }
                    items += 1;
                    blank &= trim(&rendered.text).is_empty();
                }
                Role::Prefix | Role::Suffix => out.append(rendered),
            }
        }
        Joined { plan, rendered: out, blank, volatility }
    }
}

/// A part put together. `blank` speaks of its items alone: a frame around nothing is nothing.
struct Joined<'w> {
    plan: Plan<'w>,
    rendered: Rendered,
    blank: bool,
    volatility: Stability,
}

const EMPTY: &Rendered = &Rendered { text: String::new(), spans: Vec::new() };

fn ready<'w>(pieces: Cow<'w, [Piece]>, language: Language, rules: &Rules) -> Result<Ready<'w>, RenderError> {
    let tagged = language == Language::Template && pieces.iter().any(|piece| piece.text.contains('['));
    let over = rules
        .template
        .max_bytes
        .is_some_and(|max| pieces.iter().map(|piece| piece.text.len()).sum::<usize>() > max);
    if language == Language::Verbatim || !(tagged || over) {
        return Ok(Ready::Plain(pieces));
    }
    let text: String = match pieces.as_ref() {
        [one] => one.text.clone(),
        many => many.iter().map(|piece| piece.text.as_str()).collect(),
    };
    let template =
        Template::parse(text.as_str(), &rules.template).map_err(|error| refused(&error, &pieces, &text))?;
    // A text that a project wrote in part is a project's text.
    let by = pieces.iter().filter_map(|piece| piece.origin.scope()).max();
    Ok(Ready::Parsed(std::rc::Rc::new((template, pieces.into_owned(), by))))
}

/// The most that a template may come out as, where templates have a limit at all: a short one can name a large file
/// many times.
const RENDERED_LIMIT: usize = 64 << 20;

fn refused(error: &TemplateError, pieces: &[Piece], text: &str) -> RenderError {
    stopped(error.code(), error.to_string(), pieces, text, error.position().range.clone())
}

fn stopped(code: &str, what: String, pieces: &[Piece], text: &str, range: Range<usize>) -> RenderError {
    let (scope, path) = match pieces.first().map(|piece| &piece.origin) {
        Some(origin @ Origin::Source { source, .. }) => (origin.scope(), source.path.clone()),
        Some(other) => (None, other.to_string()),
        None => (None, String::new()),
    };
    let diagnostic = Diagnostic::error(code, what)
        .at(Place::within(scope, path, text, range))
        .help("raise the limit (`--set template.maxDepth=0`, `--set template.maxBytes=0` mean none) or make the template smaller");
    RenderError { diagnostic: Box::new(diagnostic) }
}

/// A value on its way into the text.
enum Value<'a> {
    Fact { text: &'a str, source: &'a str },
    Item { text: &'a str },
    Content(&'a Rendered),
}

/// The facts, as one text may see them.
struct Known<'a> {
    facts: &'a Facts,
    /// Who wrote the text.
    by: Option<Scope>,
    item: Option<(&'a BTreeMap<String, String>, &'a Rendered)>,
    /// The most volatile fact that was read or tested.
    volatility: Cell<Stability>,
}

impl<'a> Lookup for Known<'a> {
    type Value = Value<'a>;

    fn get(&self, key: &FactKey) -> Looked<Value<'a>> {
        if let (Some((facts, content)), "item") = (self.item, key.kind()) {
            return match key.name() {
                "text" => Looked::Value(Value::Content(content)),
                name => facts.get(name).map_or(Looked::Absent, |text| Looked::Value(Value::Item { text })),
            };
        }
        match self.facts.get(&key.asked_by(self.by)) {
            None => Looked::Unknown,
            Some(fact) => {
                self.volatility.set(self.volatility.get().max(fact.stability));
                match &fact.value {
                    None => Looked::Absent,
                    Some(text) => Looked::Value(Value::Fact { text, source: &fact.source }),
                }
            }
        }
    }
}

struct Writer<'a> {
    template: &'a str,
    pieces: &'a [Piece],
    rules: &'a Rules,
    watch: Option<&'a Watch>,
    diagnostics: &'a mut Diagnostics,
    out: &'a mut Rendered,
    item: Option<&'a PlanItem<'a>>,
    /// The piece that the last literal ended in, and where that piece starts.
    piece: usize,
    piece_start: usize,
    /// The tag at which the output became too large.
    over: Option<Range<usize>>,
}

impl Sink<Value<'_>> for Writer<'_> {
    fn literal(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let Some(piece) = self.pieces.get(self.piece) else { return };
            let end = self.piece_start + piece.text.len();
            if at >= end {
                self.piece_start = end;
                self.piece += 1;
                continue;
            }
            let to = range.end.min(end);
            let within = at - self.piece_start..to - self.piece_start;
            self.out.push(&self.template[at..to], piece.origin.part(&within));
            at = to;
        }
    }

    fn value(&mut self, tag: Range<usize>, key: &FactKey, value: Value<'_>) {
        if self.out.text.len() > RENDERED_LIMIT && self.rules.template.max_bytes.is_some() {
            self.over.get_or_insert(tag);
            return;
        }
        match value {
            Value::Content(content) => self.out.append(content),
            Value::Item { text } => {
                let named = |name: &str| self.item.and_then(|item| item.facts.get(name));
                let source = named("path").or_else(|| named("name")).map_or("item", String::as_str);
                // What a tool says of itself is an `item:` here, and a tool's value all the same.
                let kind = match self.item.and_then(|item| item.pieces.first()).map(|piece| &piece.origin) {
                    Some(Origin::Fact { key, .. }) => key.kind(),
                    _ => key.kind(),
                };
                let mut text = self.rules.guard(kind, key, text, self.diagnostics);
                if let Some(watch) = self.watch {
                    // The frame says where the value stands.
                    let in_attribute = self.template[..tag.start].ends_with("=\"");
                    let of = self.item.and_then(|item| item.pieces.first()).map(|piece| &piece.origin);
                    let safe = watch.value(&text, key, of, in_attribute, self.diagnostics).into_owned();
                    text = Cow::Owned(safe);
                }
                self.out.push(&text, Origin::Fact { key: key.clone(), source: source.into() });
            }
            Value::Fact { text, source } => {
                let text = self.rules.guard(key.kind(), key, text, self.diagnostics);
                self.out.push(&text, Origin::Fact { key: key.clone(), source: source.into() });
            }
        }
    }
}
