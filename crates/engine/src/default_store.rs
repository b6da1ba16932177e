//! The default location of the store of templates and conversations.

use crate::store::StoreUrl;
use preface_host::{
    places::{HomeTrust, StateDirInside, user_state},
    system::System,
};
use std::path::Path;

/// Returns the store that the command line and the service share: `preface.db` in the user's state directory, beside the
/// trust store. `None` if the user has no directory at all.
///
/// # Errors
/// The directory lies inside of the project that is worked in, and could have come with it.
///
/// ```
/// use preface_engine::host::{places::HomeTrust, system::testing::MemorySystem};
///
/// let store = |home: &str| {
///     let system = MemorySystem::new().with_dir("/work").with_var("PREFACE_HOME", home);
///     preface_engine::default_store(&system, "/work".as_ref(), HomeTrust::OutsideProject)
/// };
/// assert_eq!(store("/mine").unwrap().unwrap().to_string(), "sqlite:/mine/preface.db");
/// assert!(store("/work/mine").is_err());
/// ```
pub fn default_store(
    system: &dyn System,
    cwd: &Path,
    trust: HomeTrust,
) -> Result<Option<StoreUrl>, StateDirInside> {
    let state = user_state(system, cwd, trust)?;
    Ok(state.map(|dir| StoreUrl::Sqlite(dir.join("preface.db"))))
}
