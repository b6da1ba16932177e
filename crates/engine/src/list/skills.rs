//! The skills of a directory with origins and shadowed entries. The loader and its options are those of a build.

use crate::list::Build;
use preface_core::{
    condition::ConditionResult,
    diagnostic::Diagnostics,
    profile::Profile,
    scope::Scope,
    section::{Section, SectionBody},
    skill::{command, standard},
    variable::{RecordedVariables, VariableKey, source::Variables},
};
use preface_host::{
    places::Places,
    provider::{self, context::ProviderContext, skills::SKILLS},
    skills::{self, SkillEntry, SkillOptions},
};

/// A listing of skills.
#[derive(Clone, Debug)]
pub struct SkillsReport {
    /// The skill files of all roots, active or not, sorted by name; those of one name in the order of their roots.
    pub skills: Vec<SkillEntry>,
    /// The diagnostics: of skills, trust, and the user's own settings.
    pub diagnostics: Diagnostics,
    /// True if the profile has a section for skills.
    pub listed: bool,
    /// The reason why the prompt leaves out the section for skills.
    pub left_out: Option<String>,
    /// The directories of skills, for people.
    pub roots: Vec<String>,
}

impl Build<'_> {
    /// Finds and checks the skills, as a prompt does.
    #[must_use]
    pub fn skills(&self) -> SkillsReport {
        let (profile, context) = (self.profile(), &self.context());
        let found = load(profile, context);
        let listed = found.is_some();
        let mut skills = found.unwrap_or_default();
        for entry in &mut skills {
            if let Some(loaded) = &entry.value.loaded {
                let directory = loaded.path.parent().and_then(|dir| dir.file_name());
                let directory = directory.map(|name| name.to_string_lossy()).unwrap_or_default();
                entry.value.standard = standard::findings(&loaded.fields, &directory);
            }
        }
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        SkillsReport {
            skills,
            diagnostics: context.diagnostics.take(),
            listed,
            left_out: left_out(profile, context),
            roots: roots(profile, context.places),
        }
    }
}

/// Returns the reason why the condition of the section for skills is false, if it is.
fn left_out(profile: &Profile, context: &ProviderContext<'_>) -> Option<String> {
    let section = profile.sections.iter().find(|section| is_for_skills(section))?;
    let mut recorded = RecordedVariables::default();
    let mut source = |key: &VariableKey| Some(provider::resolve(key, context));
    let mut variables = Variables::new(context.turn, profile, &mut recorded, &mut source);
    let verdict =
        section.when.as_ref()?.decide(&mut |test| variables.holds(test, None, &mut Diagnostics::new()));
    match verdict {
        Ok(ConditionResult::Fails(why)) => Some(why),
        _ => None,
    }
}

/// Replaces `/skill:NAME ARGS` by the text of the skill with that name. Skills are searched only if the text
/// is such a command; otherwise the result is `None`.
pub(crate) fn expand(text: &str, profile: &Profile, context: &ProviderContext<'_>) -> Option<String> {
    command::read(text)?;
    skills::expand(text, &load(profile, context).unwrap_or_default(), context)
}

/// Returns the directories in which the section for skills finds them.
fn roots(profile: &Profile, places: &Places) -> Vec<String> {
    let section = profile.sections.iter().find(|section| is_for_skills(section));
    let roots = section.and_then(|section| section.options.get("roots")?.as_array());
    let shown = roots.into_iter().flatten().filter_map(|root| {
        let dir = root["dir"].as_str()?;
        Some(match (root["at"].as_str()?, &places.project, &places.global) {
            ("project", Some(project), _) => places.source(Scope::Project, &project.join(dir)).path.clone(),
            ("global", _, Some(global)) => places.source(Scope::Global, &global.join(dir)).path.clone(),
            ("home", ..) => format!("~/{dir}"),
            ("up", ..) => dir.to_owned(),
            _ => return None,
        })
    });
    shown.collect()
}

fn is_for_skills(section: &Section) -> bool {
    matches!(&section.body, SectionBody::Fill(name) if name.as_str() == SKILLS.name)
}

