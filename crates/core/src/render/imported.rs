//! Writing a text of an imported catalog: words as they are, values as they come out. What comes to nothing is left
//! out, with a note; a value is never read for expressions again.

use super::{Rendered, Rules, ValueForm};
use crate::{
    catalog::{CatalogBody, Fragment, Known as Answer, Run, Said, Sight, Stop, evaluate},
    diagnostic::{Diagnostic, Diagnostics, Place},
    fact::{FactKey, Facts, Stability},
    lint::forged::neutralise_for,
    origin::{Origin, Piece},
};
use std::{borrow::Cow, cell::Cell, sync::Arc};

/// What a run of a part is written with.
pub(super) struct Writing<'a> {
    pub rules: &'a Rules<'a>,
    pub facts: &'a Facts,
    /// The most volatile fact that was read.
    pub volatility: &'a Cell<Stability>,
}

impl Writing<'_> {
    /// Writes from run number `at` on. Where a fact is missing, `at` says where to go on.
    pub(super) fn write(
        &self,
        body: &CatalogBody,
        at: &mut usize,
        out: &mut Rendered,
        diagnostics: &mut Diagnostics,
    ) -> Option<FactKey> {
        while let Some(run) = body.runs.get(*at) {
            match run {
                Run::Words(Piece { text, origin }) => out.push(text, origin.clone()),
                Run::Value { expression, written } => {
                    let look = |key: &FactKey| self.look(key);
                    let Rules { bindings, tools, .. } = self.rules;
                    let sight = Sight { bindings, tools, look: &look };
                    match evaluate(expression, &sight) {
                        Ok(fragments) => {
                            if let Some((text, key, source)) = self.forged(&fragments) {
                                diagnostics.push(forged(key));
                                let origin = Origin::Fact { key: key.clone(), source: source.clone() };
                                out.push(&text, origin);
                                *at += 1;
                                continue;
                            }
                            for fragment in fragments {
                                match fragment.said {
                                    Said::Written => out.push(&fragment.text, written.origin.clone()),
                                    Said::Bound(name) => out.push(&fragment.text, bound(self.rules, name)),
                                    Said::Fact(key, source) => {
                                        let text =
                                            self.rules.guard(key.kind(), key, &fragment.text, diagnostics);
                                        let origin =
                                            Origin::Fact { key: key.clone(), source: source.clone() };
                                        out.push(&text, origin);
                                    }
                                }
                            }
                        }
                        Err(Stop::Need(key)) => return Some(key),
                        Err(Stop::Fault(why)) => {
                            diagnostics.push(faulty(written, &why));
                        }
                    }
                }
            }
            *at += 1;
        }
        None
    }

    /// What pieces of values imitate together, each of them being harmless: the whole escaped, as the words of the first of
    /// those whose values are.
    fn forged<'f>(&self, fragments: &'f [Fragment<'f>]) -> Option<(String, &'f FactKey, &'f Arc<str>)> {
        let escapes = |key: &FactKey| self.rules.escapes(key.kind());
        let (key, source) = fragments.iter().find_map(|fragment| match fragment.said {
            Said::Fact(key, source) if escapes(key) => Some((key, source)),
            _ => None,
        })?;
        let whole: String = fragments
            .iter()
            .map(|fragment| match fragment.said {
                Said::Fact(key, _) if escapes(key) => {
                    self.rules.written(ValueForm::of(key.kind(), key), &fragment.text)
                }
                _ => Cow::Borrowed(fragment.text.as_ref()),
            })
            .collect();
        match neutralise_for(&whole, &self.rules.tags) {
            Cow::Owned(safe) if fragments.len() > 1 => Some((safe, key, source)),
            _ => None,
        }
    }

    fn look(&self, key: &FactKey) -> Answer<'_> {
        match self.facts.get(key) {
            None => Answer::Unknown,
            Some(fact) => {
                self.volatility.set(self.volatility.get().max(fact.stability));
                match &fact.value {
                    None => Answer::Absent,
                    Some(text) => Answer::Value(text, &fact.source),
                }
            }
        }
    }
}

fn forged(key: &FactKey) -> Diagnostic {
    let what = format!("what is made of `{key}` imitates the structure of a prompt; it was escaped");
    Diagnostic::warning("forged/escaped", what)
}

fn bound(rules: &Rules<'_>, name: &str) -> Origin {
    let profile: Arc<str> = rules.profile.into();
    Origin::Literal { profile, key: format!("catalog.bind.{name}").into() }
}

fn faulty(written: &Piece, why: &str) -> Diagnostic {
    let shown: String = written.text.chars().take(60).collect();
    let note = Diagnostic::warning("catalog/value", format!("`{shown}` was left out: {why}"));
    match &written.origin {
        Origin::Source { source, span, .. } => {
            let mut place = Place::file(Some(source.scope), source.path.clone());
            place.span = Some(span.clone());
            note.at(place)
        }
        _ => note,
    }
}
