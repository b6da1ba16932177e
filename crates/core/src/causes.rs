//! The causes of an error in a message.

use std::{error::Error, iter::successors};

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
    for cause in successors(error.source(), |cause| cause.source()) {
        let cause = cause.to_string();
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}
