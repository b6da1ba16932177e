//! Names of tools and ids of calls, as far as a service accepts them.

use super::report::Report;
use crate::{diagnostic::DiagnosticCode, settings::shown};
use std::{borrow::Cow, collections::BTreeMap};

/// The rule of a service for names.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameRule {
    pub longest: usize,
    pub accepts: fn(char) -> bool,
    /// A further rule for the first character.
    pub begins: fn(char) -> bool,
}

impl NameRule {
    pub(super) fn fits(&self, name: &str) -> bool {
        name.starts_with(self.begins) && name.len() <= self.longest && name.chars().all(self.accepts)
    }
}

/// Words of letters, digits, `_` and `-`.
pub(super) const WORDS: NameRule = NameRule { longest: 64, accepts: is_word, begins: |_| true };
/// Everything but control characters.
pub(super) const PRINTABLE: NameRule =
    NameRule { longest: 64, accepts: |c| !c.is_control(), begins: |_| true };

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Rewrites names that a service would refuse. The same name always becomes the same, and two names never become one.
#[derive(Debug)]
pub(super) struct Names<'c> {
    pub rule: NameRule,
    code: DiagnosticCode,
    rewritten: BTreeMap<&'c str, String>,
}

impl<'c> Names<'c> {
    pub(super) fn new(rule: NameRule, code: DiagnosticCode) -> Self {
        Names { rule, code, rewritten: BTreeMap::new() }
    }

    /// Returns the name that is sent. A rewritten one is reported, with the message where it occurs first.
    pub(super) fn get(&mut self, name: &'c str, message: Option<usize>, report: &mut Report) -> Cow<'c, str> {
        if self.rule.fits(name) {
            return Cow::Borrowed(name);
        }
        if let Some(sent) = self.rewritten.get(name) {
            return Cow::Owned(sent.clone());
        }
        let digest = blake3::hash(name.as_bytes()).to_hex();
        let clean: String = name
            .chars()
            .map(|c| if (self.rule.accepts)(c) { c } else { '_' })
            .take(self.rule.longest - 10)
            .collect();
        let front = if clean.starts_with(self.rule.begins) { "" } else { "_" };
        let sent = format!("{front}{clean}_{}", &digest[..8]);
        report.add(self.code, message, format!("`{}` is sent as `{sent}`", shown(name)));
        self.rewritten.insert(name, sent.clone());
        Cow::Owned(sent)
    }
}
