//! From what was asked to what it means: profile, places, tools, clock.

use crate::{
    Error,
    consent::{self, Ask, Gatekeeper, Opened},
    engine::{DEFAULT_PRESET, Engine},
    gather,
    request::Request,
};
use jiff::Timestamp;
use preface_core::{
    audit::AuditEvent,
    budget::{Bytes4, COUNTERS},
    diagnostic::{Diagnostic, Diagnostics},
    origin::Piece,
    profile::{Home, Profile, Setting},
    settings::{self, LayerSettings, Own, SetValue},
    suggestion::did_you_mean,
    turn::Turn,
};
use preface_host::{
    gate::Consent,
    places::{Places, normal},
    profile::{self, Choice},
    system::{System, Within},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What a request means. Not looked at yet: anything that belongs to the project.
pub(crate) struct Prepared {
    pub profile: Profile,
    pub places: Places,
    pub turn: Turn,
    /// The texts that the caller gave for the profile's `text_options`.
    pub given: BTreeMap<String, Vec<Piece>>,
    /// The settings that ship with preface.
    pub bundled: Option<LayerSettings>,
    /// The user's own settings.
    pub global: Option<LayerSettings>,
    /// Settings that the caller set.
    pub sets: Vec<LayerSettings>,
}

/// How the gate of a project is opened.
pub(crate) struct Opening<'a> {
    pub request: &'a Request,
    /// Given where a grant is being made.
    pub consent: Option<Consent>,
    pub ask: &'a dyn Ask,
}

impl Prepared {
    /// Lays the settings that are not a project's over the profile.
    pub(crate) fn apply_own_settings(&mut self) {
        let own = self.bundled.iter().chain(&self.global).chain(&self.sets).cloned().collect();
        gather::apply(&mut self.profile, &Own::read(&settings::merge(own, &mut Diagnostics::new())));
    }

    /// Opens the gate, and says where trust is recorded. The user's own settings decide how; a project's are read through
    /// it.
    pub(crate) fn open(
        &mut self,
        system: &dyn System,
        opening: Opening<'_>,
        diagnostics: &mut Diagnostics,
        events: &mut Vec<AuditEvent>,
    ) -> Result<(Opened, Option<PathBuf>), Error> {
        let own = self.bundled.iter().chain(&self.global).chain(&self.sets).cloned().collect();
        if let Some(mode) = Own::read(&settings::merge(own, &mut Diagnostics::new())).trust_mode {
            self.profile.trust = mode.value;
        }
        let store = consent::store_path(system, &self.profile, &self.places);
        let opened = Gatekeeper {
            system,
            mode: self.profile.trust,
            store: store.as_deref(),
            places: &self.places,
            choice: opening.request.trust,
            pins: opening.request.pins.as_deref(),
            ask: opening.ask,
        }
        .open(opening.consent, diagnostics, events)?;
        Ok((opened, store))
    }
}

impl Engine<'_> {
    pub(crate) fn prepare(
        &self,
        request: &Request,
        diagnostics: &mut Diagnostics,
    ) -> Result<Prepared, Error> {
        let system = self.system();
        let cwd = self.cwd(request)?;
        let (options, sets) = split_sets(&request.sets)?;

        // The user's default profile is named in the settings of the default home.
        let mut notes = Diagnostics::new();
        let shared = Places::find(system, &cwd, &default_home(), &mut notes);
        let bundled = crate::settings::bundled(system, diagnostics);
        let settings = read_settings(system, &shared, &mut notes);
        let choice = self.choice(request, &shared, bundled.iter().chain(&settings).chain(&sets));
        let load = |options| profile::load(system, shared.global.as_deref(), &choice, options);
        let profile = load(&options).map_err(|error| {
            // Where the profile is fine without them, it is the caller's options that are wrong.
            match !options.is_empty() && load(&[]).is_ok() {
                true => Error::Usage(error.message, error.help),
                false => Error::Profile(error),
            }
        })?;
        // Most profiles live in that same home: what was found there is found once.
        let (places, global) = if profile.home == default_home() {
            diagnostics.append(&mut notes);
            (shared, settings)
        } else {
            let places = Places::find(system, &cwd, &profile.home, diagnostics);
            let global = read_settings(system, &places, diagnostics);
            (places, global)
        };

        let turn = Turn {
            cwd: request.cwd_name.clone().unwrap_or_else(|| cwd.display().to_string()),
            model: request.model.clone(),
            conversation: request.conversation.clone(),
            agent: None,
            // Which tools there are is known once the layers are.
            tools: Vec::new(),
            guidelines: Vec::new(),
            now: instant(system, request.now.as_deref())?,
            zone: request.zone.clone(),
            budget: request.budget,
            counter: counter(request.counter.as_deref())?,
            facts: request.facts.clone(),
        };
        if let Some(zone) = &request.zone
            && system.zone(zone).is_none()
        {
            return Err(Error::Usage(
                format!("unknown time zone: `{zone}`"),
                Some("use a name such as `Europe/Berlin` or `UTC`".into()),
            ));
        }
        let given = self.given(&profile, diagnostics)?;
        Ok(Prepared { profile, places, turn, given, bundled, global, sets })
    }

    /// Returns the directory of a request, absolute, links not resolved.
    ///
    /// # Errors
    /// There is none, or it is no directory.
    pub fn cwd(&self, request: &Request) -> Result<PathBuf, Error> {
        let system = self.system();
        let here = || {
            system.current_dir().ok_or_else(|| {
                Error::Usage(
                    "the working directory is gone".to_owned(),
                    Some("name one with `-C DIR`".to_owned()),
                )
            })
        };
        let cwd = match &request.cwd {
            Some(dir) if dir.is_absolute() => normal(Path::new("/"), dir),
            Some(dir) => normal(&here()?, dir),
            None => here()?,
        };
        match system.stat(&cwd) {
            Some(stat) if stat.kind == preface_host::system::FileKind::Dir => Ok(cwd),
            Some(_) => Err(Error::Usage(
                format!("not a directory: `{}`", cwd.display()),
                Some("`-C` takes a directory".into()),
            )),
            None => Err(Error::Usage(
                format!("no such directory: `{}`", cwd.display()),
                Some("`-C` takes a directory".into()),
            )),
        }
    }

    /// Returns this instant as a turn has it.
    pub(crate) fn instant_now(&self) -> String {
        written(self.system().now())
    }

    fn choice<'l>(
        &self,
        request: &Request,
        shared: &Places,
        settings: impl Iterator<Item = &'l LayerSettings>,
    ) -> Choice {
        if let Some(file) = &request.profile {
            let base = self.system().current_dir().unwrap_or_default();
            return Choice::File(normal(&base, file));
        }
        if let Some(name) = &request.preset {
            return Choice::Named(name.clone());
        }
        let layers: Vec<LayerSettings> = settings.cloned().collect();
        if layers.is_empty() {
            return Choice::Named(DEFAULT_PRESET.to_owned());
        }
        let own = Own::read(&settings::merge(layers, &mut Diagnostics::new()));
        if let Some(file) = own.profile {
            let base = shared.global.clone().unwrap_or_else(|| shared.cwd.clone());
            return Choice::File(match (file.value.strip_prefix("~/"), &shared.home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => base.join(&file.value),
            });
        }
        Choice::Named(own.preset.map_or_else(|| DEFAULT_PRESET.to_owned(), |name| name.value))
    }
}

