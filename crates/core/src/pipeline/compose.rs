//! Compose: the only stage that merges fragments. It decides which text is used in each section, and records which texts it
//! replaced.

mod merge;

use crate::{
    condition::ConditionResult,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    layer::Layer,
    origin::{Origin, Piece},
    pipeline::{
        draft::{Absent, AbsentReason},
        outline::{ItemVariables, Outline, Plan, PlanItem},
    },
    profile::{ReplacementRule, ReplacementSource, SectionFrame, SectionGroup},
    scope::Scope,
    section::{
        CutRule, DEFAULT_PRIORITY, Language, ListName, Override, ProviderName, Section, SectionBody,
        SectionId, SectionMeta, ToolLineSource,
    },
    snapshot::{Contribution, Snapshot},
    suggestion::did_you_mean,
    template::trim,
    trust::Trust,
    turn::{Tool, one_line},
    variable::{
        VariableKey,
        source::{MissingVariable, Variables},
    },
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Decides which text is used in each section of a snapshot.
///
/// # Errors
/// A condition has a variable that is not known.
pub fn compose<'w>(
    snapshot: &'w Snapshot,
    variables: &mut Variables<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Outline<'w>, MissingVariable> {
    let mut compose = Composer::new(snapshot, diagnostics);
    for SectionSlot { section, scope } in std::mem::take(&mut compose.slots) {
        let verdict = match &section.when {
            Some(when) => when.decide(&mut |test| variables.holds(test, scope, diagnostics))?,
            None => ConditionResult::Holds,
        };
        match verdict {
            ConditionResult::Fails(why) => compose.leave(section.id, AbsentReason::Condition, why),
            ConditionResult::Holds => {
                let guidelines = match section.body {
                    SectionBody::List(ListName::Guidelines) => guidelines(snapshot, variables, diagnostics)?,
                    _ => Vec::new(),
                };
                compose.plan(section, guidelines);
            }
        }
    }
    Ok(compose.outline)
}

/// Returns the problems of the sections that files and settings name, without rendering one.
#[must_use]
pub fn check_sections(snapshot: &Snapshot) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    Composer::new(snapshot, &mut diagnostics);
    diagnostics.retain(|diagnostic| diagnostic.severity >= Severity::Warning);
    diagnostics
}

/// The sections of one snapshot on their way into the outline.
#[derive(Debug)]
struct Composer<'w> {
    snapshot: &'w Snapshot,
    contributions: BTreeMap<(&'w SectionId, &'w ProviderName), &'w Contribution>,
    slots: Vec<SectionSlot>,
    outline: Outline<'w>,
}

/// A section on its way into the outline.
#[derive(Debug)]
struct SectionSlot {
    section: Section,
    /// The scope that set the condition, if it is not the profile's.
    scope: Option<Scope>,
}

impl SectionSlot {
    fn of(section: Section) -> Self {
        SectionSlot { section, scope: None }
    }
}

impl<'w> Composer<'w> {
    /// Lays layers and settings over the profile's sections. What is wrong in them becomes a diagnostic.
    fn new(snapshot: &'w Snapshot, diagnostics: &mut Diagnostics) -> Self {
        let mut compose = Composer {
            snapshot,
            contributions: snapshot
                .contributions
                .iter()
                .map(|contribution| ((&contribution.section, &contribution.provider), contribution))
                .collect(),
            slots: snapshot.profile.sections.iter().cloned().map(SectionSlot::of).collect(),
            outline: Outline::default(),
        };
        if let Some(custom) = &snapshot.system_prompt.custom {
            compose.replace_all(custom, diagnostics);
            return compose;
        }
        for id in &snapshot.profile.unordered {
            let why = match snapshot.turn.agent {
                Some(_) => "it is no part of an agent's prompt",
                None => "the chosen order leaves it out",
            };
            compose.leave(id.clone(), AbsentReason::Unordered, why.to_owned());
        }
        for group in &snapshot.profile.groups {
            compose.replace_group(group, diagnostics);
        }
        for layer in &snapshot.stack.0 {
            compose.layer_sections(layer, diagnostics);
        }
        for over in &snapshot.overrides {
            compose.setting(over, diagnostics);
        }
        compose.leave_removed();
        compose.merge();
        match (&snapshot.system_prompt.append, &snapshot.profile.append_id) {
            (Some(append), _) => compose.append(append),
            (None, Some(id)) if snapshot.turn.agent.is_none() => {
                let why = "`systemPrompt.append` is not set".to_owned();
                compose.leave(id.clone(), AbsentReason::NoText, why);
            }
            (None, _) => {}
        }
        compose
    }

