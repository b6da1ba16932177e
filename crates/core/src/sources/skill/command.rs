//! `/skill:NAME ARGS`, which stands for the text of a skill.

use super::frontmatter;

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

/// Returns the directory that the relative paths of the skill at a location start from.
#[must_use]
pub fn base_dir(location: &str) -> &str {
    match location.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((dir, _)) => dir,
        None => location,
    }
}

/// Returns the text of a command: the body of the skill's file, and the arguments below it. Nothing is escaped.
///
/// ```
/// use preface_core::skill::command::expand;
/// assert_eq!(
///     expand("commit", "/w/commit/SKILL.md", "---\nname: commit\n---\n\nWrite one.\n", "now"),
///     "<skill name=\"commit\" location=\"/w/commit/SKILL.md\">\n\
///      References are relative to /w/commit.\n\nWrite one.\n</skill>\n\nnow",
/// );
/// ```
#[must_use]
pub fn expand(name: &str, location: &str, file: &str, args: &str) -> String {
    let parts = frontmatter::split(file);
    let body = crate::template::trim(&parts.body);
    let dir = base_dir(location);
    let mut out = format!(
        "<skill name=\"{name}\" location=\"{location}\">\nReferences are relative to {dir}.\n\n{body}\n</skill>"
    );
    let args = crate::template::trim(args);
    if !args.is_empty() {
        out.push_str("\n\n");
        out.push_str(args);
    }
    out
}
