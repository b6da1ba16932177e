//! The settings of a directory, without a prompt: their values, and the file that a change is written to.

use crate::{
    Error,
    build_options::{BuildOptions, TrustChoice},
    engine::Engine,
    error::UntrustedProject,
    input::consent::{self, ProjectAccess},
    input::{
        FirstFiles, Inputs,
        load_profile::{LoadedProfile, default_home},
    },
    list::Build,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    scope::Scope,
    settings::MergedSettings,
    trust::TrustMode,
};
use preface_host::{places::Places, settings_file::SettingsFile, trust::gate::GateVerdict};
use std::path::Path;

/// The settings of a directory.
#[derive(Clone, Debug)]
pub struct SettingsReport {
    /// The merged settings of all layers.
    pub merged: MergedSettings,
    /// The path, for people, of the project's file where it is untrusted and was left out.
    pub untrusted: Option<String>,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
}

impl<'s> Build<'s> {
    /// Returns the merged settings that a prompt would use.
    ///
    /// # Errors
    /// [`Error::Untrusted`] where the request requires trust.
    pub fn settings(&self) -> Result<SettingsReport, Error> {
        let Inputs { loaded, project, entries, .. } = &self.inputs;
        let system = self.engine.system();
        let ProjectAccess { places, gate, untrusted_layer, .. } = &project.access;
        let file = places.project.as_ref().map(|dir| dir.join(places.own_settings()));
        let file = file.filter(|file| project.layers.is_empty() && system.link_stat(file).is_some());
        let shown = file.map(|file| places.source(Scope::Project, &file).path.clone());
        let is_left_out = |file: &String| {
            gate.seen().iter().any(|seen| seen.shown == *file && seen.verdict != GateVerdict::Included)
        };
        let untrusted = shown.filter(|file| untrusted_layer.is_some() || is_left_out(file) || gate.denies());
        if let Some(file) = untrusted.as_ref().filter(|_| self.request.trust == TrustChoice::Require) {
            let root = consent::layer_root(system, places)
                .filter(|_| loaded.profile.trust == TrustMode::Whole)
                .unwrap_or_else(|| consent::pin_root(system, &places.cwd));
            let (path, sources) = (root.display().to_string(), vec![file.clone()]);
            return Err(Error::Untrusted(UntrustedProject { path, sources, states: Vec::new() }));
        }
        let scopes = &entries.scopes;
        let mut diagnostics =
            [&loaded.diagnostics[..], &project.access.diagnostics[..], &project.diagnostics[..]].concat();
        // What is wrong with extensions is reported by those who list them.
        diagnostics
            .extend(scopes.diagnostics.iter().filter(|diagnostic| is_about_settings(diagnostic)).cloned());
        let ignored = scopes.ignored.iter().map(|value| (value.by, value.path.as_slice()));
        let ignored = ignored.chain(loaded.ignored.iter().map(|(by, path)| (*by, path.as_slice())));
        let merged = MergedSettings::clone(&project.settings).without(ignored);
        Ok(SettingsReport { merged, untrusted, diagnostics })
    }

    /// Returns the file that a change of settings goes to.
    ///
    /// # Errors
    /// No place for the file, and a directory of the project that is a link to one which is not trusted.
    pub fn settings_file(&self, scope: Scope) -> Result<SettingsFile<'s>, Error> {
        let (LoadedProfile { profile, places, store, .. }, system) =
            (&self.inputs.loaded, self.engine.system());
        let is_trusted = |dir: &Path| consent::recorded(system, store.as_deref(), places, dir).is_whole();
        SettingsFile::of(system, places, profile.trust, scope, is_trusted).map_err(Error::Settings)
    }

    /// Does what has to come before anything creates the user's own directory: a profile that brings a first file writes
    /// it exactly when that directory is new, so that a setting that is written first does not swallow it. Loggers get the
    /// event.
    pub fn first_files(&self) -> Diagnostics {
        let LoadedProfile { profile, places, .. } = &self.inputs.loaded;
        let FirstFiles { mut diagnostics, audit } = self.engine.scaffold(profile, places);
        diagnostics.extend(self.engine.log_events(&self.request, &audit));
        diagnostics
    }
}

impl Engine<'_> {
    /// Returns the user's settings that choose the profile: those of the default home, whichever profile that is. It is found
    /// also where the profile that they choose cannot be loaded.
    ///
    /// # Errors
    /// A working directory that there is not, and what [`SettingsFile::of`] refuses.
    pub fn choosing_settings_file(&self, request: &BuildOptions) -> Result<SettingsFile<'_>, Error> {
        let cwd = self.cwd(request)?;
        let places =
            Places::find(self.system(), &cwd, &default_home(), request.home_trust, &mut Diagnostics::new());
        SettingsFile::of(self.system(), &places, TrustMode::Pinned, Scope::Global, |_| false)
            .map_err(Error::Settings)
    }
}