    /// One text behind everything.
    fn append(&mut self, append: &Piece) {
        let id = self.snapshot.profile.append_id.as_ref().map_or("systemPrompt.append", SectionId::as_str);
        let mut section = verbatim_section(id, append);
        section.prefix.clone_from(&self.snapshot.profile.added_prefix);
        self.insert(self.slots.len(), section);
    }

    /// Replaces all sections by one text.
    fn replace_all(&mut self, custom: &Piece, diagnostics: &mut Diagnostics) {
        let path = &custom.origin;
        let profile = &self.snapshot.profile;
        for id in profile.sections.iter().map(|section| &section.id).chain(&profile.unordered) {
            self.leave(
                id.clone(),
                AbsentReason::Replaced,
                format!("replaced by `systemPrompt.custom` of {path}"),
            );
        }
        self.slots = vec![SectionSlot::of(verbatim_section("systemPrompt.custom", custom))];
        let what = format!("the whole prompt is `systemPrompt.custom` of {path}");
        diagnostics.push(match custom.origin.scope() {
            Some(Scope::Project) => Diagnostic::warning(DiagnosticCode::PromptCustom, what)
                .help("this project's settings replace the profile and your own texts"),
            _ => Diagnostic::info(DiagnosticCode::PromptCustom, what),
        });
        if let Some(append) = &self.snapshot.system_prompt.append {
            if self.snapshot.system_prompt.combine {
                self.append(append);
                return;
            }
            diagnostics.push(
                Diagnostic::warning(
                    DiagnosticCode::PromptIgnored,
                    format!("`systemPrompt.append` of {} has no effect: `systemPrompt.custom` is the whole prompt", append.origin),
                )
                .help("set one of the two, or `systemPrompt.combine` to have both"),
            );
        }
    }

    /// Lists the sections that the profile removes, but for those that a layer or a setting added again.
    fn leave_removed(&mut self) {
        let profile = &self.snapshot.profile;
        for id in &profile.removed {
            if self.position(id.as_str()).is_none() {
                let why = format!("removed by the profile `{}`", profile.name);
                self.leave(id.clone(), AbsentReason::Disabled, why);
            }
        }
    }

    /// Returns true if a section of the profile is not part of this prompt any more.
    fn is_gone(&self, id: &str) -> bool {
        self.outline.absent.iter().any(|absent| absent.section.as_str() == id)
    }

    fn is_removed(&self, id: &str) -> bool {
        self.snapshot.profile.removed.iter().any(|removed| removed.as_str() == id)
    }

    fn leave(&mut self, section: SectionId, reason: AbsentReason, why: String) {
        self.outline.absent.push(Absent { section, reason, why });
    }

