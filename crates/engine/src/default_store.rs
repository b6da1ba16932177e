//! Where templates and conversations are kept when nobody says otherwise.

use crate::store::StoreUrl;
use preface_host::{
    system::System,
    trust::{Dirs, state_dir},
};

/// Returns the store that the command line and the service share: `preface.db` in the user's state directory, beside the
/// trust store. `None` where the user has no directory at all.
///
/// ```
/// # if cfg!(windows) { return; }
/// use preface::host::system::memory::MemorySystem;
///
/// let system = MemorySystem::new().with_var("PREFACE_HOME", "/mine");
/// let store = preface::default_store(&system).map(|url| url.to_string());
/// assert_eq!(store.as_deref(), Some("sqlite:/mine/preface.db"));
/// ```
#[must_use]
pub fn default_store(system: &dyn System) -> Option<StoreUrl> {
    Some(StoreUrl::Sqlite(state_dir(&Dirs::of(system))?.join("preface.db")))
}
