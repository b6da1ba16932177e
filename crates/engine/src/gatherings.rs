//! What was gathered for a request, kept for the next one that asks for the same: whoever builds many prompts for one
//! directory (a service, with each conversation) reads profile, settings and layers once, and looks again only whether
//! anything there changed ([`Trail`]).
//!
//! Nothing of a finished prompt is kept. Instant, conversation and template are those of the new request, and the pure line
//! runs for each. What it asks of files is answered from before where those files did not change, everything else anew. So
//! a prompt is what it would be without this: the same world, the same bytes.

use crate::{
    Engine, Error, Request,
    hooks::Told,
    input::{Inputs, collect::Breadth},
    log::{Loggers, not_handed_out},
};
use preface_core::{
    fact::{FactKey, Facts},
    prompt::Prompt,
    world::World,
};
use preface_host::{
    gate::{AdmittedText, GateMark},
    look::Headless,
    provider::{self, FactProvider},
    system::trail::{Trail, Trailed},
};
use std::sync::{Mutex, PoisonError};

/// How many are kept. One that is used by a build is not there for another, so that several builds for one directory keep
/// several.
const MOST: usize = 64;
/// The most bytes of text in one that is kept.
const LARGEST: usize = 1 << 20;

/// A prompt, and what it was made of.
pub(crate) struct Made<'m> {
    pub prompt: Prompt,
    pub world: &'m World,
    pub inputs: &'m Inputs,
}

/// A shelf of them, the one that was used last at the end.
#[derive(Debug, Default)]
pub(crate) struct Gatherings(Mutex<Vec<Gathering>>);

#[derive(Debug)]
struct Gathering {
    /// What was asked, without what is new in each request.
    asked: Request,
    inputs: Inputs,
    world: World,
    /// How much had come to the gate.
    mark: GateMark,
    trail: Trail,
    known: Option<Known>,
}

/// Facts that are files, and what was looked at for them.
#[derive(Debug)]
struct Known {
    facts: Facts,
    /// The project texts among them.
    admitted: Vec<AdmittedText>,
    trail: Trail,
}

impl Known {
    /// Returns the project texts behind the facts that a world took from here.
    fn admitted_in(&self, world: &World) -> Vec<AdmittedText> {
        let is_used = |text: &&AdmittedText| {
            world.facts.iter().any(|(key, fact)| *fact.source == *text.shown && self.facts.get(key).is_some())
        };
        self.admitted.iter().filter(is_used).cloned().collect()
    }

    /// Keeps what a build found out with these looks. Nothing, where a text had to pass the gate by its digest: each build
    /// tells which those are.
    fn of(looks: Trailed<'_>, inputs: &Inputs, mark: GateMark, world: &World) -> Option<Self> {
        let of_files = |key: &FactKey| provider::fact_provider(key).is_some_and(FactProvider::is_of_files);
        let mut facts = world.facts.clone();
        facts.retain(|key, _| of_files(key) && !world.turn.facts.contains_key(key));
        let bytes: usize = facts.iter().filter_map(|(_, fact)| fact.value.as_ref()).map(String::len).sum();
        if inputs.gate().has_seen_after(mark) || bytes > LARGEST {
            return None;
        }
        Some(Known { facts, admitted: inputs.gate().admitted_after(mark), trail: looks.into_trail()? })
    }
}

impl Gatherings {
    /// Takes one off the shelf that was gathered for such a request.
    fn take(&self, asked: &Request) -> Option<Gathering> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = shelf.iter().rposition(|kept| kept.asked == *asked)?;
        Some(shelf.remove(at))
    }

    fn put(&self, gathering: Gathering) {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.len() == MOST {
            shelf.remove(0);
        }
        shelf.push(gathering);
    }
}

