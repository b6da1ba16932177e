//! Why every byte of a prompt is there: rows, spans and places as data. Who prints them decides how they look.
//!
//! An [`Explanation`] has a row per part, [`spans_view`] has a row per span. [`at_offset`] and [`at_text`] lead from the
//! prompt back to its sources, [`at_source`] from a line of a source to what became of it. [`Labels`] names origins,
//! with line numbers where the caller lends the files. All of them are replays of one [`Prompt`](crate::prompt::Prompt)
//! and take one pass over it.

mod explanation;
mod label;
mod prompt_match;
mod source_line;
mod span;

pub use explanation::{AttachmentRow, CacheLine, CacheStep, Explanation, PartRow, SourceRow};
pub use label::Labels;
pub use prompt_match::{MatchPiece, PromptMatch, at_offset, at_text};
pub use source_line::{LineExplanation, LineOutcome, LineUse, SectionCut, at_source};
pub use span::{SpanRow, spans_view};
