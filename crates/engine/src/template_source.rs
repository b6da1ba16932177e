//! The source of the stored template of a build. It is used only if the profile has a template, so that a build of any
//! other profile opens no store.

use crate::{Error, TemplateInput};
use std::fmt;

/// Gives the template that a store keeps.
///
/// ```
/// use preface_engine::{ASSETS, Engine, Error, BuildOptions, TemplateInput, TemplateSource};
/// use preface_engine::host::system::testing::MemorySystem;
///
/// #[derive(Debug)]
/// struct Mine;
///
/// impl TemplateSource for Mine {
///     fn chosen(&self) -> Option<&str> {
///         None
///     }
///     fn template(&self) -> Result<Option<TemplateInput>, Error> {
///         Ok(Some(TemplateInput { version: Some(3), ..TemplateInput::unsaved("main", "In [prompt:cwd].") }))
///     }
/// }
///
/// let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
/// let engine = Engine::new(&system).with_templates(&Mine);
/// let request = BuildOptions { preset: Some("template".into()), ..BuildOptions::in_dir("/work") };
/// assert_eq!(engine.build(&request)?.prompt.text, "In /work.");
/// # Ok::<(), Error>(())
/// ```
pub trait TemplateSource: fmt::Debug + Send + Sync {
    /// Returns the template that the caller chose by name, if any: a profile without a template reports that
    /// it is not used.
    fn chosen(&self) -> Option<&str>;

    /// Returns the template to use; `None` for the profile's own.
    ///
    /// # Errors
    /// The store cannot be read, or what was chosen is not there.
    fn template(&self) -> Result<Option<TemplateInput>, Error>;
}
