//! Remind: from the reminders that are due to what is sent beside the prompt.
//!
//! It is the render stage on plans of its own, so it asks for facts as render does. Whatever a value is, no reminder ends
//! the tags that stand around it: each value is escaped by itself, and so is what values and text make together. No value ends a frame of quoted data either.

use super::{Due, noun::EVENT};
use crate::{
    aside::{Aside, AsidePlace, QUOTE_TAG, REMINDER_TAG},
    compose::Step,
    diagnostic::{Diagnostic, Diagnostics},
    fact::{FactKey, Facts, Stability},
    outline::{Outline, Plan, PlanItem},
    profile::{OwnTags, Profile},
    render::{Render, RenderError, Rules},
    section::{CutRule, DEFAULT_PRIORITY, Language, Trim},
    settings::shown,
};
use std::borrow::Cow;

/// The stage that renders reminders.
#[derive(Debug)]
pub struct Remind<'w> {
    render: Render<'w>,
}

impl<'w> Remind<'w> {
    /// Takes what is due, in the order in which it is sent.
    #[must_use]
    pub fn new(due: &'w [Due], profile: &'w Profile) -> Self {
        let own_tags = OwnTags { names: vec![REMINDER_TAG.to_owned()], of_sections: false, neutralise: true };
        let mut rules = Rules::new(&profile.template, &profile.escape).with_templates(&profile.templates);
        rules.own_tags = Cow::Owned(own_tags);
        // A text may frame what it quotes, and no value may end such a frame.
        rules.tags.to_mut().push(QUOTE_TAG.to_owned());
        let outline = Outline { plans: due.iter().map(plan).collect(), absent: Vec::new() };
        Remind { render: Render::new(outline, rules) }
    }

    /// Goes on until a fact is missing or all is rendered.
    ///
    /// # Errors
    /// A text that is nested too deeply or too large; with its place.
    pub fn step(
        &mut self,
        facts: &Facts,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step<Vec<Aside>>, RenderError> {
        let draft = match self.render.step(facts, diagnostics)? {
            Step::Need(key) => return Ok(Step::Need(key)),
            Step::Done(draft) => draft,
        };
        diagnostics.extend(draft.absent.iter().map(|one| {
            let what =
                format!("the reminder `{}` has nothing to say and is not sent", shown(one.section.as_str()));
            Diagnostic::info("reminder/empty", what)
        }));
        Ok(Step::Done(draft.parts.into_iter().filter_map(Aside::of).collect()))
    }
}

fn plan(due: &Due) -> Plan<'_> {
    let item = PlanItem::new(Cow::Borrowed(&due.body), Language::Template);
    Plan {
        section: due.id.clone(),
        provider: None,
        audit_id: None,
        prefix: Vec::new(),
        items: vec![item],
        item: None,
        between: None,
        seam: false,
        suffix: Vec::new(),
        trim: Trim::Both,
        keep_blank: false,
        stability: Some(Stability::Turn),
        priority: DEFAULT_PRIORITY,
        max_tokens: None,
        unread: 0,
        cut: CutRule::Never,
        last: false,
        place: Some(AsidePlace::LastUser),
        watch_tags: true,
        event: Some(due),
    }
}

/// True for a fact that only an event has.
#[must_use]
pub(crate) fn is_of_event(key: &FactKey) -> bool {
    key.kind() == EVENT
}
