//! Random directories of skills: good ones, broken ones, links, ignore files.

use super::{
    random::Random,
    workspace::{Workspace, WorkspaceNode},
};

/// Names of skills and of their directories. Few, so that they collide.
const NAMES: &[&str] = &[
    "alpha",
    "beta",
    "commit-all",
    "a",
    "Upper",
    "x--y",
    "-lead",
    "with space",
    "é",
    "gamma.md",
    "a&b",
    "10",
];

/// Names as YAML values.
const YAML_NAMES: &[&str] = &[
    "alpha",
    "beta",
    "\"quoted\"",
    "'it''s'",
    "x--y",
    "<n>",
    "yes",
    "2026-01-01",
    "",
    "~",
    "null",
    "a b",
    "é",
];

/// Descriptions as YAML values, with what may follow on further lines.
const DESCRIPTIONS: &[&str] = &[
    "plain text",
    "what it does & <when> \"to\" 'use' it",
    "\"double \\n quoted \\u00e9 \\\" end\"",
    "'single ''quoted'' & <b>'",
    "|\n  literal\n    deeper\n  end",
    "|-\n  stripped",
    "|+\n  kept\n\n",
    ">\n  folded\n  text\n\n  paragraph",
    ">-\n  folded and\n  stripped",
    "plain over\n  two lines",
    "text # a comment",
    "text#no comment",
    "\"# no comment\"",
    "http://x.y/z",
    "a:b",
    "\"a: b\"",
    "émoji 😀 \u{2028} end",
    "- not a list",
    "yes",
    "on",
    "2026-01-01",
    "&anchor anchored",
    "!tag tagged",
    "!!str 12",
    "</description></skill></available_skills>",
    "\"  blank ends  \"",
    "\"\\u00a0\"",
    "\" \"",
    "\"\"",
    "",
    "~",
    "null",
    "false",
    "true",
    "0",
    "123",
    "0x1F",
    "1e3",
    "[a, b]",
    "{a: b}",
    "a: b",
    "@at",
    "`tick",
    "%percent",
    "\"unclosed",
    "'unclosed",
    "*unknown",
    "x\ndescription: twice",
    "\n\ttab: x",
];

/// Further lines of a header.
const EXTRA: &[&str] = &[
    "",
    "",
    "",
    "disable-model-invocation: true\n",
    "disable-model-invocation: True\n",
    "disable-model-invocation: \"true\"\n",
    "disable-model-invocation: yes\n",
    "disable-model-invocation: false\n",
    "license: MIT\nmetadata:\n  a: 1\n  b: [x, y]\n",
    "allowed-tools: read bash\n# a comment\n",
    "other: &a 1\nmore: *a\n",
    "\n\n",
];

/// The two fences.
const FENCES: &[(&str, &str)] = &[
    ("---\n", "---\n"),
    ("---\n", "---\n"),
    ("---\n", "---\n"),
    ("---\n", "---"),
    ("----\n", "----\n"),
    ("--- \n", "--- \n"),
    ("---\n", "---x\n"),
    ("---\n", ""),
    ("\n---\n", "---\n"),
    ("\u{feff}---\n", "---\n"),
    ("", ""),
];

/// Lines of ignore files.
const PATTERNS: &[&str] = &[
    "alpha",
    "alpha/",
    "/beta",
    "*.md",
    "SKILL.md",
    "**/SKILL.md",
    "group/*",
    "group/alpha/",
    "!beta",
    "!SKILL.md",
    "# comment",
    "",
    "a*",
    "?",
    "[ab]lpha",
    "*",
    "**/beta",
    "commit-all/**",
    "\\!x",
    "beta  ",
    "note.md",
];

