//! The files of a layer that a profile reads, as its groups and sections name them: `preface config init` lists them.

use preface_core::{
    profile::Profile,
    scope::Scope,
    section::{Language, Section, SectionBody},
};

/// The file that the provider of system prompt files reads.
pub const SYSTEM: &str = "system.md";

/// Lists the files that a layer may have, each with a description.
pub fn of(profile: &Profile, scope: Scope) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for group in &profile.groups {
        let named = group.replace.iter().filter_map(|candidate| candidate.file());
        for file in named.filter(|file| file.scope == scope) {
            files.push((file.name.clone(), format!("in place of the base prompt{}", form(group.language))));
        }
    }
    for section in &profile.sections {
        let SectionBody::Fill(provider) = &section.body else { continue };
        match provider.as_str() {
            "system-prompt-file" => {
                files.push((SYSTEM.to_owned(), "your instructions, word for word".into()));
            }
            "layer-files" => {
                let about = format!("text in the section `{}`{}", section.id, form(section.language));
                files.extend(texts(section, "names").map(|name| (name.to_owned(), about.clone())));
            }
            "skills" => {
                let dirs = skill_roots(section, scope);
                files.extend(dirs.map(|dir| (format!("{dir}/<name>/SKILL.md"), "a skill".to_owned())));
            }
            "instructions" => {
                if scope == Scope::Global {
                    let about = "instructions for all projects, word for word";
                    files.extend(texts(section, "user").map(|name| (name.to_owned(), about.to_owned())));
                }
                let rules = section.options.get("rules").and_then(serde_json::Value::as_str);
                files.extend(
                    rules.map(|dir| (format!("{dir}/<name>.md"), "a rule, word for word".to_owned())),
                );
            }
            _ => {}
        }
    }
    for (name, about, provider) in OF_AGENTS {
        if profile.has_agents || fills(profile, provider) {
            files.push((name.to_owned(), about.to_owned()));
        }
    }
    if scope == Scope::Global {
        files.push(("reminders/<name>.md".to_owned(), "a reminder (a template)".to_owned()));
    }
    files
}

/// The files of a profile with agents, or with a section of their context provider.
const OF_AGENTS: [(&str, &str, &str); 3] = [
    ("agents/<name>.md", "an agent: its prompt and its tools", "agent"),
    ("output-styles/<name>.md", "an output style", "output-style"),
    ("commands/<name>.md", "a slash command", "commands"),
];

fn fills(profile: &Profile, provider: &str) -> bool {
    let is_filled =
        |section: &Section| matches!(&section.body, SectionBody::Fill(name) if name.as_str() == provider);
    profile.sections.iter().any(is_filled)
}

fn form(language: Language) -> &'static str {
    match language {
        Language::Template | Language::Catalog => " (a template)",
        Language::Verbatim => ", word for word",
    }
}

fn texts<'a>(section: &'a Section, key: &str) -> impl Iterator<Item = &'a str> {
    list(section, key).iter().filter_map(serde_json::Value::as_str)
}

/// The directories of skills in the layer's own one.
fn skill_roots(section: &Section, scope: Scope) -> impl Iterator<Item = &str> {
    list(section, "roots")
        .iter()
        .filter(move |root| root["at"] == scope.as_str())
        .filter_map(|root| root["dir"].as_str())
}

fn list<'a>(section: &'a Section, key: &str) -> &'a [serde_json::Value] {
    section.options.get(key).and_then(serde_json::Value::as_array).map_or(&[], Vec::as_slice)
}
