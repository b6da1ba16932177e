//! Notes on values that change with every build and are before text that does not: a provider's prefix cache ends
//! at the first byte that changed.

use super::{PendingFinding, PendingFindings, VariableTypes};
use crate::{
    diagnostic::{DiagnosticCode, Severity},
    template::{TagRole, Template},
    variable::Stability,
};

/// Notes variables that are followed by stable text, in a branch that can be taken with them.
pub(super) fn notes(template: &Template, catalogue: &VariableTypes, notes: &mut PendingFindings) {
    // From the end: whether stable text follows, and the same for what is behind each open block.
    let mut follows = false;
    let mut behind: Vec<BlockContext> = Vec::new();
    let mut end = template.text().len();
    for tag in template.tags().iter().rev().filter(|tag| tag.stray.is_none()) {
        follows |= template.text()[tag.range.end..end].contains(char::is_alphanumeric);
        end = tag.range.start;
        match tag.role {
            TagRole::Variable { key } => match catalogue.stability(template.key(key)) {
                Some(Stability::Turn) if follows => notes.push(
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
                Some(_) => follows = true,
            },
            TagRole::Endif => behind.push(BlockContext { after: follows, second: false }),
            TagRole::Else => {
                if let Some(block) = behind.last_mut() {
                    block.second = follows;
                    follows = block.after;
                }
            }
            TagRole::If { .. } => follows |= behind.pop().is_some_and(|block| block.second),
            TagRole::Raw | TagRole::Endraw => {}
        }
    }
}

/// A block, seen from its end.
struct BlockContext {
    /// True if stable text follows the block.
    after: bool,
    /// True if stable text follows the start of its second branch.
    second: bool,
}
