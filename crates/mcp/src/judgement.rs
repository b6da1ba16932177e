//! Says what came of a conversation.

use crate::{Trouble, conversation::Broken, intake::Intake, story::Story};
use preface_core::diagnostic::Diagnostic;

/// Says what came of a conversation.
pub(crate) fn judge(
    talked: Option<Result<(), Broken>>,
    intake: &Intake,
    story: &mut Story,
    last_words: impl FnOnce() -> String,
) -> Result<(), Trouble> {
    let nonsense = intake.nonsense();
    if let Some(limit) = intake.flooded() {
        return Err(Trouble::Flooded(limit));
    }
    match talked {
        Some(Ok(())) => {}
        None if story.listed => story.notes.push(
            Diagnostic::warning("mcp/late", "not all that the profile names was answered in time")
                .help("give it a longer deadline"),
        ),
        None => return Err(nonsense.map_or(Trouble::Late, |it| Trouble::Lied(format!("it sends {it}")))),
        Some(Err(Broken::Closed)) => return Err(Trouble::Died(last_words())),
        Some(Err(Broken::Way(why))) => {
            return Err(Trouble::Died(format!("{why}; {}", last_words())));
        }
        Some(Err(Broken::Unreached(why))) => return Err(Trouble::Unreachable(why)),
        Some(Err(Broken::Refused(why))) => {
            return Err(Trouble::Unreachable(format!("it refuses to begin: {why}")));
        }
        Some(Err(Broken::Lied(why))) => return Err(Trouble::Lied(why)),
    }
    if let Some(nonsense) = nonsense {
        story.note(
            "mcp/nonsense",
            format!("beside its messages it sends {nonsense}"),
            "a server that is a program writes messages to its output and nothing else",
        );
    }
    Ok(())
}
