//! Diagnostics about values that change with every build and are before text that does not: a provider's prefix cache ends
//! at the first byte that changed.

use super::{PendingFinding, PendingFindings, VariableTypes};
use crate::{
    diagnostic::{DiagnosticCode, Severity},
    template::{TagRole, Template},
    variable::Stability,
};

/// The most letters and digits of a rest of a line: what such a rest costs is not worth a diagnostic.
const SHORT_REST: usize = 40;

/// Reports variables that are followed by stable text, in a branch that can be taken with them. The rest of a sentence is no such
/// text.
pub(super) fn diagnostics(template: &Template, catalogue: &VariableTypes, diagnostics: &mut PendingFindings) {
    // From the end: the stable text that follows, and the same for what is behind each open block.
    let mut follows = StableText::default();
    let mut behind: Vec<BlockContext> = Vec::new();
    let mut end = template.text().len();
    for tag in template.tags().iter().rev().filter(|tag| tag.stray.is_none()) {
        follows = follows.after(&template.text()[tag.range.end..end]);
        end = tag.range.start;
        match tag.role {
            TagRole::Variable { key } | TagRole::Each { list: key } => {
                match catalogue.stability(template.key(key)) {
                    Some(Stability::Turn) if follows > StableText::Line(SHORT_REST) => diagnostics.push(
                        PendingFinding::new(
                            Severity::Info,
                            DiagnosticCode::TemplateVolatileEarly,
                            &tag.range,
                            format!(
                                "`{}` may change with every build and comes before stable text",
                                template.key(key)
                            ),
                        )
                        .help("a provider's cache ends at the first byte that changed; put it near the end"),
                    ),
                    Some(Stability::Turn) | None => {}
                    Some(_) => follows = StableText::More,
                }
            }
            TagRole::Endif => behind.push(BlockContext { after: follows, second: StableText::default() }),
            TagRole::Elif { .. } | TagRole::Else => {
                if let Some(block) = behind.last_mut() {
                    block.second = follows;
                    follows = block.after;
                }
            }
            TagRole::If { .. } => {
                follows = follows.max(behind.pop().map_or(StableText::default(), |block| block.second));
            }
            TagRole::Endeach | TagRole::Raw | TagRole::Endraw => {}
        }
    }
}

/// The stable text behind a place of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum StableText {
    /// So many letters and digits on the same line.
    Line(usize),
    /// A later line with text, or a value that stays the same.
    More,
}

impl Default for StableText {
    fn default() -> Self {
        StableText::Line(0)
    }
}

impl StableText {
    /// Returns what is behind a text that this follows.
    fn after(self, text: &str) -> Self {
        let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        let (line, later) = text.split_once('\n').unwrap_or((text, ""));
        let has_later = later.contains(char::is_alphanumeric)
            || (line.len() < text.len() && self > StableText::default());
        match self {
            StableText::Line(rest) if !has_later => {
                StableText::Line(count(line) + if line.len() < text.len() { 0 } else { rest })
            }
            _ => StableText::More,
        }
    }
}

/// A block, seen from its end.
struct BlockContext {
    /// The text that follows the block.
    after: StableText,
    /// The text that follows the start of its second branch.
    second: StableText,
}