    fn position(&self, id: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.section.id.as_str() == id)
    }

    fn insert(&mut self, at: usize, section: Section) {
        self.slots.insert(at, SectionSlot::of(section));
    }

    /// A section that the profile does not know.
    fn added(&self, id: &str, pieces: Vec<Piece>) -> Section {
        let mut section = Section::new(SectionId::new(id), SectionBody::Text(pieces));
        // A frame separates by itself.
        let profile = &self.snapshot.profile;
        section.prefix = profile.added_prefix.clone().filter(|_| profile.frame.is_none());
        section
    }

    /// Returns the index for a section without a place: after `added_after` and the sections that were
    /// already added there.
    fn added_at(&self) -> usize {
        let anchor = self.snapshot.profile.added_after.as_ref().and_then(|id| self.position(id.as_str()));
        let Some(anchor) = anchor else { return self.slots.len() };
        let known = |slot: &SectionSlot| self.snapshot.profile.section(&slot.section.id).is_some();
        anchor + 1 + self.slots[anchor + 1..].iter().take_while(|slot| !known(slot)).count()
    }

    fn replace_group(&mut self, group: &SectionGroup, diagnostics: &mut Diagnostics) {
        let snapshot = self.snapshot;
        let given = group.replace.iter().any(|candidate| match candidate {
            ReplacementSource::Option(name) => snapshot.given.contains_key(name),
            ReplacementSource::File(_) | ReplacementSource::Store => false,
        });
        let mut found = group.replace.iter().filter_map(|candidate| {
            let pieces = match candidate {
                ReplacementSource::Option(name) => snapshot.given.get(name),
                ReplacementSource::File(file) => snapshot.stack.layer(file.scope)?.files.get(&file.name),
                ReplacementSource::Store => snapshot.stored.as_ref(),
            };
            Some((candidate, pieces?))
        });
        let winner = match group.win {
            ReplacementRule::Exists => found.next(),
            ReplacementRule::NonBlank => found.find(|(_, pieces)| !is_blank(pieces)),
            ReplacementRule::First => {
                let first = found.next();
                // Who gives an empty text means it.
                if let Some((candidate, pieces)) = first.filter(|_| !given) {
                    let place = file_place(candidate, snapshot);
                    let below = found.next();
                    let diagnostic = empty_file_diagnostic(&group.id, pieces, place.clone(), below.is_some());
                    let hides = || Some(hidden_source_diagnostic(&place?, &file_place(below?.0, snapshot)?));
                    diagnostics.extend(diagnostic.or_else(hides));
                }
                first.filter(|(_, pieces)| !is_empty(pieces))
            }
        };
        let Some((_, pieces)) = winner else { return };
        let is_stored = snapshot.stored.as_ref().is_some_and(|stored| std::ptr::eq(stored, pieces));
        let path = match pieces.first() {
            Some(piece) => piece.origin.to_string(),
            None if is_stored => "an empty template".to_owned(),
            None => "an empty file".to_owned(),
        };
        let places = || group.members.iter().filter_map(|id| self.position(id.as_str()));
        let first = places().min();
        let keep_blank =
            group.win == ReplacementRule::First || places().any(|at| self.slots[at].section.keep_blank);
        for id in &group.members {
            if let Some(at) = self.position(id.as_str()) {
                self.slots.remove(at);
                self.leave(id.clone(), AbsentReason::Replaced, format!("replaced by {path}"));
            }
        }
        let mut section = Section::new(group.id.clone(), SectionBody::Text(pieces.clone()));
        section.language = group.language;
        section.cut = CutRule::Never;
        section.keep_blank = keep_blank;
        section.framed = group.framed;
        self.insert(first.unwrap_or(0), section);
        // A template of a store is there to be used: no need to report it.
        if !is_stored {
            diagnostics.push(Diagnostic::info(
                DiagnosticCode::SectionReplaced,
                format!("`{}` comes from {path}", group.id),
            ));
        }
    }

    fn layer_sections(&mut self, layer: &Layer, diagnostics: &mut Diagnostics) {
        if layer.scope == Scope::Project
            && !matches!(layer.trust, Trust::Trusted | Trust::Once | Trust::Stale)
        {
            return;
        }
        for (id, pieces) in &layer.sections {
            let path = pieces
                .first()
                .map_or_else(|| format!("{}/sections/{id}.md", layer.path), |p| p.origin.to_string());
            match self.position(id) {
                Some(at) => {
                    if layer.scope == Scope::Project && !self.slots[at].section.project {
                        diagnostics.push(
                            Diagnostic::left_out(
                                Severity::Warning,
                                DiagnosticCode::SectionNotForProjects,
                                path,
                                format!("a project may not replace section `{id}`"),
                            )
                            .help("give the file another name to add a section of its own"),
                        );
                        continue;
                    }
                    self.replace(at, pieces);
                    self.slots[at].section.language = Language::Template;
                    diagnostics.push(Diagnostic::info(
                        DiagnosticCode::SectionReplaced,
                        format!("`{id}` comes from {path}"),
                    ));
                }
                None if self.is_gone(id) => diagnostics.push(not_in_order(&path, id)),
                None => {
                    let mut section = self.added(id, pieces.clone());
                    section.project = layer.scope == Scope::Project;
                    let at = self.added_at();
                    self.insert(at, section);
                }
            }
        }
    }

    fn unknown_section(&self, message: String, id: &str) -> Diagnostic {
        let diagnostic = Diagnostic::warning(DiagnosticCode::SectionUnknown, message);
        // Settings may add thousands of sections; a misspelled name is mostly one of the profile's.
        let known = self.snapshot.profile.sections.iter().map(|section| section.id.as_str());
        match did_you_mean(id, known) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    }

    fn setting(&mut self, over: &Override, diagnostics: &mut Diagnostics) {
        let known = self.position(&over.id);
        let at = match known {
            Some(at) => {
                if over.project && !self.slots[at].section.project {
                    diagnostics.push(
                        Diagnostic::warning(
                            DiagnosticCode::SectionNotForProjects,
                            format!(
                                "{} was ignored for `{}`: a project may not change that section",
                                over.source, over.id
                            ),
                        )
                        .at(over.place.clone()),
                    );
                    return;
                }
                at
            }
            None if self.is_gone(&over.id) || (over.text.is_none() && self.is_removed(&over.id)) => {
                // Off is what it is already.
                if over.disable != Some(true) {
                    diagnostics.push(not_in_order(&over.source, &over.id).at(over.place.clone()));
                }
                return;
            }
            None => {
                let Some(text) = &over.text else {
                    let message = format!("{} names an unknown section: `{}`", over.source, over.id);
                    diagnostics.push(self.unknown_section(message, &over.id).at(over.place.clone()));
                    return;
                };
                if over.disable == Some(true) {
                    return;
                }
                let mut section = self.added(&over.id, text.clone());
                section.project = over.project;
                let at = self.added_at();
                self.insert(at, section);
                at
            }
        };
        if over.disable == Some(true) {
            let slot = self.slots.remove(at);
            self.leave(slot.section.id, AbsentReason::Disabled, format!("switched off by {}", over.source));
            return;
        }
        if let Some(text) = over.text.as_ref().filter(|_| known.is_some()) {
            self.replace(at, text);
        }
        let section = &mut self.slots[at].section;
        section.language = over.language.unwrap_or(section.language);
        if over.text.is_some()
            && section.language == Language::Verbatim
            && self.snapshot.profile.frame.is_some()
        {
            // In a tag of its own a blank text can be seen, and it was given as it is.
            section.keep_blank = true;
        }
        section.priority = over.priority.unwrap_or(section.priority);
        if over.project && section.priority > DEFAULT_PRIORITY {
            // Else it could push the user's own texts out of a tight budget.
            section.priority = DEFAULT_PRIORITY;
            let message = format!(
                "{} gives `{}` a priority above {DEFAULT_PRIORITY}, which a project may not; it has {DEFAULT_PRIORITY}",
                over.source, over.id
            );
            diagnostics.push(
                Diagnostic::warning(DiagnosticCode::SectionNotForProjects, message).at(over.place.clone()),
            );
        }
        section.max_tokens = over.max_tokens.or(section.max_tokens);
        section.stability = over.stability.or(section.stability);
        if over.when.is_some() {
            section.when.clone_from(&over.when);
            self.slots[at].scope = over.project.then_some(Scope::Project);
        }
        for (anchor, shift) in [(&over.after, 1), (&over.before, 0)] {
            let Some(anchor) = anchor else { continue };
            let Some(now) = self.position(&over.id) else { continue };
            if anchor == &over.id || self.position(anchor).is_none() {
                let places = format!("{} places `{}` next to", over.source, over.id);
                let diagnostic = match self.is_gone(anchor) || self.is_removed(anchor) {
                    true => Diagnostic::warning(
                        DiagnosticCode::SectionNotInOrder,
                        format!("{places} `{anchor}`, which is not part of this prompt"),
                    )
                    .help(Remedy::command("see why", "explain --absent")),
                    false => self.unknown_section(format!("{places} an unknown section: `{anchor}`"), anchor),
                };
                diagnostics.push(diagnostic.at(over.place.clone()));
                continue;
            }
            let slot = self.slots.remove(now);
            let target = self.position(anchor).map_or(now, |at| at + shift);
            self.slots.insert(target, slot);
        }
        if known.is_none() && self.position(&over.id) == Some(0) {
            // The separator is needed behind the first text, not before it.
            let section = &mut self.slots[0].section;
            section.suffix = section.prefix.take();
        }
    }

    /// Gives a section of the profile another text. What framed the old one goes with it, but for the separator in a profile
    /// whose sections bring theirs themselves.
    fn replace(&mut self, at: usize, text: &[Piece]) {
        let profile = &self.snapshot.profile;
        let own_separators = profile.added_prefix.is_some() && profile.frame.is_none();
        let section = &mut self.slots[at].section;
        let separator = separator(section).filter(|_| own_separators);
        section.body = SectionBody::Text(text.to_vec());
        section.intro = None;
        section.prefix = separator;
        section.suffix = None;
        section.item = None;
        section.between = None;
    }

    fn plan(&mut self, section: Section, guidelines: Vec<Piece>) {
        let contribution = match &section.body {
            SectionBody::Fill(provider) => self.contributions.get(&(&section.id, provider)).copied(),
            _ => None,
        };
        let mut items = match &section.body {
            SectionBody::Text(pieces) => {
                vec![PlanItem::new(Cow::Owned(pieces.clone()), section.language)]
            }
            SectionBody::List(ListName::Tools) => tools(&section, self.snapshot),
            SectionBody::List(ListName::Guidelines) => guidelines.into_iter().map(line).collect(),
            SectionBody::Fill(_) => contribution.map(contribution_items).unwrap_or_default(),
        };
        let mut wraps = true;
        if items.is_empty() {
            match &section.empty {
                Some(empty) => {
                    wraps = false;
                    items.push(PlanItem::new(Cow::Owned(vec![empty.clone()]), Language::Template));
                }
                None => {
                    let why = contribution
                        .and_then(|contribution| contribution.silent.clone())
                        .unwrap_or_else(|| silence(&section.body));
                    self.leave(section.id, AbsentReason::NoText, why);
                    return;
                }
            }
        }
        let provider = match &section.body {
            SectionBody::Fill(provider) => Some(provider.clone()),
            _ => None,
        };
        let audit_id = provider.as_ref().map(|provider| {
            contribution
                .and_then(|contribution| contribution.id.clone())
                .unwrap_or_else(|| provider.as_str().to_owned())
        });
        let frame = self.snapshot.profile.frame.as_ref().filter(|_| section.framed);
        let framed =
            |piece: fn(&SectionFrame) -> &Piece| frame.map(|frame| frame_piece(piece(frame), &section.id));
        let (before, behind) = (framed(|frame| &frame.prefix), framed(|frame| &frame.suffix));
        let is_framed = section.item.is_none() && self.snapshot.system_prompt.custom.is_none();
        let project_item = self.snapshot.profile.project_item.as_ref();
        let project_item =
            project_item.filter(|_| is_framed && items.iter().any(PlanItem::is_of_project)).cloned();
        let meta = SectionMeta {
            id: section.id,
            provider,
            audit_id,
            stability: contribution.and_then(|contribution| contribution.stability).or(section.stability),
            priority: contribution.and_then(|contribution| contribution.priority).unwrap_or(section.priority),
            max_tokens: contribution.and_then(|contribution| contribution.max_tokens).or(section.max_tokens),
            unread: contribution.map_or(0, |contribution| contribution.unread),
            cut: section.cut,
            last: section.last,
            place: section.place,
        };
        self.outline.plans.push(Plan {
            meta: meta.into(),
            prefix: before.into_iter().chain(section.intro).chain(section.prefix).collect(),
            items,
            item: section.item.filter(|_| wraps),
            project_item,
            between: section.between,
            seam: section.seam,
            suffix: section.suffix.into_iter().chain(behind).collect(),
            trim: section.trim,
            keep_blank: section.keep_blank,
            watch_tags: section.watch_tags,
            event: None,
        });
    }
}