/// Loads the skills as the section for skills configures; `None` if the profile has none.
pub(super) fn load(profile: &Profile, context: &ProviderContext<'_>) -> Option<Vec<SkillEntry>> {
    let section = profile.sections.iter().find(|section| is_for_skills(section))?;
    let options = SkillOptions::read(section, context);
    Some(skills::load(&options, context))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, Engine, TrustChoice};
    use preface_core::{assets::ASSETS, extension::Status, scope::Scope};
    use preface_host::system::testing::MemorySystem;

    fn text(description: &str, body: &str) -> String {
        format!("---\ndescription: {description}\n---\n\n{body}\n")
    }

    fn machine() -> MemorySystem {
        MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/user")
            .with_dir("/work")
            .with_current_dir("/work")
            .with_file("/home/user/.config/preface/skills/commit/SKILL.md", text("Commits.", "Commit."))
            .with_file("/home/user/.config/preface/skills/review/SKILL.md", text("Reviews.", "Review."))
            .with_file("/home/user/.config/preface/skills/drafts/notes.md", "Later.")
            .with_file("/home/user/.config/preface/skills/README.md", "No skill.")
            .with_file("/work/.preface/skills/commit/SKILL.md", text("Commits here.", "Commit here."))
    }

    fn ask(system: &MemorySystem, trust: TrustChoice) -> SkillsReport {
        Engine::new(system)
            .look(&BuildOptions { trust, ..BuildOptions::default() })
            .expect("they can be listed")
            .skills()
    }

    type SkillRow<'r> = (&'r str, Scope, Status, bool);

    fn rows(report: &SkillsReport) -> Vec<SkillRow<'_>> {
        let skills = report.skills.iter();
        skills.map(|skill| (skill.name.as_str(), skill.origin.scope, skill.status, skill.active)).collect()
    }

    #[test]
    fn the_first_root_wins_a_name() {
        let report = ask(&machine(), TrustChoice::Once);
        assert_eq!(
            rows(&report),
            [
                ("commit", Scope::Project, Status::Ok, true),
                ("commit", Scope::Global, Status::Ok, false),
                ("review", Scope::Global, Status::Ok, true),
            ]
        );
        assert_eq!(report.skills[0].shadows, [report.skills[1].origin.clone()]);
        assert_eq!(report.skills[1].shadowed_by.as_ref(), Some(&report.skills[0].origin));
        let codes: Vec<_> = report.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(codes, ["scope/collision"]);
    }

    #[test]
    fn a_projects_skill_passes_the_gate() {
        let report = ask(&machine(), TrustChoice::Ask);
        assert_eq!(
            rows(&report)[..2],
            [
                ("commit", Scope::Project, Status::Untrusted, false),
                ("commit", Scope::Global, Status::Ok, true)
            ]
        );
        assert!(report.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "trust/untrusted"));
    }

    #[test]
    fn a_broken_skill_leaves_the_one_below() {
        let file = "/work/.preface/skills/commit/SKILL.md";
        let report = ask(&machine().with_file(file, "No block."), TrustChoice::Once);
        assert_eq!(rows(&report)[0], ("commit", Scope::Project, Status::Disabled, false));
        assert!(report.skills[1].active);
        assert_eq!(report.skills[1].fallback_from.as_ref(), Some(&report.skills[0].origin));
        assert_eq!(report.skills[0].diagnostics[0].message, "description is required");
    }

    #[test]
    fn a_skill_does_not_lead_out_of_the_project() {
        let system = machine()
            .with_file("/elsewhere/secret/SKILL.md", text("Secret.", "Secret."))
            .with_link("/work/.preface/skills/secret", "/elsewhere/secret")
            .with_dir("/work/.preface/skills/file")
            .with_link("/work/.preface/skills/file/SKILL.md", "/elsewhere/secret/SKILL.md");
        let report = ask(&system, TrustChoice::Once);
        assert!(report.skills.iter().all(|skill| skill.value.description.as_deref() != Some("Secret.")));
        let codes: Vec<_> = report.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(codes, ["file/outside", "file/outside", "scope/collision"]);
    }

    #[test]
    fn a_preset_without_a_section_for_skills_has_none() {
        let profile = "home = { global = \"~/.x\", project = \".x\" }\n[orders]\nmain = [\"a\"]\n[section.a]\ntext = \"A\"\n";
        let system = machine().with_file("/home/user/x.toml", profile);
        let request = BuildOptions { profile: Some("/home/user/x.toml".into()), ..BuildOptions::default() };
        let report = Engine::new(&system).look(&request).expect("they can be listed").skills();
        assert!(report.skills.is_empty() && !report.listed);
    }
}
