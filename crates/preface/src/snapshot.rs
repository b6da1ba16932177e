//! Everything that a prompt was built from.

use crate::{Error, ErrorKind, Prompt};
use preface_core::snapshot;
use preface_engine::{Engine, read_snapshot};

/// Everything that a prompt was built from: the profile, the texts of files, the values of variables. The same snapshot gives
/// the same bytes on every machine, and nothing else is read.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// use preface::Snapshot;
/// let prompt = preface.prompt(dir.path()).build()?;
/// let saved = prompt.snapshot().to_json()?;
/// assert_eq!(Snapshot::from_json(saved)?.build()?.text(), prompt.text());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot(pub(crate) snapshot::Snapshot);

impl Snapshot {
    /// Reads a saved snapshot: that of [`to_json`](Self::to_json), or of `preface build --save-snapshot`.
    ///
    /// # Errors
    /// The JSON is not valid, or another version of preface wrote it.
    pub fn from_json(json: impl AsRef<[u8]>) -> Result<Self, Error> {
        let read = read_snapshot(json.as_ref());
        read.map(Snapshot).map_err(|error| Error::of_engine(error.into()))
    }

    /// Returns the JSON form, in which texts of files and values of variables are readable.
    ///
    /// # Errors
    /// None that is known; a value that JSON cannot hold would be one.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(&self.0).map_err(|error| Error::new(ErrorKind::Snapshot, error.to_string()))
    }

    /// Builds the prompt again. The machine is not accessed.
    ///
    /// # Errors
    /// The snapshot lacks a variable, or its parts do not tile the text: it was changed by hand.
    pub fn build(&self) -> Result<Prompt, Error> {
        let mut snapshot = self.0.clone();
        let prompt = Engine::rebuild(&mut snapshot).map_err(Error::of_engine)?;
        prompt.check_tiling().map_err(|why| Error::new(ErrorKind::Snapshot, why))?;
        let tools = Engine::rebuild_tools(&mut snapshot).map_err(Error::of_engine)?;
        Ok(Prompt::new(prompt, Snapshot(snapshot), tools))
    }
}
