//! The skills of a directory: which there are, from which layer, hiding what. Nothing of them reaches a prompt yet.

use crate::{
    Engine, Error,
    consent::{self, Gatekeeper, Opened},
    prepare::Prepared,
    request::Request,
};
use preface_core::{
    diagnostic::Diagnostics,
    settings::{self, LayerSettings, Merged, Own},
    trust::TrustMode,
};
use preface_host::{
    look::{Headless, Look, RealDirs},
    skills::{self, SkillEntry},
};
use std::cell::RefCell;

/// What a listing of skills shows.
#[derive(Clone, Debug)]
pub struct SkillsReport {
    /// The skills of all layers, active or not, sorted by name and layer.
    pub skills: Vec<SkillEntry>,
    /// What came up: about skills, trust, and the user's own settings.
    pub diagnostics: Diagnostics,
    /// How the profile guards a project.
    pub mode: TrustMode,
}

impl Engine<'_> {
    /// Resolves the skills of the layers, for a request. The project's pass the gate, and nobody is asked: what is held
    /// says so. Nothing is written.
    ///
    /// # Errors
    /// What [`Engine::build`] refuses before it looks at the project.
    pub fn skills(&self, request: &Request) -> Result<SkillsReport, Error> {
        let mut diagnostics = Diagnostics::new();
        let Prepared { mut profile, places, turn, given, bundled, global, sets } =
            self.prepare(request, &mut diagnostics)?;
        let own: Vec<LayerSettings> = bundled.into_iter().chain(global).chain(sets).collect();
        if let Some(mode) = Own::read(&settings::merge(own, &mut Diagnostics::new())).trust_mode {
            profile.trust = mode.value;
        }
        let store = consent::store_path(self.system(), &profile, &places);
        let Opened { gate, .. } = Gatekeeper {
            system: self.system(),
            mode: profile.trust,
            store: store.as_deref(),
            places: &places,
            choice: request.trust,
            pins: request.pins.as_deref(),
            ask: &Headless,
        }
        .open(None, &mut diagnostics, &mut Vec::new())?;
        let nothing = Merged::default();
        let look = Look {
            system: self.system(),
            turn: &turn,
            places: &places,
            gate: &gate,
            given: &given,
            settings: &nothing,
            confirm: &Headless,
            notes: RefCell::default(),
            real_dirs: &RealDirs::default(),
        };
        let skills = skills::of_layers(&look);
        diagnostics.append(&mut look.notes.take());
        diagnostics.extend(skills.iter().flat_map(|skill| skill.diagnostics.iter().cloned()));
        Ok(SkillsReport { skills, diagnostics, mode: profile.trust })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::request::TrustChoice;
    use preface_core::{assets::ASSETS, extension::Status, scope::Scope};
    use preface_host::system::memory::MemorySystem;

    fn machine() -> MemorySystem {
        MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/user")
            .with_dir("/work")
            .with_current_dir("/work")
            .with_file("/home/user/.config/preface/skills/commit/SKILL.md", "Commit.")
            .with_file("/home/user/.config/preface/skills/review/SKILL.md", "Review.")
            .with_file("/home/user/.config/preface/skills/drafts/notes.md", "Later.")
            .with_file("/home/user/.config/preface/skills/README.md", "No skill.")
            .with_file("/work/.preface/skills/commit/SKILL.md", "Commit here.")
    }

    fn ask(system: &MemorySystem, trust: TrustChoice) -> SkillsReport {
        Engine::new(system).skills(&Request { trust, ..Request::default() }).expect("they can be listed")
    }

    type Told<'r> = (&'r str, Scope, Status, bool, Option<u64>);

    fn told(report: &SkillsReport) -> Vec<Told<'_>> {
        let skills = report.skills.iter();
        skills
            .map(|skill| (skill.name.as_str(), skill.origin.scope, skill.status, skill.active, skill.bytes))
            .collect()
    }

    #[test]
    fn a_later_layer_hides_a_skill_of_the_same_name() {
        let report = ask(&machine(), TrustChoice::Once);
        assert_eq!(
            told(&report),
            [
                ("commit", Scope::Global, Status::Ok, false, Some(7)),
                ("commit", Scope::Project, Status::Ok, true, Some(12)),
                ("review", Scope::Global, Status::Ok, true, Some(7)),
            ]
        );
        assert_eq!(report.skills[1].shadows, [report.skills[0].origin.clone()]);
        assert_eq!(report.skills[0].shadowed_by.as_ref(), Some(&report.skills[1].origin));
        let codes: Vec<_> = report.diagnostics.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(codes, ["skill/no-file"], "a directory without a SKILL.md is a note");
    }

    #[test]
    fn a_projects_skill_passes_the_gate() {
        let report = ask(&machine(), TrustChoice::Ask);
        assert_eq!(
            told(&report)[..2],
            [
                ("commit", Scope::Global, Status::Ok, true, Some(7)),
                ("commit", Scope::Project, Status::Held, false, Some(12)),
            ]
        );
        assert!(report.diagnostics.iter().any(|note| note.code == "trust/held"));
    }

    #[test]
    fn a_skill_that_is_too_large_leaves_the_one_below() {
        let limit = 256 << 10;
        let file = "/work/.preface/skills/commit/SKILL.md";
        let fits = ask(&machine().with_file(file, "x".repeat(limit)), TrustChoice::Once);
        assert!(fits.skills[1].active);
        let report = ask(&machine().with_file(file, "x".repeat(limit + 1)), TrustChoice::Once);
        assert_eq!(told(&report)[1], ("commit", Scope::Project, Status::Disabled, false, None));
        assert!(report.skills[0].active);
        assert_eq!(report.skills[0].fallback_from.as_ref(), Some(&report.skills[1].origin));
        assert_eq!(report.skills[1].diagnostics[0].code, "file/too-large");
    }

    #[test]
    fn a_skill_does_not_lead_out_of_the_project() {
        let system = machine()
            .with_file("/elsewhere/secret/SKILL.md", "Secret.")
            .with_link("/work/.preface/skills/secret", "/elsewhere/secret");
        let report = ask(&system, TrustChoice::Once);
        let row = report.skills.iter().find(|skill| skill.name == "secret").expect("it has a row");
        assert_eq!((row.status, row.bytes), (Status::Disabled, None));
        assert_eq!(row.diagnostics[0].code, "file/outside");
    }
}