/// Returns the profile's guidelines whose conditions hold, then those of the tools and the turn, then those that come
/// last. Equal texts count once.
fn guidelines(
    snapshot: &Snapshot,
    variables: &mut Variables<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Piece>, MissingVariable> {
    let mut found: Vec<Piece> = Vec::new();
    let mut last = Vec::new();
    for line in &snapshot.profile.guidelines {
        let holds = match &line.when {
            Some(when) => when.holds(&mut |test| variables.holds(test, None, diagnostics))?,
            None => true,
        };
        if holds {
            let list = if line.last { &mut last } else { &mut found };
            list.push(line.text.clone());
        }
    }
    let mut add = |text: &str, origin: &dyn Fn(String) -> Piece| {
        let text = trim(text);
        if !text.is_empty() {
            found.push(origin(text.to_owned()));
        }
    };
    for tool in &snapshot.turn.tools {
        for text in &tool.guidelines {
            add(text, &|text| tool_piece(tool, "guideline", text));
        }
    }
    for text in &snapshot.turn.guidelines {
        add(text, &|text| Piece { text, origin: Origin::Caller { flag: "guidelines".into() } });
    }
    found.append(&mut last);
    let mut seen = BTreeSet::new();
    Ok(found.iter().filter(|piece| seen.insert(piece.text.as_str())).cloned().collect())
}

/// Returns the line ends that a section begins with.
fn separator(section: &Section) -> Option<Piece> {
    let body = match &section.body {
        SectionBody::Text(pieces) => pieces.first(),
        _ => None,
    };
    let first = section.intro.as_ref().or(section.prefix.as_ref()).or(body)?;
    let text: String = first.text.chars().take_while(|char| *char == '\n').collect();
    Some(Piece { text, origin: first.origin.clone() }).filter(|piece| !piece.text.is_empty())
}

/// A guideline as an item.
fn line<'w>(piece: Piece) -> PlanItem<'w> {
    PlanItem { rank: Some(0), ..PlanItem::new(Cow::Owned(vec![piece]), Language::Verbatim) }
}

/// Builds a section of one text, as it is and not to be cut, after all others.
fn verbatim_section(id: &str, text: &Piece) -> Section {
    let mut section = Section::new(SectionId::new(id), SectionBody::Text(vec![text.clone()]));
    section.language = Language::Verbatim;
    section.keep_blank = true;
    section.cut = CutRule::Never;
    section.last = true;
    section.framed = false;
    section
}

fn not_in_order(source: &str, id: &str) -> Diagnostic {
    Diagnostic::warning(
        DiagnosticCode::SectionNotInOrder,
        format!("{source} has no effect: section `{id}` is not part of this prompt"),
    )
    .help(Remedy::command("see why", "explain --absent"))
}

fn contribution_items(contribution: &Contribution) -> Vec<PlanItem<'_>> {
    contribution
        .items
        .iter()
        .map(|item| PlanItem {
            variables: ItemVariables::Given(&item.variables),
            rank: item.rank,
            ..PlanItem::new(Cow::Borrowed(item.pieces.as_slice()), item.language)
        })
        .collect()
}

