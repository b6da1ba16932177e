//! Which hook speaks, for notes and origins.

use super::{HookEvent, HookFailure, HookReply};
use crate::diagnostic::{Diagnostic, Diagnostics, Place};

/// A hook by its name, and the manifest that brings it, where one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookSource<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its manifest.
    pub place: Option<&'a Place>,
}

impl<'a> From<&'a str> for HookSource<'a> {
    fn from(name: &'a str) -> Self {
        HookSource { name, place: None }
    }
}

impl HookSource<'_> {
    /// Adds the place to a note that has none.
    pub(super) fn note(self, mut note: Diagnostic) -> Diagnostic {
        note.place = note.place.or_else(|| self.place.cloned());
        note
    }

    /// Returns what a hook answered, with nothing in it that means nothing at this event. A failure is a note.
    pub(super) fn said(
        self,
        event: HookEvent,
        reply: Result<HookReply, HookFailure>,
        notes: &mut Diagnostics,
    ) -> Option<HookReply> {
        match reply {
            Ok(mut reply) => {
                notes.extend(reply.confine(self.name, event).map(|note| self.note(note)));
                Some(reply)
            }
            Err(failure) => {
                notes.push(failure.diagnostic(self.name, event, self.place.cloned()));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_has_the_place_of_the_manifest() {
        let place = Place::file(None, "~/.x/extensions/hooks/h/manifest.json");
        let hook = HookSource { name: "h", place: Some(&place) };
        let mut notes = Vec::new();
        assert_eq!(hook.said(HookEvent::Input, Err(HookFailure::failed("no")), &mut notes), None);
        let reply = HookReply { replace_with_empty: true, handled: true, ..HookReply::default() };
        let said = hook.said(HookEvent::Input, Ok(reply), &mut notes).expect("it answered");
        assert_eq!(said.said(), ["handled"]);
        let codes: Vec<_> = notes.iter().map(|note| (note.code.as_str(), note.place.as_ref())).collect();
        assert_eq!(codes, [("hook/error", Some(&place)), ("hook/ignored-key", Some(&place))]);
    }
}