impl Gathering {
    /// Makes it ready for another request.
    fn renew(&mut self, engine: &Engine<'_>, request: &Request) {
        let Gathering { inputs, world, mark, .. } = self;
        inputs.forget_after(*mark);
        world.turn.now = engine.instant_now();
        world.turn.conversation.clone_from(&request.conversation);
        world.stored = request.template.as_ref().map(crate::StoredTemplate::pieces);
        world.facts = Facts::default();
    }

    fn compose(&mut self, engine: &Engine<'_>) -> Result<Prompt, Error> {
        let Gathering { inputs, world, mark, known, .. } = self;
        if let Some(known) = known.as_ref().filter(|known| known.trail.holds(engine.system())) {
            let prompt = engine.compose_knowing(&known.facts, inputs, world, &Headless)?;
            inputs.gate().add_admitted(known.admitted_in(world));
            return Ok(prompt);
        }
        let looks = Trailed::new(engine.system());
        let prompt = engine.on(&looks).compose(inputs, world, &Headless)?;
        *known = Known::of(looks, inputs, *mark, world);
        Ok(prompt)
    }
}

impl Engine<'_> {
    /// Builds as [`Engine::build`] does, out of what was gathered before where that still is what is there. `read` gets the
    /// prompt and what it was made of.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn build_from<T>(
        &self,
        gatherings: &Gatherings,
        request: &Request,
        read: impl FnOnce(Made<'_>) -> T,
    ) -> Result<T, Error> {
        // A build at another instant, or with templates of its own, is no business of the next.
        let lasts = request.now.is_none() && self.templates().is_none();
        let asked = Request { conversation: None, template: None, ..request.clone() };
        if lasts
            && let Some(mut kept) = gatherings.take(&asked)
            && kept.trail.holds(self.system())
        {
            kept.renew(self, request);
            let mut prompt = kept.compose(self)?;
            self.refuse_held_of(request, &kept.inputs)?;
            self.log(&kept.inputs, &kept.world.turn, &mut prompt);
            let made = read(Made { prompt, world: &kept.world, inputs: &kept.inputs });
            gatherings.put(kept);
            return Ok(made);
        }
        let trailed = Trailed::new(self.system());
        let engine = self.handing_out();
        let (inputs, world) =
            engine.on(&trailed).read_and_collect(request, Breadth::Turn, None, &Headless)?;
        let mark = inputs.gate().mark();
        let trail = trailed.into_trail().filter(|_| lasts && self.is_lasting(&inputs, &world));
        let looks = Trailed::new(self.system());
        let (inputs, world, mut prompt) =
            self.on(&looks).first_base(inputs, world, &Told::nobody(), &Headless)?;
        if let Err(refused) = self.refuse_held_of(request, &inputs) {
            self.append(&Loggers::of(&inputs, &world.turn), &not_handed_out(&prompt.audit));
            return Err(refused);
        }
        self.log(&inputs, &world.turn, &mut prompt);
        let made = read(Made { prompt, world: &world, inputs: &inputs });
        if let Some(trail) = trail {
            let known = Known::of(looks, &inputs, mark, &world);
            gatherings.put(Gathering { asked, inputs, world, mark, trail, known });
        }
        Ok(made)
    }

    /// True for what another build may use: no program takes part in it, and it is not too large to keep.
    fn is_lasting(&self, inputs: &Inputs, world: &World) -> bool {
        self.programs(inputs, &world.turn, &Headless).is_empty() && text_bytes(inputs, world) <= LARGEST
    }
}

/// Returns how many bytes the texts have that were collected.
fn text_bytes(inputs: &Inputs, world: &World) -> usize {
    let files = world.stack.0.iter().flat_map(|layer| layer.files.values().chain(layer.sections.values()));
    let items = world.contributions.iter().flat_map(|from| &from.items).map(|item| &item.pieces);
    let pieces: usize = files.chain(items).flatten().map(|piece| piece.text.len()).sum();
    pieces + inputs.gate().seen().iter().map(|seen| seen.bytes.len()).sum::<usize>()
}