/// Returns the place of a candidate that is a file.
fn file_place(candidate: &ReplacementSource, snapshot: &Snapshot) -> Option<Place> {
    let file = candidate.file()?;
    let layer = snapshot.stack.layer(file.scope)?;
    Some(Place::file(Some(file.scope), format!("{}/{}", layer.path, file.name)))
}

/// Reports a file that is not used because another one of its name is.
#[must_use]
pub fn hidden_source_diagnostic(by: &Place, hidden: &Place) -> Diagnostic {
    let why = format!("{} is used in its place", by.path);
    Diagnostic::left_out(Severity::Info, DiagnosticCode::SourceHidden, &hidden.path, why).at(hidden.clone())
}

/// Returns a text of the frame for one section.
fn frame_piece(piece: &Piece, id: &SectionId) -> Piece {
    Piece { text: piece.text.replace("[section:id]", id.as_str()), origin: piece.origin.clone() }
}

fn tools<'w>(section: &Section, snapshot: &'w Snapshot) -> Vec<PlanItem<'w>> {
    let builtin = &snapshot.profile.tool_texts;
    // Only values that the frame of an item uses are built.
    let frame = section.item.as_ref().map(|item| item.text.as_str());
    let uses = |name: &str| {
        frame.map_or(name == "text", |frame| {
            frame.match_indices("item:").any(|(at, _)| frame[at + 5..].starts_with(name))
        })
    };
    let line = |tool: &'w Tool| -> Option<Cow<'w, str>> {
        section.line.iter().find_map(|source| match source {
            ToolLineSource::Snippet => tool.snippet.as_deref().map(Cow::Borrowed),
            ToolLineSource::Builtin => builtin.get(&tool.name)?.snippet.as_deref().map(Cow::Borrowed),
            ToolLineSource::Description => {
                Some(one_line(tool.description.as_deref()?)).filter(|line| !line.is_empty())
            }
            ToolLineSource::Name => Some(Cow::Borrowed(tool.name.as_str())),
        })
    };
    snapshot
        .turn
        .tools
        .iter()
        .filter(|tool| !tool.is_of_server())
        .map(|tool| (tool, line(tool)))
        .filter(|(_, line)| !section.skip_without_line || line.as_ref().is_some_and(|line| !line.is_empty()))
        .map(|(tool, line)| {
            let mut variables: Vec<(&'static str, Cow<'w, str>)> = Vec::with_capacity(4);
            variables.push(("name", Cow::Borrowed(tool.name.as_str())));
            variables.extend(line.map(|line| ("line", line)));
            if uses("snippet") {
                variables.extend(tool.line().map(|line| ("snippet", Cow::Owned(line))));
            }
            if uses("description") {
                variables
                    .extend(tool.description.as_deref().map(|text| ("description", Cow::Borrowed(text))));
            }
            let pieces = match uses("text") {
                true => vec![tool_piece(tool, "name", tool.name.clone())],
                false => Vec::new(),
            };
            PlanItem {
                variables: ItemVariables::Made(variables),
                rank: Some(tool.scope.map_or(u32::MAX, Scope::entry_rank)),
                ..PlanItem::new(Cow::Owned(pieces), Language::Verbatim)
            }
        })
        .collect()
}

