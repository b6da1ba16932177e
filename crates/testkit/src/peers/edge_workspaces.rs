//! Eight small trees, each made for one rule of discovery. Their prompts are recorded in `tests/peers/pi`.

use super::workspace::{Workspace, WorkspaceNode};

/// Makes the eight trees.
#[must_use]
pub fn edge_workspaces() -> Vec<Workspace> {
    vec![basic(), dangling(), emptyfall(), git(), skillprec(), symcwd(), sysboth(), variants()]
}

/// A tree whose working directory exists.
fn tree(name: &str, cwd: &str) -> Workspace {
    let mut tree = Workspace::new(name, cwd);
    tree.put(cwd, WorkspaceNode::Dir);
    tree
}

fn files(mut tree: Workspace, files: &[(&str, &str)]) -> Workspace {
    for (path, text) in files {
        tree.file(path, text);
    }
    tree
}

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n")
}

/// The order of context files; AGENTS.md is before CLAUDE.md; CRLF and a missing last newline stay.
fn basic() -> Workspace {
    files(
        tree("basic", "proj/a/b"),
        &[
            ("home/.pi/agent/AGENTS.md", "global\n"),
            ("proj/AGENTS.md", "root agents\n"),
            ("proj/CLAUDE.md", "shadowed\n"),
            ("proj/a/CLAUDE.md", "mid claude"),
            ("proj/a/b/AGENTS.md", "leaf\r\nCRLF\r\n"),
        ],
    )
}

/// A link to nowhere is no file.
fn dangling() -> Workspace {
    let mut tree = files(tree("dangling", "proj"), &[("proj/CLAUDE.md", "claude\n")]);
    tree.put("proj/AGENTS.md", WorkspaceNode::Link("nowhere".to_owned()));
    tree
}

/// An empty file of the project hides the user's, and has no text itself.
fn emptyfall() -> Workspace {
    files(
        tree("emptyfall", "proj"),
        &[
            ("proj/.pi/SYSTEM.md", ""),
            ("home/.pi/agent/SYSTEM.md", "GLOBAL SYS"),
            ("proj/.pi/APPEND_SYSTEM.md", ""),
            ("home/.pi/agent/APPEND_SYSTEM.md", "GLOBAL APP"),
        ],
    )
}

/// Context files above the root of a repository count, skills above it do not.
fn git() -> Workspace {
    let mut tree = files(
        tree("git", "proj/sub"),
        &[
            ("AGENTS.md", "above git root\n"),
            ("proj/AGENTS.md", "root\n"),
            (".agents/skills/above/SKILL.md", &skill("above", "above git root")),
            ("proj/.agents/skills/rootskill/SKILL.md", &skill("rootskill", "at git root")),
            ("proj/sub/.agents/skills/leaf/SKILL.md", &skill("leaf", "leaf")),
        ],
    );
    tree.put("proj/.git", WorkspaceNode::Dir);
    tree
}

/// Returns a workspace that shows which root of skills wins, and in which order skills are listed.
fn skillprec() -> Workspace {
    let mut tree = tree("skillprec", "proj/sub");
    tree.put("proj/.git", WorkspaceNode::Dir);
    for (root, tag) in [
        ("home/.pi/agent/skills", "user-pi"),
        ("home/.agents/skills", "user-agents"),
        ("proj/sub/.pi/skills", "proj-pi"),
        ("proj/sub/.agents/skills", "cwd-agents"),
        ("proj/.agents/skills", "root-agents"),
        ("home/.sf/agent/skills", "legacy-sf"),
    ] {
        tree.file(&format!("{root}/same/SKILL.md"), skill("same", tag));
        tree.file(&format!("{root}/only-{tag}/SKILL.md"), skill(&format!("only-{tag}"), tag));
    }
    tree
}

/// The working directory is a link: paths and the walk are those of the link.
fn symcwd() -> Workspace {
    let mut tree = files(
        Workspace::new("symcwd", "other/link"),
        &[("real/AGENTS.md", "real\n"), ("other/AGENTS.md", "other\n")],
    );
    tree.put("other/link", WorkspaceNode::Link("../real".to_owned()));
    tree
}

/// The project's SYSTEM.md wins; APPEND_SYSTEM.md is looked up on its own.
fn sysboth() -> Workspace {
    files(
        tree("sysboth", "proj"),
        &[
            ("proj/.pi/SYSTEM.md", "PROJECT SYS\n"),
            ("home/.pi/agent/SYSTEM.md", "GLOBAL SYS\n"),
            ("home/.pi/agent/APPEND_SYSTEM.md", "GLOBAL APP\n"),
            ("proj/AGENTS.md", "ag\n"),
        ],
    )
}

/// Returns a workspace that shows which names are context files in which release.
fn variants() -> Workspace {
    files(
        tree("variants", "proj/x/y"),
        &[
            ("proj/AGENTS.MD", "upper\n"),
            ("proj/x/agents.md", "lower\n"),
            ("proj/x/y/CLAUDE.local.md", "local\n"),
            ("AGENTS.override.md", "override\n"),
            ("AGENTS.md", "plain under override\n"),
        ],
    )
}
