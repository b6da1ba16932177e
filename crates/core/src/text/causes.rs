//! The causes of an error in a message.

use std::error::Error;

/// Joins an error and its causes in one line. A cause that the message has already is left out.
///
/// ```
/// use preface_core::causes::join_causes;
/// let error = std::io::Error::other("no route to host");
/// assert_eq!(join_causes(&error), "no route to host");
/// ```
#[must_use]
pub fn join_causes(error: &(dyn Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        next = cause.source();
    }
    message
}