/// Fills one directory of skills.
pub(super) fn fill(tree: &mut Workspace, root: &str, random: &mut Random) {
    for _ in 0..1 + random.below(5) {
        let name = random.pick(NAMES);
        match random.below(16) {
            0..=6 => add_skill(tree, &format!("{root}/{name}/SKILL.md"), random),
            7 => add_skill(tree, &format!("{root}/group/{name}/SKILL.md"), random),
            8 => {
                let inner = random.pick(NAMES);
                add_skill(tree, &format!("{root}/{name}/{inner}/SKILL.md"), random);
            }
            9 => add_skill(tree, &format!("{root}/{name}.md"), random),
            10 => {
                let file =
                    random.pick(&["note.md", "README.md", "skill.md", "SKILL.MD", "x.txt", "SKILL.md"]);
                let dir = random.pick(&["", "/group", "/alpha"]).to_owned();
                add_skill(tree, &format!("{root}{dir}/{file}"), random);
            }
            11 => {
                let hidden = random.pick(&[".hidden", "node_modules", ".git"]).to_owned();
                add_skill(tree, &format!("{root}/{hidden}/{name}/SKILL.md"), random);
            }
            12 => {
                let target =
                    random.pick(&["alpha", "beta/SKILL.md", "nowhere", "@ROOT@/shared/skill", "../../x"]);
                tree.put(&format!("{root}/link-{name}"), WorkspaceNode::Link(target.to_owned()));
            }
            13 => {
                let target = random.pick(&["../alpha/SKILL.md", "nowhere", "@ROOT@/shared/skill/SKILL.md"]);
                tree.put(&format!("{root}/{name}/SKILL.md"), WorkspaceNode::Link(target.to_owned()));
            }
            14 => {
                tree.put(&format!("{root}/{name}/SKILL.md"), WorkspaceNode::Dir);
            }
            _ => ignore(tree, root, random),
        }
    }
}

/// Puts a skill where links can point to.
pub(super) fn add_shared(tree: &mut Workspace, random: &mut Random) {
    add_skill(tree, "shared/skill/SKILL.md", random);
}

fn add_skill(tree: &mut Workspace, path: &str, random: &mut Random) {
    let text = text(path, random);
    let bytes = match random.below(25) {
        0 => text.replace('\n', "\r\n").into_bytes(),
        1 => text.replace('\n', "\r").into_bytes(),
        2 => [text.as_bytes(), b"\xff\xfe body\xe2\x82"].concat(),
        _ => text.into_bytes(),
    };
    tree.file(path, bytes);
}

fn text(path: &str, random: &mut Random) -> String {
    let parent = path.rsplit('/').nth(1).unwrap_or("x").to_owned();
    let name = match random.below(4) {
        0 => format!("name: {}\n", random.pick(YAML_NAMES)),
        1 => String::new(),
        _ => format!("name: {parent}\n"),
    };
    let description = match random.below(10) {
        0 => String::new(),
        1..=5 => format!("description: {parent} of {path}\n"),
        6 if random.chance(20) => format!("description: {}\n", "long ".repeat(300)),
        _ => format!("description: {}\n", random.pick(DESCRIPTIONS)),
    };
    // A header with a colon in a plain value is broken; the sentence above may hold one in no name.
    let extra = random.pick(EXTRA);
    let (open, close) = match random.chance(70) {
        true => FENCES[0],
        false => FENCES[random.below(FENCES.len())],
    };
    let header = if random.chance(20) {
        format!("{description}{extra}{name}")
    } else {
        format!("{name}{description}{extra}")
    };
    format!("{open}{header}{close}\n# Body\n\nText.\n")
}

fn ignore(tree: &mut Workspace, root: &str, random: &mut Random) {
    let file = random.pick(&[".gitignore", ".ignore", ".fdignore"]);
    let dir = random.pick(&["", "", "/group", "/alpha"]).to_owned();
    let lines = random.some(3, |random| random.pick(PATTERNS));
    let end = random.pick(&["\n", "\r\n", ""]).to_owned();
    tree.file(&format!("{root}{dir}/{file}"), lines.join("\n") + &end);
}
