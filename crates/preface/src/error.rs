//! What stops a call.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    message::MessagesError,
};
use preface_engine::conversation::ConversationError;
use preface_store::StoreError;
use std::{fmt, sync::Arc};

/// What the caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is not valid, or names something that does not exist.
    Usage,
    /// A profile, a setting, a template or a catalog cannot be used. The location is in that file.
    Config,
    /// Text is untrusted, and the call does not accept that it is left out.
    Untrusted,
    /// What must not be cut is larger than the budget.
    TooLarge,
    /// A saved snapshot cannot be read or rebuilt.
    Snapshot,
    /// The conversation does not exist, or another program changed it.
    Conversation,
    /// The store, or a file that the library writes, cannot be read or written.
    Store,
}

/// The reason why a call failed. Everything that does not stop a call is a [`Diagnostic`](crate::Diagnostic).
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// use preface::ErrorKind;
/// let error = preface.prompt(dir.path()).preset("defualt").build().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Usage);
/// assert_eq!(error.to_string(), "unknown preset: `defualt`");
/// assert_eq!(error.help(), Some("did you mean `default`?"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Error(Box<ErrorData>);

#[derive(Clone, Debug)]
struct ErrorData {
    kind: ErrorKind,
    diagnostic: Diagnostic,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn usage(message: impl Into<String>, help: &str) -> Self {
        Error::new(ErrorKind::Usage, message).with_help(Some(help.to_owned()))
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let code = match kind {
            ErrorKind::Usage => DiagnosticCode::Usage,
            ErrorKind::Untrusted => DiagnosticCode::TrustRequired,
            ErrorKind::TooLarge => DiagnosticCode::BudgetOver,
            _ => DiagnosticCode::Failed,
        };
        Error(Box::new(ErrorData { kind, diagnostic: Diagnostic::error(code, message), source: None }))
    }

    fn with_help(mut self, help: Option<impl Into<Remedy>>) -> Self {
        self.0.diagnostic.help = help.map(Into::into);
        self
    }

    fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Returns what kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the code, which stays the same over versions. `docs/reference/diagnostics.md` lists them.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.diagnostic.code.as_str()
    }

    /// Returns the place in a file, if there is one.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.diagnostic.place.as_ref().filter(|place| !place.path.is_empty())
    }

    /// Returns what to do next.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.diagnostic.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.diagnostic.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message is already that of the source.
        self.0.source.as_deref().and_then(|source| source.source())
    }
}

// Conversions are functions, because an `impl From` would make the types of the crates below part of the public surface.
impl Error {
    pub(crate) fn of_engine(error: preface_engine::Error) -> Self {
        use preface_engine::Error as Cause;
        let kind = match &error {
            Cause::Usage(..) => ErrorKind::Usage,
            Cause::Profile(cause) if cause.place.path.is_empty() => ErrorKind::Usage,
            Cause::Profile(_) | Cause::Catalog(_) | Cause::Render(_) | Cause::Settings(_) => {
                ErrorKind::Config
            }
            Cause::Over(_) => ErrorKind::TooLarge,
            Cause::Untrusted(_) => ErrorKind::Untrusted,
            Cause::Missing(_) | Cause::Snapshot(_) => ErrorKind::Snapshot,
            Cause::Trust(..) | Cause::Store(_) | Cause::Abort => ErrorKind::Store,
        };
        let message = match &error {
            // The place is a field of its own.
            Cause::Profile(cause) => cause.message.clone(),
            error => error.to_string(),
        };
        let mut wrapped = Error::new(kind, message).with_help(error.help());
        wrapped.0.diagnostic.code = error.code();
        wrapped.0.diagnostic.place = error.place().cloned();
        wrapped.with_source(error)
    }

    pub(crate) fn of_store(error: StoreError) -> Self {
        let kind = match error {
            StoreError::Address { .. } => ErrorKind::Usage,
            _ => ErrorKind::Store,
        };
        Error::new(kind, error.to_string()).with_help(error.help()).with_source(error)
    }

    pub(crate) fn of_conversation(error: ConversationError) -> Self {
        let kind = match error {
            ConversationError::Engine(error) => return Error::of_engine(error),
            ConversationError::Store(error) => return Error::of_store(error),
            ConversationError::TrustChanged(..) => ErrorKind::Untrusted,
            ConversationError::Unknown(_)
            | ConversationError::UnknownRequest(..)
            | ConversationError::Stale(_) => ErrorKind::Conversation,
            ConversationError::Record(_) | ConversationError::Overloaded(_) => ErrorKind::Store,
            _ => ErrorKind::Usage,
        };
        Error::new(kind, error.to_string()).with_help(error.help()).with_source(error)
    }

    pub(crate) fn of_messages(error: MessagesError) -> Self {
        let mut wrapped = Error::new(ErrorKind::Usage, error.to_string()).with_help(error.help.clone());
        wrapped.0.diagnostic.place = Some((*error.place).clone());
        wrapped.with_source(error)
    }
}