/// Where the user's choice of profile is looked up.
pub(crate) fn default_home() -> Home {
    Home {
        global: vec!["config:preface".to_owned()],
        project: Some(".preface".to_owned()),
        flat_extensions: false,
        variable: None,
    }
}

fn read_settings(
    system: &dyn System,
    places: &Places,
    diagnostics: &mut Diagnostics,
) -> Option<LayerSettings> {
    let path = places.global.as_ref()?.join("settings.json");
    let source = places.source(preface_core::scope::Scope::Global, &path);
    match system.read(&path, Within::Anywhere, preface_host::look::SETTINGS_LIMIT) {
        Ok(read) => {
            let (settings, notes) =
                settings::parse(preface_core::scope::Scope::Global, &source.path, &read.bytes);
            diagnostics.extend(notes);
            settings
        }
        Err(preface_host::system::ReadError::Missing) => None,
        Err(error) => {
            diagnostics.push(
                Diagnostic::error(
                    "Validation/SettingsShapeInvalid",
                    format!("{} was left out: {error}", source.path),
                )
                .at(preface_core::diagnostic::Place::file(Some(source.scope), source.path.clone()))
                .help("put a regular file of at most 1 MiB there that you can read, or nothing"),
            );
            None
        }
    }
}

/// Splits `path=value` into profile options and settings.
fn split_sets(sets: &[String]) -> Result<(Vec<Setting>, Vec<LayerSettings>), Error> {
    let mut options = Vec::new();
    let mut layers = Vec::new();
    for set in sets {
        let Some((key, value)) = set.split_once('=') else {
            return Err(Error::Usage(format!("`--set` takes `path=value`: `{set}`"), None));
        };
        if let Some((root, _)) = key.split_once('.')
            && !settings::is_settings_root(key)
        {
            let near = did_you_mean(root, settings::TOP.iter().map(|field| field.name));
            return Err(Error::Usage(
                format!("unknown setting: `{key}`"),
                near.map(|near| format!("did you mean `{}`?", key.replacen(root, near, 1))),
            ));
        }
        // `budget` and `trust` are both: with a dot they are settings.
        if settings::is_settings_root(key) && (key.contains('.') || !matches!(key, "budget" | "trust")) {
            let value =
                SetValue::parse(set).map_err(|error| Error::Usage(error.to_string(), error.hint()))?;
            layers.push(value.into_layer());
        } else {
            options.push(Setting { key: key.to_owned(), value: value.to_owned() });
        }
    }
    Ok((options, layers))
}

/// Returns the instant of a build that names none.
fn instant(system: &dyn System, given: Option<&str>) -> Result<String, Error> {
    let now = match given {
        None => system.now(),
        Some(text) => text.parse::<Timestamp>().map_err(|_| {
            Error::Usage(
                format!("not an instant: `{text}`"),
                Some("use RFC 3339, such as `2026-03-07T14:55:05Z`".to_owned()),
            )
        })?,
    };
    Ok(written(now))
}

fn written(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// `estimate` is the short name of the default.
fn counter(given: Option<&str>) -> Result<String, Error> {
    let name = match given {
        None | Some("estimate") => Bytes4::NAME,
        Some(name) => name,
    };
    if COUNTERS.iter().any(|(known, _)| *known == name) {
        return Ok(name.to_owned());
    }
    let known: Vec<&str> = COUNTERS.iter().map(|(name, _)| *name).collect();
    Err(Error::Usage(
        format!("unknown counter: `{name}`"),
        Some(format!("counters are `estimate` ({})", known.join(", "))),
    ))
}
