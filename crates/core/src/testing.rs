//! Hand-built prompts for tests.

use crate::{
    hook::HookEvent,
    origin::{Origin, Source, Span},
    prompt::{Part, Prompt},
    scope::Scope,
    section::SectionId,
    variable::{Stability, VariableKey},
};
use proptest::prelude::*;
use std::{ops::Range, sync::Arc};

/// Returns an origin in a project's file.
pub(crate) fn file(path: &str, span: Range<usize>) -> Origin {
    Origin::Source {
        source: Arc::new(Source { scope: Scope::Project, path: path.into() }),
        span,
        lossy: false,
    }
}

/// Returns an origin in bad bytes of a project's file.
pub(crate) fn bad(path: &str, span: Range<usize>) -> Origin {
    Origin::Source {
        source: Arc::new(Source { scope: Scope::Project, path: path.into() }),
        span,
        lossy: true,
    }
}

/// Returns an origin in a profile.
pub(crate) fn literal(key: &str) -> Origin {
    Origin::Literal { profile: "test".into(), key: key.into() }
}

/// Returns an origin in a variable.
pub(crate) fn variable(key: &str) -> Origin {
    Origin::Variable { key: key.parse::<VariableKey>().expect("a variable name"), source: "test".into() }
}

/// Returns an origin in a text of the caller.
pub(crate) fn caller(flag: &str) -> Origin {
    Origin::Caller { flag: flag.into() }
}

/// Returns an origin in the reply of a hook.
pub(crate) fn hook(name: &str) -> Origin {
    Origin::Hook { hook: name.into(), event: HookEvent::BeforeAgentStart }
}

impl Prompt {
    /// Appends a static part.
    pub(crate) fn with(self, section: &str, pieces: &[(&str, Origin)]) -> Prompt {
        self.with_stability(section, Stability::Static, pieces)
    }

    /// Appends a part.
    pub(crate) fn with_stability(
        mut self,
        section: &str,
        stability: Stability,
        pieces: &[(&str, Origin)],
    ) -> Prompt {
        let start = self.text.len();
        let mut spans = Vec::new();
        for (text, origin) in pieces.iter().filter(|(text, _)| !text.is_empty()) {
            let from = self.text.len() - start;
            self.text.push_str(text);
            spans.push(Span { range: from..self.text.len() - start, origin: origin.clone() });
        }
        self.parts.push(Part {
            section: SectionId::new(section),
            provider: None,
            range: start..self.text.len(),
            stability,
            priority: 50,
            spans,
            cuts: Vec::new(),
        });
        self
    }
}

/// Makes prompts of up to five parts, some empty, with sections that may repeat.
pub(crate) fn prompts() -> impl Strategy<Value = Prompt> {
    let origin = prop_oneof![
        (0..40usize).prop_map(|at| file("AGENTS.md", at..at + 4)),
        (0..40usize).prop_map(|at| bad("api/AGENTS.md", at..at + 1)),
        "[a-c]".prop_map(|key| literal(&key)),
        "git:[a-c]".prop_map(|key| variable(&key)),
        Just(caller("--append")),
        "[a-c]".prop_map(|name| hook(&name)),
    ];
    let piece = ("([ab]|\n|é|ê|漢|\u{202e}){0,6}", origin);
    let stability =
        prop_oneof![Just(Stability::Static), Just(Stability::Conversation), Just(Stability::Turn)];
    let part = ("[a-d]", stability, prop::collection::vec(piece, 0..5));
    prop::collection::vec(part, 0..6).prop_map(|parts| {
        parts.into_iter().fold(Prompt::default(), |prompt, (section, stability, pieces)| {
            let pieces: Vec<_> =
                pieces.iter().map(|(text, origin)| (text.as_str(), origin.clone())).collect();
            prompt.with_stability(&section, stability, &pieces)
        })
    })
}
