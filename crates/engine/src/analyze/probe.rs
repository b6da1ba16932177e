//! Answers facts for somebody who only wants to see: below the roots that were granted, or of no directory at all, and
//! never of more than a bounded number of bytes.

use crate::{
    Error,
    consent::Opened,
    engine::Engine,
    prepare::{Opening, Prepared},
    request::{Request, TrustChoice},
};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics},
    fact::{Fact, FactKey, Facts},
    lint::hidden::escape_hidden,
    origin::Piece,
    profile::Profile,
    settings::{self, Merged, Own},
    turn::Turn,
    variables::option_variable,
};
use preface_host::{
    bounds::Bounds,
    gate::Gate,
    look::{FILE_FACTS_LIMIT, Headless, Look, RealDirs},
    places::Places,
    provider,
    system::System,
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    path::PathBuf,
};

/// The most bytes that the values of one probe have together.
const VALUES_LIMIT: usize = 64 << 20;

const NO_DIRECTORY: &str = "no directory was given";

/// One place to look at facts from.
pub(crate) struct Probe<'s> {
    pub profile: Profile,
    pub turn: Turn,
    system: &'s dyn System,
    places: Places,
    given: BTreeMap<String, Vec<Piece>>,
    gate: Gate,
    settings: Merged,
    roots: Vec<PathBuf>,
    bounds: Bounds,
    /// False: no directory was named, so nothing of one is known.
    pub somewhere: bool,
    left: Cell<usize>,
}

impl<'s> Probe<'s> {
    /// Prepares to answer for a request. Its directory must lie below one of `roots`; without one, nothing about
    /// directories is answered. What the project says of itself is not read: being below a root is its grant.
    pub(crate) fn new(engine: &Engine<'s>, request: &Request, roots: &[PathBuf]) -> Result<Self, Error> {
        let system = engine.system();
        let somewhere = request.cwd.is_some();
        let trust = if somewhere { TrustChoice::Once } else { TrustChoice::Deny };
        let cwd = request.cwd.clone().or_else(|| Some(PathBuf::from("/")));
        let request = Request { cwd, trust, roots: Some(roots.to_vec()), ..request.clone() };
        let mut notes = Diagnostics::new();
        let mut prepared = engine.prepare(&request, &mut notes)?;
        let opening = Opening { request: &request, consent: None, ask: &Headless };
        let (Opened { gate, .. }, _) = prepared.open(engine, opening, &mut notes, &mut Vec::new())?;
        let Prepared { mut profile, places, turn, given, bundled, shared, global, sets, bounds } = prepared;
        let layers = bundled.into_iter().chain(shared).chain(global).chain(sets).collect();
        let settings = settings::merge(layers, &mut notes);
        limit(&mut profile, &Own::read(&settings));
        let (roots, left) = (roots.to_vec(), Cell::new(VALUES_LIMIT));
        Ok(Probe { profile, turn, system, places, given, gate, settings, roots, bounds, somewhere, left })
    }

    /// Returns what is known without a look: where no directory was named, there is none.
    pub(crate) fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        for name in ["cwd", "cwd_slashes"].iter().filter(|_| !self.somewhere) {
            facts.supply(FactKey::new("prompt", name), Fact::absent(NO_DIRECTORY));
        }
        facts
    }

    /// Answers one fact.
    pub(crate) fn answer(&self, key: &FactKey) -> Fact {
        if !self.somewhere && about_a_directory(key) {
            return Fact::absent(NO_DIRECTORY);
        }
        let fact = self.ask(key);
        self.within_bounds(key, fact)
    }

    fn ask(&self, key: &FactKey) -> Fact {
        let look = Look {
            system: self.system,
            turn: &self.turn,
            places: &self.places,
            bundle: None,
            given: &self.given,
            roots: Some(&self.roots),
            bounds: &self.bounds,
            gate: &self.gate,
            settings: &self.settings,
            confirm: &Headless,
            granted: None,
            notes: RefCell::default(),
            skill_paths: &[],
            sections: &[],
            servers: &[],
            bom: self.profile.bom,
            real_dirs: &RealDirs::default(),
            file_room: Cell::new(FILE_FACTS_LIMIT),
        };
        option_variable(key, &self.profile).unwrap_or_else(|| provider::answer(key, &look))
    }

    fn within_bounds(&self, key: &FactKey, fact: Fact) -> Fact {
        let bytes = fact.value.as_ref().map_or(0, String::len);
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            return fact;
        }
        let why = format!("the values of this template have more than {VALUES_LIMIT} bytes together");
        let note = format!("`{}` is absent: {why}", escape_hidden(key.as_str()));
        let mut absent = Fact::absent(why);
        absent.diagnostics.push(Diagnostic::warning("template/values-too-large", note));
        absent
    }
}

/// True for what is answered from the working directory.
fn about_a_directory(key: &FactKey) -> bool {
    matches!(
        (key.kind(), key.name()),
        ("agents" | "file" | "project_file" | "git", _) | ("prompt", "cwd" | "cwd_slashes")
    )
}

/// What the user's settings say of templates counts for every profile.
fn limit(profile: &mut Profile, own: &Own) {
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let (limits, own) = (&mut profile.template, &own.template);
    limits.max_depth = own.max_depth.as_ref().map_or(limits.max_depth, |max| size(max.value));
    limits.max_bytes = own.max_bytes.as_ref().map_or(limits.max_bytes, |max| size(max.value));
    limits.raw = own.raw.as_ref().map_or(limits.raw, |raw| raw.value);
    limits.trim_tag_lines = own.trim_tag_lines.as_ref().map_or(limits.trim_tag_lines, |trim| trim.value);
}
