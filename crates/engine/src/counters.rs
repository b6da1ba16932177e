//! The token counters: those of the core, and the exact ones if they are built in.

use crate::Error;
use preface_core::{
    budget::{Bytes4, Counter, Counters},
    pipeline::PipelineError,
    suggestion::suggest_or,
};

/// The counters that a request, a profile and a saved snapshot can name. `exact-counts` is what adds those with a
/// vocabulary.
///
/// ```
/// assert!(preface_engine::COUNTERS.get("estimate:claude").is_some());
/// assert_eq!(preface_engine::COUNTERS.get("o200k").is_some(), cfg!(feature = "exact-counts"));
/// ```
pub const COUNTERS: Counters = Counters::with(EXACT);

#[cfg(feature = "exact-counts")]
const EXACT: &[(&str, preface_core::budget::MakeCounter)] = crate::exact_counts::COUNTERS;
#[cfg(not(feature = "exact-counts"))]
const EXACT: &[(&str, preface_core::budget::MakeCounter)] = &[];

/// The short name of the default counter.
pub(crate) const ESTIMATE: &str = "estimate";

/// Returns the counter of a name; `estimate` is [`Bytes4`].
///
/// # Errors
/// There is no such counter.
pub fn counter(name: &str) -> Result<Box<dyn Counter>, Error> {
    COUNTERS.get(full(name)).ok_or_else(|| unknown(name, ""))
}

fn full(name: &str) -> &str {
    if name == ESTIMATE { Bytes4::NAME } else { name }
}

/// Returns the full name of the counter that is used: the caller's, else the profile's, else [`Bytes4`].
pub(crate) fn chosen(caller: Option<&str>, profile: Option<&str>) -> Result<String, Error> {
    let (name, whose) = match (caller, profile) {
        (Some(name), _) => (name, ""),
        (None, Some(name)) => (name, " (`counter` of the profile)"),
        (None, None) => (ESTIMATE, ""),
    };
    let is_known = COUNTERS.names().contains(&full(name));
    is_known.then(|| full(name).to_owned()).ok_or_else(|| unknown(name, whose))
}

/// Returns the error for an unknown counter; `whose` is the place that names it, if that is not the caller.
pub(crate) fn unknown(name: &str, whose: &str) -> Error {
    let names = COUNTERS.names();
    let help = suggest_or(name, names.iter().copied(), || {
        format!("tokenizers are `{ESTIMATE}`, `{}`", names.join("`, `"))
    });
    Error::Usage(format!("unknown tokenizer: `{name}`{whose}"), Some(help))
}

impl From<PipelineError> for Error {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Render(error) => Error::Render(error),
            PipelineError::Over(over) => Error::Over(over),
            PipelineError::Missing(key) => Error::Missing(key),
            PipelineError::Counter(name) => unknown(&name, ""),
        }
    }
}
