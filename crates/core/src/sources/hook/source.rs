//! The source of a reply, for diagnostics and origins.

use super::{HookEvent, HookFailure, HookReply};
use crate::diagnostic::{Diagnostic, Diagnostics, Place};

/// A hook by its name, with the manifest that defines it, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookSource<'a> {
    /// The name of the hook.
    pub name: &'a str,
    /// The location of its manifest.
    pub place: Option<&'a Place>,
}

impl<'a> From<&'a str> for HookSource<'a> {
    fn from(name: &'a str) -> Self {
        HookSource { name, place: None }
    }
}

impl HookSource<'_> {
    /// Adds the place to a diagnostic that has none.
    pub(super) fn note(self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.place = diagnostic.place.or_else(|| self.place.cloned());
        diagnostic
    }

    /// Returns the reply of a hook. A failure becomes a diagnostic.
    pub(super) fn accept(
        self,
        event: HookEvent,
        reply: Result<HookReply, HookFailure>,
        diagnostics: &mut Diagnostics,
    ) -> Option<HookReply> {
        let report = |failure: HookFailure| failure.diagnostic(self.name, event, self.place.cloned());
        reply.map_err(|failure| diagnostics.push(report(failure))).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_the_place_of_the_manifest() {
        let place = Place::file(None, "~/.x/extensions/hooks/h/manifest.json");
        let hook = HookSource { name: "h", place: Some(&place) };
        let mut diagnostics = Vec::new();
        assert_eq!(hook.accept(HookEvent::Input, Err(HookFailure::failed("no")), &mut diagnostics), None);
        let codes: Vec<_> = diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.as_str(), diagnostic.place.as_ref()))
            .collect();
        assert_eq!(codes, [("hook/error", Some(&place))]);
    }
}