fn tool_piece(tool: &Tool, what: &str, text: String) -> Piece {
    let source = tool.source.as_deref().unwrap_or("--tools");
    Piece {
        text,
        origin: Origin::Variable {
            key: VariableKey::new("tool", &format!("{}.{what}", tool.name)),
            source: source.into(),
        },
    }
}

fn silence(body: &SectionBody) -> String {
    match body {
        SectionBody::Fill(provider) => format!("no context provider `{provider}` is part of this prompt"),
        SectionBody::List(ListName::Tools) => "no tool is active".to_owned(),
        SectionBody::List(ListName::Guidelines) => "no guideline applies".to_owned(),
        SectionBody::Text(_) => "its text is empty".to_owned(),
    }
}

/// Returns true if the pieces are empty.
#[must_use]
pub fn is_empty(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| piece.text.is_empty())
}

/// Warns when a first-match file is empty or blank: an empty file hides those after it, a blank one is used.
#[must_use]
pub fn empty_file_diagnostic(
    section: &SectionId,
    pieces: &[Piece],
    place: Option<Place>,
    hides: bool,
) -> Option<Diagnostic> {
    let name = match (&place, pieces.first()) {
        (Some(place), _) => place.path.clone(),
        (None, Some(piece)) => piece.origin.to_string(),
        (None, None) => "the template".to_owned(),
    };
    let diagnostic = if is_empty(pieces) && hides {
        let what = format!("{name} is empty and hides the other file for `{section}`; neither is used");
        Diagnostic::warning(DiagnosticCode::EmptyHidesGlobal, what)
            .help("remove the empty file to use the other")
    } else if !is_empty(pieces) && is_blank(pieces) {
        let what = format!("{name} holds nothing but white space; it is used for `{section}` all the same");
        Diagnostic::warning(DiagnosticCode::BlankSource, what)
            .help("remove the file, or write something into it")
    } else {
        return None;
    };
    Some(match place {
        Some(place) => diagnostic.at(place),
        None => diagnostic,
    })
}

/// Returns true if the pieces hold nothing but white space (ECMAScript's, a byte order mark included).
#[must_use]
pub fn is_blank(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| trim(&piece.text).is_empty())
}
