//! Remind: from the reminders that are due to what is sent beside the prompt.
//!
//! It is the render stage on plans of its own. Whatever a value is, no reminder ends
//! the tags that are around it: each value is escaped by itself, and so is what values and text make together. No value ends a frame of quoted data either.

use super::{DueReminder, types::EVENT};
use crate::{
    attachment::{Attachment, AttachmentPlace, QUOTE_TAG, REMINDER_TAG},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    lint::forged,
    pipeline::{
        outline::{Outline, Plan, PlanItem},
        render::{RenderError, RenderRules, render},
    },
    profile::{EngineTags, Profile},
    section::{Language, SectionMeta, TrimMode},
    settings::shown,
    variable::{Stability, VariableKey, source::Variables},
};
use std::borrow::Cow;

/// Renders reminders, in the order in which they are sent.
///
/// # Errors
/// A text that is nested too deeply or too large, or an unknown variable.
pub fn remind(
    due: &[DueReminder],
    profile: &Profile,
    variables: &mut Variables<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Attachment>, RenderError> {
    let own_tags = EngineTags { names: vec![REMINDER_TAG.to_owned()], of_sections: false, neutralise: true };
    let mut rules = RenderRules::new(profile, variables.turn());
    rules.template = rules.template.with_type(EVENT);
    rules.own_tags = Cow::Owned(own_tags);
    // A text may frame what it quotes, and no value may end such a frame.
    rules.tags = forged::TAGS.iter().chain(&[QUOTE_TAG]).map(|tag| (*tag).to_owned()).collect();
    let outline = Outline { plans: due.iter().map(plan).collect(), absent: Vec::new() };
    let draft = render(outline, &rules, variables, diagnostics)?;
    diagnostics.extend(draft.absent.iter().map(|one| {
        let what = format!("the reminder `{}` has no text and is not sent", shown(one.section.as_str()));
        Diagnostic::info(DiagnosticCode::ReminderEmpty, what)
    }));
    Ok(draft.parts.into_iter().filter_map(Attachment::of).collect())
}

fn plan(due: &DueReminder) -> Plan<'_> {
    let item = PlanItem::new(Cow::Borrowed(&due.body), Language::Template);
    let meta = SectionMeta {
        stability: Some(Stability::Turn),
        place: Some(AttachmentPlace::LastUser),
        ..SectionMeta::new(due.id.clone())
    };
    Plan { trim: TrimMode::Both, watch_tags: true, event: Some(due), ..Plan::new(meta, vec![item]) }
}

/// Returns true for a diagnostic about a reminder: its file, its text, or a field of its event.
#[must_use]
pub fn is_about_reminders(diagnostic: &Diagnostic) -> bool {
    let is_of_event = |name: &String| name.parse().is_ok_and(|key: VariableKey| is_of_event(&key));
    diagnostic.code.topic() == "reminder" || diagnostic.subject.as_ref().is_some_and(is_of_event)
}

/// True for a variable that only an event has.
#[must_use]
pub(crate) fn is_of_event(key: &VariableKey) -> bool {
    key.kind() == EVENT
}
