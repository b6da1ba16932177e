//! `preface list presets`: the bundled presets and your own profiles.

use super::{ListQuery, Listing};
use crate::{
    CommandResult, files,
    ui::{Cell, TextTable, one_line, style},
};
use preface_core::scope::Scope;
use preface_engine::{BuildOptions, Engine, host::system::System, preset_names};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// A preset or a profile of the user.
#[derive(Clone, Debug, Serialize)]
pub struct Preset {
    /// The name that `--preset` takes.
    pub name: String,
    /// The layer of the file.
    pub scope: Scope,
    /// The file: a path, or `bundled/presets/NAME.toml`.
    pub path: String,
    /// The key `about` of the profile; empty if it has none.
    pub description: String,
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

impl Preset {
    /// Finds all presets and profiles, sorted by name.
    pub fn all(request: &BuildOptions) -> CommandResult<Vec<Preset>> {
        let system = files::system();
        let places = Engine::new(system).look(request)?.scopes()?.places;
        let global = places.global.as_deref();
        let own = |name: &str| Some(global?.join("profiles").join(format!("{name}.toml")));
        let presets = preset_names(system, global).into_iter().map(|name| {
            let file = own(&name).filter(|file| system.stat(file).is_some());
            let (scope, path) = match &file {
                Some(file) => (Scope::Global, places.shown(file)),
                None => (Scope::Bundled, format!("bundled/presets/{name}.toml")),
            };
            let preset = Preset { name, scope, path, description: String::new(), file };
            let text = preset.text().unwrap_or_default();
            let about = text.lines().find_map(|line| line.strip_prefix("about = \"")?.strip_suffix('"'));
            Preset { description: about.unwrap_or_default().to_owned(), ..preset }
        });
        Ok(presets.collect())
    }

    /// Reads the file.
    pub fn text(&self) -> CommandResult<String> {
        match &self.file {
            Some(file) => Ok(files::read_text(file)?.1),
            None => {
                let asset = files::system().bundled(self.path.trim_start_matches("bundled/"));
                Ok(asset.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
            }
        }
    }
}

/// Lists the presets and profiles.
pub(super) fn list(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let mut table = TextTable::headed(["name", "layer", "path", "about"]);
    let presets = Preset::all(&query.request)?;
    for preset in &presets {
        table.row([
            Cell::styled(one_line(&preset.name), style::BOLD),
            Cell::styled(preset.scope.as_str(), style::scope(preset.scope)),
            one_line(&preset.path).into(),
            Cell::styled(one_line(&preset.description), style::DIM),
        ]);
    }
    let entries = presets.iter().map(|preset| json!(preset)).collect();
    Ok(Listing { entries, text: table.show(query.room), ..Listing::default() })
}
