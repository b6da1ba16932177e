//! The lints of a build: what in its profile and in the order of its prompt has no effect, or costs.

use crate::BuildResult;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    lint::template::VariableTypes,
    origin::Origin,
    prompt::Part,
    variable::Stability,
};
use preface_host::system::System;

/// A build with what lints know of it.
pub(super) struct LintedBuild<'b> {
    pub system: &'b dyn System,
    pub built: &'b BuildResult,
    pub catalogue: &'b VariableTypes,
}

/// The lints of a build, by name. A new one is a line here.
pub(super) const BUILD_LINTS: [fn(&LintedBuild<'_>) -> Diagnostics; 4] =
    [conditions, order, replaced_guidelines, stability];

impl LintedBuild<'_> {
    fn shown(&self, place: Place) -> Place {
        Place { path: self.built.places.shown(place.path.as_ref()), ..place }
    }

    /// Returns the place of a key in the files of the profile.
    fn place_of(&self, key: &[&str]) -> Option<Place> {
        self.built.profile_source.place_of_key(self.system, key).map(|place| self.shown(place))
    }
}

/// Reports conditions of sections and guidelines on variables that never have a value.
fn conditions(linted: &LintedBuild<'_>) -> Diagnostics {
    enum ConditionPlace {
        /// A key of the profile.
        Key(String),
        Place(Place),
    }
    let snapshot = &linted.built.snapshot;
    let sections = snapshot.profile.sections.iter().filter_map(|section| {
        let id = section.id.as_str();
        let when = section.when.as_ref()?;
        Some((format!("section `{id}`"), ConditionPlace::Key(format!("section.{id}.when")), when))
    });
    let guidelines = snapshot.profile.guidelines.iter().filter_map(|guideline| {
        let Origin::Literal { key, .. } = &guideline.text.origin else { return None };
        let place = ConditionPlace::Key(format!("{key}.when"));
        Some(("a guideline".to_owned(), place, guideline.when.as_ref()?))
    });
    let overrides = snapshot.overrides.iter().filter_map(|given| {
        let place = given.place.clone().unwrap_or_else(|| Place::file(None, &given.source));
        Some((format!("section `{}`", given.id), ConditionPlace::Place(place), given.when.as_ref()?))
    });
    let mut found = Diagnostics::new();
    for (what, of, when) in sections.chain(guidelines).chain(overrides) {
        for key in when.tests().into_iter().map(|test| test.read(&snapshot.profile.variables).key) {
            let Some((why, help)) = linted.catalogue.unknown(&key) else { continue };
            let code = match linted.catalogue.kind(key.kind()) {
                None => DiagnosticCode::TemplateUnregisteredType,
                Some(_) => DiagnosticCode::TemplateUnknownName,
            };
            let message = format!("the condition of {what} tests `{key}`, which never has a value: {why}");
            let mut diagnostic = Diagnostic::warning(code, message);
            diagnostic.place = match &of {
                ConditionPlace::Key(when) => {
                    let place = linted.built.profile_source.locate_test(linted.system, when, &key);
                    place.map(|place| linted.shown(place))
                }
                ConditionPlace::Place(place) => Some(place.clone()),
            };
            diagnostic.help = match key.kind() {
                "option" => Some(format!("declare it: `[options]` with the key `{}`", key.name()).into()),
                _ => help.map(Remedy::from).or_else(|| Some(Remedy::list("variables"))),
            };
            found.push(diagnostic);
        }
    }
    found
}

/// Reports parts that change and come before parts that do not: everything after them is sent anew. An order of the
/// preset's own is not the user's to change.
fn order(linted: &LintedBuild<'_>) -> Diagnostics {
    let own = linted.built.profile_source.own_files(linted.system);
    let is_own = |key: &[&str]| own.iter().any(|file| file.place_of(key).span.is_some());
    let is_reordered = ["arrange", "order", "orders"].iter().any(|key| is_own(&[key]));
    let is_own_part = |part: &Part| is_own(&["section", part.section.as_str()]);
    let mut worst: Option<&Part> = None;
    for part in &linted.built.prompt.parts {
        if let Some(before) = worst
            && part.stability < before.stability
            && (is_reordered || is_own_part(before) || is_own_part(part))
        {
            let message = format!(
                "section `{}` ({}) comes before `{}` ({}): when it changes, the cache of everything after it is lost",
                before.section, before.stability, part.section, part.stability
            );
            let diagnostic = cache_finding(DiagnosticCode::CacheVolatileEarly, before.stability, message);
            let help = "move it behind what stays the same: `arrange = \"stability\"` does that";
            return vec![diagnostic.help(help)];
        }
        if worst.is_none_or(|before| part.stability > before.stability) {
            worst = Some(part);
        }
    }
    Diagnostics::new()
}

/// Reports guidelines of the profile that replace those of the one that it extends.
fn replaced_guidelines(linted: &LintedBuild<'_>) -> Diagnostics {
    let replaced = linted.built.profile_source.replaced(linted.system, "guideline");
    let diagnostic = replaced.map(|(place, below)| {
        let message = format!("the guidelines of the profile replace those of `{below}`");
        let help = "copy those that you want to keep: a list replaces the one of the extended profile";
        Diagnostic::info(DiagnosticCode::ProfileGuidelines, message).at(linted.shown(place)).help(help)
    });
    diagnostic.into_iter().collect()
}

/// Reports sections that are declared to be more stable than a variable in them: caches are planned by what is declared.
fn stability(linted: &LintedBuild<'_>) -> Diagnostics {
    let BuildResult { prompt, snapshot, .. } = linted.built;
    let mut found = Diagnostics::new();
    for part in &prompt.parts {
        let variables = part.spans.iter().filter_map(|span| match &span.origin {
            Origin::Variable { key, .. } => Some((key, snapshot.variables.get(key)?.stability)),
            _ => None,
        });
        let Some((key, actual)) = variables.max_by_key(|(_, stability)| *stability) else { continue };
        if actual <= part.stability {
            continue;
        }
        let id = part.section.as_str();
        let place = linted.place_of(&["section", id, "stability"]);
        // A preset decides for the prompt of a conversation, which is stored with its first date.
        if place.as_ref().is_some_and(|place| place.path.starts_with("bundled/")) {
            continue;
        }
        let message = format!(
            "section `{id}` is declared as `{}`, but `[{key}]` in it is `{actual}`: caches are planned as if it \
             stayed the same",
            part.stability
        );
        found.push(Diagnostic { place, ..cache_finding(DiagnosticCode::CacheStability, actual, message) });
    }
    found
}

/// Makes a finding about a cache: what changes on every turn costs the most.
fn cache_finding(code: DiagnosticCode, stability: Stability, message: String) -> Diagnostic {
    match stability {
        Stability::Turn => Diagnostic::warning(code, message),
        _ => Diagnostic::info(code, message),
    }
}
