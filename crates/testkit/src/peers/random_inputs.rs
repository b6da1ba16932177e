//! Random inputs of the pure builder.

use super::{
    builder_input::{BuilderInput, BuilderSkill, ContextFile},
    random::Random,
};
use serde_json::{Map, Value};

/// Names of tools: those that every release knows, relatives' names, unknown and odd ones.
const TOOLS: &[&str] = &[
    "read",
    "bash",
    "edit",
    "write",
    "grep",
    "find",
    "ls",
    "powershell",
    "lsp",
    "Skill",
    "Read",
    "my_custom_tool",
    "mcp__server__do.it",
    "ünïcode",
    "a b",
    "x:y",
    "",
    "😀",
    "<tool>",
];
/// Names that JavaScript objects inherit, which the published builders mistake for texts (D14).
const INHERITED: &[&str] = &["constructor", "toString", "hasOwnProperty"];
/// Working directories.
const DIRS: &[&str] = &[
    "/",
    "/w",
    "/a b/c",
    "/é",
    "/w/",
    "C:\\Users\\x",
    "C:\\mixed/sl\\ash",
    "\\\\server\\share",
    "/it's/\"q\"/<d>&",
    "/😀/\u{2028}",
    "relative/dir",
    "//double//slash",
];
/// Paths of context files.
const PATHS: &[&str] = &[
    "/w/AGENTS.md",
    "/é/CLAUDE.md",
    "C:\\x\\AGENTS.md",
    "<p>",
    "/it's/\"q\"/AGENTS.md",
    "/new\nline/AGENTS.md",
    "",
    "/w/\u{2028}/AGENTS.md",
    "/[system:time]/AGENTS.md",
];
/// Places of skills.
const PLACES: &[&str] =
    &["/s/SKILL.md", "/it's/SKILL.md", "/a&b/<c>/SKILL.md", "C:\\s\\SKILL.md", "/s/x\"y/é.md", ""];
/// Names of skills.
const SKILLS: &[&str] = &["s", "a&b", "x\"y", "commit-outstanding", "<n>", "it's", "ñ", "", "a\nb"];
/// Names of sections, those of the newest form first. `identity` is not among them: it is what preface calls the first
/// part, which has no name for the builder.
const SECTIONS: &[&str] = &[
    "tools",
    "rules",
    "docs",
    "addendum",
    "project_context",
    "skills",
    "cwd",
    "plan_mode",
    "zz",
    "a-b_c9",
    "guidelines",
    "append",
    "context",
];

/// Makes the input of a seed. `variant` decides which keys exist.
#[must_use]
pub fn random_input(seed: u64, variant: &str) -> BuilderInput {
    let mut random = Random::new(seed);
    let random = &mut random;
    let sectioned = variant == "0.87";
    let inherited = random.chance(1);
    BuilderInput {
        custom_prompt: random.chance(45).then(|| random.odd()),
        selected_tools: random.chance(80).then(|| {
            let mut tools = random.some(7, tool);
            if inherited {
                tools.push(random.pick(INHERITED).to_owned());
            }
            tools
        }),
        tool_snippets: random
            .chance(85)
            .then(|| random.some(7, |r| (tool(r), text(r))).into_iter().collect()),
        tool_guidelines: (sectioned && random.chance(70)).then(|| {
            let lines = |random: &mut Random| Value::Array(random.some(3, text));
            random.some(5, |random| (tool(random), lines(random))).into_iter().collect()
        }),
        prompt_guidelines: random.chance(75).then(|| random.some(5, Random::odd)),
        append_system_prompt: random.chance(60).then(|| random.odd()),
        cwd: random.pick(DIRS).to_owned(),
        context_files: random.chance(85).then(|| {
            random
                .some(4, |random| ContextFile { path: random.pick(PATHS).to_owned(), content: random.odd() })
        }),
        skills: random.chance(85).then(|| random.some(4, skill)),
        sections: (sectioned && random.chance(50)).then(|| {
            random
                .some(4, |random| (random.pick(SECTIONS).to_owned(), text(random)))
                .into_iter()
                .collect::<Map<String, Value>>()
        }),
        force_system_prompt: (sectioned && random.chance(4)).then(|| random.odd()),
    }
}

fn tool(random: &mut Random) -> String {
    // The common ones more often: they decide about guidelines and gates.
    let end = if random.chance(70) { 8 } else { TOOLS.len() };
    TOOLS[random.below(end)].to_owned()
}

fn text(random: &mut Random) -> Value {
    Value::String(random.odd())
}

fn skill(random: &mut Random) -> BuilderSkill {
    BuilderSkill {
        name: random.pick(SKILLS).to_owned(),
        description: random.odd(),
        file_path: random.pick(PLACES).to_owned(),
        base_dir: "/s".to_owned(),
        source: Some("path".to_owned()),
        disable_model_invocation: random.chance(20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_input_again_and_another_seed_another() {
        assert_eq!(random_input(7, "0.87"), random_input(7, "0.87"));
        assert_ne!(random_input(7, "0.87"), random_input(8, "0.87"));
    }

    #[test]
    fn every_key_is_there_sometimes_and_absent_sometimes() {
        let lines: Vec<String> = (0..200).map(|seed| random_input(seed, "0.87").line()).collect();
        for key in [
            "customPrompt",
            "selectedTools",
            "toolSnippets",
            "toolGuidelines",
            "promptGuidelines",
            "appendSystemPrompt",
            "contextFiles",
            "skills",
            "sections",
            "forceSystemPrompt",
        ] {
            let key = format!("\"{key}\":");
            let with = lines.iter().filter(|line| line.contains(&key)).count();
            assert!((1..200).contains(&with), "{key} is in {with} of 200 inputs");
        }
    }
}
