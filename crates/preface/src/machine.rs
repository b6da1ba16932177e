//! The entry point: one machine, on which prompts are built.

use crate::PromptBuilder;
use preface_engine::{ASSETS, OsSystem, preset_names};
use preface_host::system::System;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Builds system prompts on this machine, with the presets that ship with the library.
///
/// It is cheap to clone, and threads can share it. Nothing is read before a prompt is built.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let (home, project) = (dir.path().join("home"), dir.path().join("project"));
/// # std::fs::create_dir_all(&home)?; std::fs::create_dir_all(&project)?;
/// use preface::Preface;
/// let prompt = Preface::with_home(home).prompt(&project).build()?;
/// assert!(prompt.text().starts_with("You are"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Preface {
    system: Arc<dyn System>,
}

impl Preface {
    /// Uses the home directory, the settings and the trust records of the user, as the command `preface` does.
    #[must_use]
    pub fn new() -> Self {
        Preface { system: Arc::new(OsSystem::new(ASSETS)) }
    }

    /// Uses `home` in the place of the user's home directory, and no environment variable but `PATH`: for services and tests,
    /// whose prompts must not depend on who runs them. Settings, profiles and trust records are those below `home`.
    #[must_use]
    pub fn with_home(home: impl Into<PathBuf>) -> Self {
        Preface { system: Arc::new(OsSystem::new(ASSETS).with_home(home)) }
    }

    /// Asks for the system prompt of a directory. A relative path starts at the working directory of the process.
    pub fn prompt(&self, directory: impl AsRef<Path>) -> PromptBuilder {
        PromptBuilder::new(self.clone(), directory.as_ref())
    }

    /// Returns the names of the presets that ship with the library.
    ///
    /// ```
    /// assert!(preface::Preface::new().presets().contains(&"default".to_owned()));
    /// ```
    #[must_use]
    pub fn presets(&self) -> Vec<String> {
        preset_names(&*self.system, None)
    }

    pub(crate) fn system(&self) -> &Arc<dyn System> {
        &self.system
    }
}

impl Default for Preface {
    fn default() -> Self {
        Preface::new()
    }
}

/// The blocks of Rust in the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tasks/use-it-from-your-agent.md")]
struct UseItFromYourAgent;
