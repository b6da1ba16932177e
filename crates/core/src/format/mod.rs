//! The forms in which a prompt leaves, alone or with messages and tools.
//!
//! A [`RequestFormat`] shapes a [`RequestContent`] into what somebody else reads. A new one is one file here, with the type and its tests,
//! and one line in [`FORMATS`]. Nothing outside this module knows a vendor.

mod beside;
mod call;
mod neutral;
mod plain;

pub use call::RequestContent;
pub use neutral::Neutral;
pub use plain::Plain;

use crate::diagnostic::Diagnostics;
use std::fmt::Debug;

/// Shapes a call for a reader outside preface. The same call gives the same request.
///
/// ```
/// use preface_core::{prompt::Prompt, format::{RequestContent, FormattedRequest, RequestFormat}};
///
/// #[derive(Debug)]
/// struct Quoted;
///
/// impl RequestFormat for Quoted {
///     fn name(&self) -> &'static str {
///         "quoted"
///     }
///     fn about(&self) -> &'static str {
///         "the prompt as one JSON string"
///     }
///     fn shape(&self, call: RequestContent<'_>) -> FormattedRequest {
///         let body = serde_json::Value::from(&*call.prompt.text).to_string();
///         FormattedRequest { media_type: "application/json", body, diagnostics: Vec::new() }
///     }
/// }
///
/// let prompt = Prompt { text: "Say \"hi\".".into(), ..Prompt::default() };
/// assert_eq!(Quoted.shape(RequestContent::from(&prompt)).body, r#""Say \"hi\".""#);
/// ```
pub trait RequestFormat: Debug + Send + Sync {
    /// Returns the name that options and reports use.
    fn name(&self) -> &'static str;

    /// Returns half a sentence for lists and help.
    fn about(&self) -> &'static str;

    /// Turns prompt, messages and tools into what is sent. What the form cannot say is a note of the request.
    fn shape(&self, call: RequestContent<'_>) -> FormattedRequest;
}

/// Holds what is sent, ready for a pipe or a request body.
///
/// ```
/// use preface_core::{prompt::Prompt, format::wire};
/// let request = wire("plain").unwrap().shape((&Prompt::default()).into());
/// assert_eq!((request.media_type, request.body.as_str()), ("text/plain; charset=utf-8", ""));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedRequest {
    /// The media type of the body.
    pub media_type: &'static str,
    /// The body.
    pub body: String,
    /// Notes about what was sent in another form, or not at all.
    pub diagnostics: Diagnostics,
}

/// The wire formats, by name.
///
/// ```
/// use preface_core::format::FORMATS;
/// assert!(FORMATS.iter().any(|wire| wire.name() == "plain"));
/// ```
pub const FORMATS: &[&dyn RequestFormat] = &[&Plain, &Neutral];

/// Returns the wire format with this name.
///
/// ```
/// use preface_core::format::wire;
/// assert_eq!(wire("plain").unwrap().about(), "exactly the prompt's bytes");
/// assert!(wire("plane").is_none());
/// ```
#[must_use]
pub fn wire(name: &str) -> Option<&'static dyn RequestFormat> {
    FORMATS.iter().copied().find(|wire| wire.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_each_name_once() {
        assert!(
            FORMATS.is_sorted_by(|a, b| a.name() < b.name()),
            "FORMATS must stay sorted by name, without duplicates"
        );
    }

    #[test]
    fn a_wire_format_says_what_it_is() {
        for wire in FORMATS {
            let about = wire.about();
            assert!(!about.is_empty(), "`{}` must explain itself", wire.name());
            assert!(
                !about.ends_with('.') && !about.contains('\n'),
                "`{}` must explain itself in half a sentence: {about:?}",
                wire.name()
            );
        }
    }
}
