//! `/skill:NAME ARGS`, which stands for the text of a skill.

use super::{Skill, frontmatter};

const COMMAND: &str = "/skill:";

/// A request for a skill in a text of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillCommand<'t> {
    /// The name of the skill.
    pub name: &'t str,
    /// The text after the name, trimmed; may be empty.
    pub args: &'t str,
}

/// Reads a command; `None` for every other text. The name ends at the first space.
///
/// ```
/// use preface_core::skill::command::{read, SkillCommand};
/// assert_eq!(read("/skill:commit  all of it "), Some(SkillCommand { name: "commit", args: "all of it" }));
/// assert_eq!(read("/skills"), None);
/// ```
#[must_use]
pub fn read(text: &str) -> Option<SkillCommand<'_>> {
    let rest = text.strip_prefix(COMMAND)?;
    let (name, args) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(SkillCommand { name, args: crate::template::trim(args) })
}

/// Returns the text of a command: the body of the skill's file, and the arguments below it. Nothing is escaped.
///
/// ```
/// use preface_core::skill::{Skill, command::expand};
/// let skill = Skill {
///     name: "commit".into(),
///     description: "Writes commits.".into(),
///     path: "/w/commit/SKILL.md".into(),
///     base_dir: "/w/commit".into(),
///     hidden: false,
/// };
/// assert_eq!(
///     expand(&skill, "---\nname: commit\n---\n\nWrite one.\n", "now"),
///     "<skill name=\"commit\" location=\"/w/commit/SKILL.md\">\n\
///      References are relative to /w/commit.\n\nWrite one.\n</skill>\n\nnow",
/// );
/// ```
#[must_use]
pub fn expand(skill: &Skill, file: &str, args: &str) -> String {
    let parts = frontmatter::split(file);
    let body = crate::template::trim(&parts.body);
    let Skill { name, path, base_dir, .. } = skill;
    let mut out = format!(
        "<skill name=\"{name}\" location=\"{path}\">\nReferences are relative to {base_dir}.\n\n{body}\n</skill>"
    );
    let args = crate::template::trim(args);
    if !args.is_empty() {
        out.push_str("\n\n");
        out.push_str(args);
    }
    out
}