/// Returns whether a diagnostic reports that a value of settings is not used.
fn is_about_settings(diagnostic: &Diagnostic) -> bool {
    let is_value = matches!(
        diagnostic.code,
        DiagnosticCode::SettingsIgnored
            | DiagnosticCode::UnknownConfigKey
            | DiagnosticCode::ConfigSchemaViolation
    );
    let file = diagnostic.place.as_ref().map(|place| place.path.as_str());
    let is_settings = |path: &str| {
        path.ends_with("settings.json") || path.ends_with("preface.json") || path.starts_with("--set")
    };
    is_value && file.is_some_and(is_settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_core::{
        assets::ASSETS,
        settings::{SetBy, ValueOutcome},
    };
    use preface_host::system::{System, testing::MemorySystem};

    fn machine() -> MemorySystem {
        MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/user")
            .with_dir("/work")
            .with_current_dir("/work")
            .with_bundled("settings.json", br#"{"logging": {"level": "bundled", "color": true}}"#.as_slice())
            .with_file("/home/user/.config/preface/settings.json", r#"{"logging": {"level": "global"}}"#)
            .with_file("/work/.preface/settings.json", r#"{"logging": {"level": "project"}, "preset": "pi"}"#)
    }

    #[test]
    fn three_layers_and_the_caller_speak_in_their_order() {
        let system = machine();
        let engine = Engine::new(&system);
        let request = BuildOptions {
            trust: TrustChoice::Once,
            sets: vec!["logging.level=caller".to_owned()],
            ..BuildOptions::default()
        };
        let settings = engine.look(&request).and_then(|build| build.settings()).expect("they are good");
        let values = settings.merged.why(&"logging.level".parse().expect("a path"));
        let by: Vec<_> = values.iter().map(|value| (value.by, value.outcome)).collect();
        assert_eq!(
            by,
            [
                (SetBy::Bundled, ValueOutcome::Overridden),
                (SetBy::Global, ValueOutcome::Overridden),
                (SetBy::Project, ValueOutcome::Overridden),
                (SetBy::Caller, ValueOutcome::Used),
            ]
        );
        assert_eq!(settings.merged.to_value()["logging"]["color"], true);
        assert_eq!(settings.untrusted, None);
    }

    #[test]
    fn a_projects_settings_pass_the_gate() {
        let system = machine();
        let engine = Engine::new(&system);
        let settings =
            engine.look(&BuildOptions::default()).and_then(|build| build.settings()).expect("they are good");
        assert_eq!(settings.merged.to_value()["logging"]["level"], "global");
        assert_eq!(settings.untrusted.as_deref(), Some(".preface/settings.json"));
        let codes: Vec<_> = settings.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(codes, ["trust/untrusted"]);
        let required = BuildOptions { trust: TrustChoice::Require, ..BuildOptions::default() };
        let required = engine.look(&required).and_then(|build| build.settings());
        assert!(
            matches!(required, Err(Error::Untrusted(untrusted)) if untrusted.sources == [".preface/settings.json"])
        );
    }

    #[test]
    fn a_build_uses_the_bundled_settings_too() {
        let system = machine()
            .with_bundled("settings.json", br#"{"systemPrompt": {"append": "Be kind."}}"#.as_slice());
        let built = Engine::new(&system).build(&BuildOptions::default()).expect("it builds");
        assert!(built.prompt.text.ends_with("Be kind."), "{}", built.prompt.text);
    }

    #[test]
    fn nothing_is_written_by_looking() {
        let profile = "extends = \"default\"\nhome = { global = [\"~/.own\"], project = \".own\" }\n\
                       scaffold = { when = \"discover\", files = { \"system.md\" = \"first.md\" } }\n";
        let system = machine()
            .with_bundled("first.md", b"Be kind.".as_slice())
            .with_file("/home/user/.config/preface/profiles/own.toml", profile);
        let request = BuildOptions { preset: Some("own".to_owned()), ..BuildOptions::default() };
        let engine = Engine::new(&system);
        let build = engine.look(&request).expect("it can be looked at");
        build.settings().expect("they are good");
        let home = Path::new("/home/user/.own");
        assert!(system.stat(home).is_none());
        let diagnostics = build.first_files();
        let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(codes, ["scaffold/created"]);
        assert!(system.stat(&home.join("system.md")).is_some());
    }
}
