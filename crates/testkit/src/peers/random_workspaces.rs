//! Random trees of everything that discovery looks at.

use super::{
    random::Random,
    random_skills,
    workspace::{Workspace, WorkspaceNode},
};

/// Names of directories on the way to the working directory.
const DIRS: &[&str] =
    &["a", "sub", "with space", "it's \"q\"", "<d>&", "é😀", "x.md", ".dot", "[system:time]", "deep"];
/// Names of context files, and names that only look like them.
const CONTEXT: &[&str] = &[
    "AGENTS.md",
    "AGENTS.md",
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.md",
    "AGENTS.MD",
    "CLAUDE.MD",
    "AGENTS.override.md",
    "agents.md",
    "CLAUDE.local.md",
    "Agents.md",
    ".claude/CLAUDE.md",
];
/// Sets of tools.
const TOOLS: &[&[&str]] = &[
    &["read"],
    &["bash"],
    &["read", "bash"],
    &["grep", "find", "ls", "read"],
    &["bash", "grep"],
    &["write", "edit"],
    &["edit", "read", "write", "bash"],
    &["ls"],
    &[],
];

/// Makes the tree of a seed.
#[must_use]
pub fn random_workspace(seed: u64) -> Workspace {
    let mut random = Random::new(seed);
    let random = &mut random;
    let depth = if random.chance(5) { 12 } else { random.below(5) };
    let base = if random.chance(15) { "home/work" } else { "proj" };
    let mut dirs = vec![base.to_owned()];
    for _ in 0..depth {
        let next = format!("{}/{}", dirs[dirs.len() - 1], random.pick(DIRS));
        dirs.push(next);
    }
    let cwd = dirs[dirs.len() - 1].clone();
    let mut tree = Workspace::new(format!("w{seed:016x}"), &cwd);
    tree.put(&cwd, WorkspaceNode::Dir);
    tree.tools = random.chance(40).then(|| {
        let tools = TOOLS[random.below(TOOLS.len())];
        tools.iter().map(|tool| (*tool).to_owned()).collect()
    });
    if random.chance(15) {
        worktree(&mut tree, &dirs, random);
    }
    for dir in std::iter::once("").chain(dirs.iter().map(String::as_str)) {
        let within = |name: &str| if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
        for _ in 0..random.below(3) {
            let name = random.pick(CONTEXT).to_owned();
            source(&mut tree, &within(&name), random);
        }
        if !dir.is_empty() && random.chance(12) {
            tree.put(&within(".git"), WorkspaceNode::Dir);
        } else if !dir.is_empty() && random.chance(6) {
            tree.file(&within(".git"), "gitdir: nowhere\n");
        }
        if random.chance(20) {
            random_skills::fill(&mut tree, &within(".agents/skills"), random);
        }
    }
    for root in ["home/.pi/agent/skills", "home/.agents/skills", &format!("{cwd}/.pi/skills")] {
        if random.chance(45) {
            random_skills::fill(&mut tree, root, random);
        }
    }
    random_skills::add_shared(&mut tree, random);
    if random.chance(40) {
        let name = random.pick(CONTEXT).to_owned();
        source(&mut tree, &format!("home/.pi/agent/{name}"), random);
    }
    for name in ["SYSTEM.md", "APPEND_SYSTEM.md"] {
        for dir in [format!("{cwd}/.pi"), "home/.pi/agent".to_owned()] {
            if random.chance(18) {
                source(&mut tree, &format!("{dir}/{name}"), random);
            }
        }
    }
    tree
}

/// Puts a file of text, or something that is none, at a path.
fn source(tree: &mut Workspace, path: &str, random: &mut Random) {
    let node = match random.below(40) {
        0 => WorkspaceNode::Dir,
        1 => WorkspaceNode::Link("nowhere".to_owned()),
        2 => WorkspaceNode::Link(path.rsplit('/').next().unwrap_or(path).to_owned()),
        3..=5 => {
            tree.file("shared/linked.md", "text behind a link\n");
            WorkspaceNode::Link("@ROOT@/shared/linked.md".to_owned())
        }
        6 => {
            tree.put("shared/dir", WorkspaceNode::Dir);
            WorkspaceNode::Link("@ROOT@/shared/dir".to_owned())
        }
        7 | 8 => WorkspaceNode::File(b"bad \xff\xc3(\xe2\x82 bytes \xf0\x9f\x98\n".to_vec()),
        _ => WorkspaceNode::File(random.odd().into_bytes()),
    };
    tree.put(path, node);
}

/// Makes the first directory a repository and one below it a worktree of it, mostly a whole one.
fn worktree(tree: &mut Workspace, dirs: &[String], random: &mut Random) {
    if dirs.len() < 2 {
        return;
    }
    let main = &dirs[0];
    let linked = &dirs[1 + random.below(dirs.len() - 1)];
    let private = format!("{main}/.git/worktrees/tree");
    tree.file(&format!("{main}/.git/HEAD"), "ref: refs/heads/main\n");
    // Without these git, and preface, see no repository.
    tree.put(&format!("{main}/.git/objects"), WorkspaceNode::Dir);
    tree.put(&format!("{main}/.git/refs"), WorkspaceNode::Dir);
    let gitdir = match random.below(5) {
        0 => "gitdir: nowhere".to_owned(),
        1 => {
            let up = "../".repeat(linked.matches('/').count() - main.matches('/').count());
            format!("gitdir: {up}.git/worktrees/tree\n")
        }
        _ => format!("gitdir: @ROOT@/{private}\n"),
    };
    tree.file(&format!("{linked}/.git"), gitdir);
    if random.chance(90) {
        tree.file(&format!("{private}/commondir"), "../..\n");
    }
    if random.chance(90) {
        tree.file(&format!("{private}/HEAD"), "ref: refs/heads/tree\n");
    }
    tree.file(&format!("{private}/gitdir"), format!("@ROOT@/{linked}/.git\n"));
    let name = random.pick(&["AGENTS.md", "CLAUDE.md", "AGENTS.MD"]).to_owned();
    source(tree, &format!("{linked}/{name}"), random);
    source(tree, &format!("{main}/{name}"), random);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_tree_again() {
        assert_eq!(random_workspace(3), random_workspace(3));
        assert_ne!(random_workspace(3), random_workspace(4));
    }

    #[test]
    fn every_kind_of_source_turns_up() {
        let trees: Vec<Workspace> = (0..200).map(random_workspace).collect();
        for end in [
            "/AGENTS.md",
            "/CLAUDE.MD",
            "/AGENTS.override.md",
            ".pi/SYSTEM.md",
            "agent/APPEND_SYSTEM.md",
            "/SKILL.md",
            "/.gitignore",
            "/commondir",
        ] {
            let count = trees.iter().filter(|tree| tree.nodes().any(|(path, _)| path.ends_with(end))).count();
            assert!(count > 0, "no tree has {end}");
        }
    }
}
