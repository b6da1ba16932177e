//! The first input stage: the profile of a request with its options, and everything that is known without the project.

use crate::{
    Error,
    build_options::{BuildOptions, TrustChoice},
    counters,
    engine::{DEFAULT_PRESET, Engine},
    input::consent,
    input::options::{self, OptionSetting},
};
use jiff::Timestamp;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    lint::hidden::escape_hidden,
    origin::Piece,
    profile::{Profile, ProfileDirs, ProfileError, RawProfile, Setting},
    scope::Scope,
    settings::{self, LayerSettings, MergedSettings, SetBy, SetValue, Settings, ValueShape},
    suggestion::{did_you_mean, suggest_or},
    turn::Turn,
    variable::{VariableKey, source::PROFILE_OPTIONS},
};
use preface_host::{
    places::{Places, normal, resolve_parents},
    profile::{self, ProfileChoice},
    system::{HardLinks, ReadScope, System},
    trust::bounds::Bounds,
};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Returns whether a path has a component `.` or `..`.
fn has_dots(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    text.split(|byte| *byte == b'/').any(|part| part == b"." || part == b"..")
}

/// The profile of a request, and everything that is known before anything of the project is read.
#[derive(Clone, Debug)]
pub(crate) struct LoadedProfile {
    /// With the options of the caller and of the user's settings.
    pub profile: Arc<Profile>,
    /// Where it was read from.
    pub source: ProfileSource,
    pub places: Places,
    /// Without tools: which there are is known once the entries are.
    pub turn: Turn,
    /// The texts that the caller gave for the profile's `text_options`.
    pub given: BTreeMap<String, Vec<Piece>>,
    pub settings: UserSettings,
    /// These settings, merged, as their types, and what merging reported.
    pub merged: Arc<MergedSettings>,
    pub typed: Arc<Settings>,
    pub merge_diagnostics: Diagnostics,
    /// The values of options that the profile refuses.
    pub ignored: Vec<options::IgnoredValue>,
    /// The directories that files of the project may be in.
    pub bounds: Bounds,
    /// The directories that files of the tree must be in; `None` is anywhere.
    pub roots: Option<Vec<PathBuf>>,
    /// The trust store; `None` if there is no directory to keep one in.
    pub store: Option<PathBuf>,
    pub diagnostics: Diagnostics,
}

/// The place that a profile was read from.
#[derive(Clone, Debug)]
pub struct ProfileSource {
    /// The chosen profile.
    pub choice: ProfileChoice,
    /// The directory that `profiles/` lies in.
    pub dir: Option<PathBuf>,
}

impl ProfileSource {
    /// Returns the place of a key in the nearest profile that has it, such as `["section", "identity", "when"]`.
    #[must_use]
    pub fn place_of_key(&self, system: &dyn System, path: &[&str]) -> Option<Place> {
        self.files(system).iter().map(|raw| raw.place_of(path)).find(|place| place.span.is_some())
    }

    /// Returns the place of the value of a key in the nearest profile that has it.
    #[must_use]
    pub fn place_of_value(&self, system: &dyn System, path: &[&str]) -> Option<Place> {
        self.files(system).iter().map(|raw| raw.place_of_value(path)).find(|place| place.span.is_some())
    }

    /// Finds the place of a variable in a condition, such as `section.identity.when`: the condition, if no file of the profile
    /// has the variable in it.
    #[must_use]
    pub fn locate_test(&self, system: &dyn System, when: &str, variable: &VariableKey) -> Option<Place> {
        let text = variable.as_str();
        self.locate_value(system, when, text, &(0..text.len()))
            .or_else(|| self.place_of_key(system, &when.split('.').collect::<Vec<_>>()))
    }

    /// Returns the place of a key at which the nearest profile that has it replaces the value of one that is extended, and the
    /// name of that one.
    #[must_use]
    pub fn replaced(&self, system: &dyn System, key: &str) -> Option<(Place, String)> {
        let files = self.files(system);
        let mut raws = files.iter().filter(|raw| raw.has(key));
        let (nearest, below) = (raws.next()?, raws.next()?);
        Some((nearest.place_of(&[key]), below.name.clone()))
    }

    /// Finds the bytes `part` of a text with the origin (profile, key) in the files of the profile. `None` if no file has it.
    #[must_use]
    pub fn locate(
        &self,
        system: &dyn System,
        (profile, key): (&str, &str),
        text: &str,
        part: &Range<usize>,
    ) -> Option<Place> {
        let files = self.files(system);
        // A variant is named behind the profile that was chosen, whichever of the chain has it.
        let overlaid = profile.strip_prefix(&*files.first()?.name).is_some_and(|rest| rest.starts_with(' '));
        let mut raws = files.iter().filter(|raw| overlaid || raw.name == profile);
        raws.find_map(|raw| raw.locate(key, text, part, overlaid))
    }

    /// Finds the bytes `part` of the value of a variable that the profile sets: an option, or the line of a tool. `None` if no file
    /// of the profile has it, such as a value of `--set`.
    #[must_use]
    pub fn locate_variable(
        &self,
        system: &dyn System,
        (variable, source): (&VariableKey, &str),
        value: &str,
        part: &Range<usize>,
    ) -> Option<Place> {
        let key = match (variable.kind(), variable.name()) {
            ("option" | "given", name) if source == PROFILE_OPTIONS => format!("options.{name}"),
            ("item", "line") => format!("tool_texts.{source}.snippet"),
            _ => return None,
        };
        self.locate_value(system, &key, value, part)
    }

    /// Finds the bytes `part` of a value in the nearest profile that has it under a key, in the profile itself or in one of its
    /// variants.
    fn locate_value(
        &self,
        system: &dyn System,
        key: &str,
        value: &str,
        part: &Range<usize>,
    ) -> Option<Place> {
        let files = self.files(system);
        let mut places = files.iter().flat_map(|raw| [(raw, false), (raw, true)]);
        places.find_map(|(raw, overlaid)| raw.locate(key, value, part, overlaid))
    }

    /// Returns the files of the profile that ship with no preset.
    pub(crate) fn own_files(&self, system: &dyn System) -> Vec<RawProfile> {
        let mut files = self.files(system);
        files.retain(|file| !file.path.starts_with("bundled/"));
        files
    }

    fn files(&self, system: &dyn System) -> Vec<RawProfile> {
        profile::chain(system, self.dir.as_deref(), &self.choice)
    }
}

/// The settings of every scope but the project's.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserSettings {
    /// The settings that ship with preface.
    pub bundled: Option<LayerSettings>,
    /// The user's own, the weakest first: the text that the choice of this preset appends, where that is written in another
    /// directory than the preset's, and the files of its directory.
    pub global: Vec<LayerSettings>,
    /// The settings that the caller set.
    pub sets: Vec<LayerSettings>,
}

impl UserSettings {
    /// Merges them with the project's: weaker than the caller's, stronger than all others.
    pub(crate) fn merge(&self, project: &[LayerSettings], diagnostics: &mut Diagnostics) -> MergedSettings {
        let layers = self.bundled.iter().chain(&self.global);
        settings::merge(layers.chain(project).chain(&self.sets).cloned().collect(), diagnostics)
    }
}

/// Applies the settings that change a profile. A project has none of them.
fn apply_settings(profile: &mut Profile, own: &Settings, settings: &MergedSettings) {
    profile.trust = own.trust.mode.unwrap_or(profile.trust);
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    if let Some(tokens) = own.budget.tokens {
        profile.budget.tokens = Some(size(tokens));
        profile.budget_source = source_of(settings, "budget.tokens");
    }
    profile.budget.on_over = own.budget.on_over.unwrap_or(profile.budget.on_over);
    let limits = &mut profile.template;
    limits.max_depth = own.template.max_depth.map_or(limits.max_depth, size);
    limits.max_bytes = own.template.max_bytes.map_or(limits.max_bytes, size);
    limits.raw = own.template.raw.unwrap_or(limits.raw);
    limits.trim_tag_lines = own.template.trim_tag_lines.unwrap_or(limits.trim_tag_lines);
}

/// Returns where a setting was set, for people.
fn source_of(settings: &MergedSettings, key: &str) -> Option<String> {
    let node = settings.get(&key.parse().ok()?)?;
    if node.by() == SetBy::Caller {
        return Some("set with `--set`".to_owned());
    }
    Some(format!("set in {}", options::path_and_line(&node.place())))
}

impl Engine<'_> {
    /// Loads the profile that a request, or the user's settings, choose, and applies the options of both.
    ///
    /// # Errors
    /// A directory, profile, option or setting of the request that there is not.
    pub(crate) fn load_profile(&self, request: &BuildOptions) -> Result<LoadedProfile, Error> {
        let system = self.system();
        let mut diagnostics = Diagnostics::new();
        let cwd = self.cwd(request)?;
        let given = ProfileOverrides::read(request)?;
        let sets = given.settings()?;

        // The user's default profile is named in the settings of the default home.
        let (mut found, mut read) = (Diagnostics::new(), Diagnostics::new());
        let shared = Places::find(system, &cwd, &default_home(), request.home_trust, &mut found);
        let bundled = bundled_settings(system, &mut diagnostics);
        let settings = read_settings(system, &shared, shared.settings_names(), &mut read);
        let mut choice = self.choice(request, &shared, bundled.iter().chain(&settings).chain(&sets));
        let profiles = shared.global.clone();
        let load = |choice: &ProfileChoice, options: &[Setting]| {
            profile::load(system, profiles.as_deref(), choice, options)
        };
        let bare = match load(&choice, &[]) {
            Ok(bare) => bare,
            Err(error) if !given.leaves_choice(request) => return Err(Error::Profile(error)),
            Err(error) => {
                let error = chosen_by_settings(&choice, settings.last(), error);
                if !request.default_on_error {
                    return Err(Error::Profile(error));
                }
                diagnostics.push(error.into());
                choice = ProfileChoice::Named(DEFAULT_PRESET.to_owned());
                load(&choice, &[]).map_err(Error::Profile)?
            }
        };
        let (options, sets) = given.split(&bare)?;
        // It is the caller's options that are wrong: the profile is fine without them.
        let with = |options: &[Setting]| {
            load(&choice, options).map_err(|error| {
                if error.in_overlay { Error::Profile(error) } else { Error::Usage(error.message, error.help) }
            })
        };
        let profile = if options.is_empty() { bare } else { with(&options)? };
        // Most profiles live in that same home: what was found there is found once.
        let (places, global) = if profile.home == default_home() {
            diagnostics.extend(found.into_iter().chain(read));
            (shared, settings)
        } else {
            let places = Places::find(system, &cwd, &profile.home, request.home_trust, &mut diagnostics);
            // PREFACE_HOME is one directory for all profiles: no settings.json of another program is there.
            let is_one = places.global.is_some() && places.global == shared.global;
            let mut global = if is_one {
                diagnostics.append(&mut read);
                settings
            } else {
                settings.last().and_then(|settings| appended(settings, &profile)).into_iter().collect()
            };
            let names = &places.settings_names()[usize::from(is_one)..];
            global.extend(read_settings(system, &places, names, &mut diagnostics));
            (places, global)
        };
        let settings = UserSettings { bundled, global, sets };
        let mut merge_diagnostics = Diagnostics::new();
        let merged = Arc::new(settings.merge(&[], &mut merge_diagnostics));
        let own = Settings::read(&merged);
        let of_settings = options::of_settings(&merged, &profile, &mut diagnostics);
        let of_call = options.iter().map(|option| (option.key.clone(), options::CALL.to_owned()));
        let mut sources: BTreeMap<String, String> = of_call.collect();
        let mut ignored = Vec::new();
        let mut profile = if of_settings.is_empty() {
            profile
        } else {
            // The caller's come last; that they are valid by themselves is known.
            let fit =
                |settings: &[Setting]| load(&choice, &[settings, options.as_slice()].concat()).map(drop);
            let message = |error: &ProfileError| match &error.help {
                Some(help) => format!("{} ({help})", error.message),
                None => error.message.clone(),
            };
            let (of_settings, refused) =
                options::fitting(of_settings, &merged, fit, message, &mut diagnostics)
                    .map_err(|error| Error::Usage(error.message, error.help))?;
            ignored = refused;
            for (name, source) in of_settings.iter().map(OptionSetting::source) {
                sources.entry(name).or_insert(source);
            }
            let of_settings = of_settings.into_iter().flat_map(|option| option.values);
            with(&of_settings.chain(options).collect::<Vec<_>>())?
        };
        profile.option_sources = sources;
        self.check_named_preset(&own, &profile, profiles.as_deref(), &mut diagnostics)?;

        options::of_machine(system, &mut profile, &places);
        apply_settings(&mut profile, &own, &merged);
        let bounds = self.bounds(request, &own, &places, &mut diagnostics)?;

        let turn = Turn {
            cwd: request.cwd_name.clone().unwrap_or_else(|| match &request.cwd {
                Some(given) if given.is_absolute() && !has_dots(given) => given.display().to_string(),
                _ => cwd.display().to_string(),
            }),
            model: request.model.clone(),
            conversation: request.conversation.clone(),
            agent: profile.options.get("agent").cloned(),
            tools: Vec::new(),
            guidelines: Vec::new(),
            now: instant(system, request.now.as_deref())?,
            zone: request.zone.clone(),
            budget: request.budget,
            counter: counters::chosen(request.counter.as_deref(), profile.counter.as_deref())?,
            variables: request.variables.clone(),
        };
        if let Some(zone) = &request.zone
            && system.zone(zone).is_none()
        {
            return Err(Error::Usage(
                format!("unknown time zone: `{zone}`"),
                Some("use a name such as `Europe/Berlin` or `UTC`".into()),
            ));
        }
        let given = self.given(request, &profile, &places, &bounds, &mut diagnostics)?;
        let store = consent::store_path(system, &profile, &places);
        let roots = request.roots.clone();
        Ok(LoadedProfile {
            profile: Arc::new(profile),
            source: ProfileSource { choice, dir: profiles },
            places,
            turn,
            given,
            settings,
            merged,
            typed: Arc::new(own),
            ignored,
            merge_diagnostics,
            bounds,
            roots,
            store,
            diagnostics,
        })
    }

    /// Works out where files of the project may lie. Only the caller and the user's own settings widen that. Roots are given
    /// by a service, which reads for others: what one of them can link to is not theirs to read.
    fn bounds(
        &self,
        request: &BuildOptions,
        own: &Settings,
        places: &Places,
        diagnostics: &mut Diagnostics,
    ) -> Result<Bounds, Error> {
        let system = self.system();
        let mut follow = Vec::new();
        for path in &request.follow {
            let named = normal(&system.current_dir().unwrap_or_else(|| places.cwd.clone()), path);
            if system.stat(&named).is_none() {
                let what =
                    format!("there is no path to follow: `{}`", escape_hidden(&path.display().to_string()));
                return Err(Error::Usage(
                    what,
                    Some("name the file or directory that the link leads to".into()),
                ));
            }
            follow.push(named);
        }
        for path in &own.trust.follow.0 {
            match (path.strip_prefix("~/"), &places.home) {
                (Some(rest), Some(home)) => follow.push(normal(home, Path::new(rest))),
                (None, _) if Path::new(path).is_absolute() => follow.push(PathBuf::from(path)),
                _ => {
                    let what = format!("`trust.follow` allows nothing: `{}`", escape_hidden(path));
                    let diagnostic = Diagnostic::warning(DiagnosticCode::SettingsIgnored, what);
                    diagnostics.push(diagnostic.help("use an absolute path, or one that starts with `~/`"));
                }
            }
        }
        let allows = own.trust.hard_links == Some(true);
        let is_exposed = request.roots.is_some() || request.trust == TrustChoice::Require;
        let hard_links = if is_exposed && !allows { HardLinks::Refuse } else { HardLinks::Read };
        Ok(Bounds::new(system, follow, hard_links))
    }

    /// Returns the directory of a request, absolute, links not resolved.
    ///
    /// # Errors
    /// There is none, or it is no directory.
    pub fn cwd(&self, request: &BuildOptions) -> Result<PathBuf, Error> {
        let system = self.system();
        let here = || {
            system.current_dir().ok_or_else(|| {
                Error::Usage("the working directory is gone".to_owned(), Some("name one".into()))
            })
        };
        let given = match &request.cwd {
            Some(dir) if dir.is_absolute() => dir.clone(),
            Some(dir) => here()?.join(dir),
            None => here()?,
        };
        let resolved = resolve_parents(system, &given);
        let stat = resolved.as_ref().and_then(|cwd| system.stat(cwd));
        let cwd = resolved.unwrap_or(given);
        match stat {
            Some(stat) if stat.kind == preface_host::system::FileKind::Dir => Ok(cwd),
            Some(_) => Err(Error::Usage(
                format!("not a directory: `{}`", cwd.display()),
                Some("name a directory".into()),
            )),
            None => Err(Error::Usage(
                format!("no such directory: `{}`", cwd.display()),
                Some("name a directory".into()),
            )),
        }
    }

    /// Returns this instant as a turn has it.
    pub(crate) fn instant_now(&self) -> String {
        written(self.system().now())
    }

    fn choice<'l>(
        &self,
        request: &BuildOptions,
        shared: &Places,
        settings: impl Iterator<Item = &'l LayerSettings>,
    ) -> ProfileChoice {
        if let Some(file) = &request.profile {
            let base = self.system().current_dir().unwrap_or_default();
            return ProfileChoice::File(normal(&base, file));
        }
        if let Some(name) = &request.preset {
            return ProfileChoice::Named(name.clone());
        }
        let fallback = || request.fallback_preset.clone().unwrap_or_else(|| DEFAULT_PRESET.to_owned());
        let layers: Vec<LayerSettings> = settings.cloned().collect();
        if layers.is_empty() {
            return ProfileChoice::Named(fallback());
        }
        let own = Settings::read(&settings::merge(layers, &mut Diagnostics::new()));
        if let Some(file) = own.profile {
            let base = shared.global.clone().unwrap_or_else(|| shared.cwd.clone());
            return ProfileChoice::File(match (file.strip_prefix("~/"), &shared.home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => base.join(&file),
            });
        }
        let named = own.preset.or_else(|| own.system_prompt.preset.map(|name| preset_name(&name)));
        ProfileChoice::Named(named.unwrap_or_else(fallback))
    }

    /// Reports a `systemPrompt.preset` that names no existing preset, or another one than is built.
    fn check_named_preset(
        &self,
        own: &Settings,
        profile: &Profile,
        profiles: Option<&Path>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Error> {
        let Some(named) = &own.system_prompt.preset else { return Ok(()) };
        let known = profile::names(self.system(), profiles);
        let name = preset_name(named);
        if !known.contains(&name) {
            let help = suggest_or(&name, known.iter().map(String::as_str), || {
                format!("presets are {}", known.join(", "))
            });
            return Err(Error::Usage(format!("unknown preset: `{named}`"), Some(help)));
        }
        if name != profile.name {
            let what = format!("`systemPrompt.preset` is `{named}`, and `{}` builds", profile.name);
            diagnostics.push(
                Diagnostic::warning(DiagnosticCode::PromptIgnored, what)
                    .help("`--preset` and `preset` come first"),
            );
        }
        Ok(())
    }
}

/// Returns true for the key of a setting that selects the profile.
fn chooses_profile(key: &str) -> bool {
    matches!(key, "preset" | "profile" | "systemPrompt" | "systemPrompt.preset")
}

/// Adds to an error of a profile that the user's settings choose where they do.
fn chosen_by_settings(
    choice: &ProfileChoice,
    settings: Option<&LayerSettings>,
    error: ProfileError,
) -> ProfileError {
    if error.place.span.is_some() {
        return error;
    }
    let node = |path: &[&str]| settings.and_then(|settings| settings.root().at(path));
    let (node, remedy) = match choice {
        ProfileChoice::File(_) => (
            node(&["profile"]),
            Remedy::command("your setting `profile` names it; remove that", "config unset profile"),
        ),
        ProfileChoice::Named(name) => (
            node(&["preset"]).or_else(|| node(&["systemPrompt", "preset"])),
            Remedy::command(format!("your settings choose `{name}`; change that"), "config set preset NAME"),
        ),
    };
    let help = error.help.filter(|_| matches!(choice, ProfileChoice::Named(_)));
    let words = help.map_or_else(|| remedy.words.clone(), |near| format!("{near} {remedy}"));
    let help = Remedy { words, ..remedy };
    let place = node.map_or(error.place, |node| Box::new(node.place()));
    ProfileError { place, help: Some(help), ..error }
}

/// Returns the text to append from settings that name this preset under `systemPrompt`; one value contains
/// both.
fn appended(settings: &LayerSettings, profile: &Profile) -> Option<LayerSettings> {
    let named = settings.root().at(&["systemPrompt", "preset"])?.as_text()?;
    settings.only(&["systemPrompt", "append"]).filter(|_| preset_name(named) == profile.name)
}

/// The name of a preset as other programs spell it.
fn preset_name(named: &str) -> String {
    named.replace('_', "-")
}

/// Returns the home in which the user's choice of profile is looked up.
pub(crate) fn default_home() -> ProfileDirs {
    ProfileDirs {
        global: vec!["config:preface".to_owned()],
        project: Some(".preface".to_owned()),
        flat_extensions: false,
        foreign_keys: Vec::new(),
        variable: None,
    }
}

/// Reads the settings that ship with preface, if there are any.
fn bundled_settings(system: &dyn System, diagnostics: &mut Diagnostics) -> Option<LayerSettings> {
    let bytes = system.bundled("settings.json")?;
    let (layer, found) = settings::parse(Scope::Bundled, "bundled/settings.json", &bytes);
    diagnostics.extend(found);
    layer
}

/// Reads the settings files of these names in the user's directory.
fn read_settings(
    system: &dyn System,
    places: &Places,
    names: &[&str],
    diagnostics: &mut Diagnostics,
) -> Vec<LayerSettings> {
    let read = |path: PathBuf| {
        let source = places.source(Scope::Global, &path);
        match system.read(&path, ReadScope::Anywhere, preface_host::provider::context::SETTINGS_LIMIT) {
            Ok(read) => {
                let (settings, found) = places.parse_settings(source.scope, &source.path, &read.bytes);
                diagnostics.extend(found);
                settings
            }
            Err(preface_host::system::ReadError::Missing) => None,
            Err(error) => {
                diagnostics.push(
                    Diagnostic::left_out(
                        Severity::Error,
                        DiagnosticCode::SettingsShapeInvalid,
                        &source.path,
                        error,
                    )
                    .at(Place::file(Some(source.scope), source.path.clone()))
                    .help("put a regular file of at most 1 MiB there that you can read, or nothing"),
                );
                None
            }
        }
    };
    places.global.iter().flat_map(|dir| names.iter().map(|name| dir.join(name))).filter_map(read).collect()
}

/// The settings of the caller: `path=value`, as written.
struct ProfileOverrides<'r> {
    sets: Vec<(&'r str, &'r str)>,
    agent: Option<&'r str>,
}

impl<'r> ProfileOverrides<'r> {
    fn read(request: &'r BuildOptions) -> Result<Self, Error> {
        let sets = request.sets.iter().map(|set| {
            set.split_once('=').ok_or_else(|| {
                let help = format!("write the value behind it, such as `{set}=true`");
                Error::Usage(format!("not a setting with a value (`path=value`): `{set}`"), Some(help.into()))
            })
        });
        if request.agent.as_ref().is_some_and(String::is_empty) {
            return Err(Error::Usage("an agent needs a name".to_owned(), Some(Remedy::list("agents"))));
        }
        Ok(ProfileOverrides { sets: sets.collect::<Result<_, _>>()?, agent: request.agent.as_deref() })
    }

    /// Returns the settings that select the profile. The profile itself defines which of the others are its
    /// options.
    fn settings(&self) -> Result<Vec<LayerSettings>, Error> {
        self.sets
            .iter()
            .filter(|(key, _)| chooses_profile(key))
            .map(|(key, value)| setting(key, value))
            .collect()
    }

    /// Returns true if neither the call nor its `--set` chooses the profile.
    fn leaves_choice(&self, request: &BuildOptions) -> bool {
        let is_set = self.sets.iter().any(|(key, _)| chooses_profile(key));
        request.profile.is_none() && request.preset.is_none() && !is_set
    }

    /// Splits into options of this profile and settings.
    fn split(&self, profile: &Profile) -> Result<(Vec<Setting>, Vec<LayerSettings>), Error> {
        let mut options = Vec::new();
        let mut layers = Vec::new();
        for (key, value) in &self.sets {
            // `budget` and `trust` are both: with a dot they are settings.
            let is_setting =
                settings::is_settings_root(key) && (key.contains('.') || !matches!(*key, "budget" | "trust"));
            if is_setting && !profile.has_option(key) {
                match setting(key, value) {
                    // The name of an option may begin like a setting: `claudeMd.order`.
                    Err(Error::Usage(_, None)) if did_you_mean(key, profile.option_names()).is_some() => {
                        return Err(unknown_setting(key, profile));
                    }
                    layer => layers.push(layer?),
                }
                continue;
            }
            if key.contains('.') && !profile.has_option(key) {
                return Err(unknown_setting(key, profile));
            }
            options.push(Setting { key: (*key).to_owned(), value: (*value).to_owned() });
        }
        options.extend(self.agent.map(|name| Setting { key: "agent".to_owned(), value: name.to_owned() }));
        Ok((options, layers))
    }
}

fn setting(key: &str, value: &str) -> Result<LayerSettings, Error> {
    let value = SetValue::parse(&format!("{key}={value}"))
        .map_err(|error| Error::Usage(error.to_string(), error.help))?;
    Ok(value.into_layer())
}

fn unknown_setting(key: &str, profile: &Profile) -> Error {
    let root = key.split('.').next().unwrap_or_default();
    let names_section = profile.sections.iter().any(|section| section.id.as_str() == root);
    let of_section = names_section.then(|| format!("sections.{key}"));
    let near =
        of_section.or_else(|| did_you_mean(key, profile.option_names()).map(str::to_owned)).or_else(|| {
            let near = did_you_mean(root, ValueShape::root().names())?;
            Some(key.replacen(root, near, 1))
        });
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("settings have no such key, and the profile `{}` has no such option", profile.name),
    };
    Error::Usage(format!("unknown setting: `{key}`"), Some(help.into()))
}

/// Returns the instant of a build that names none.
fn instant(system: &dyn System, given: Option<&str>) -> Result<String, Error> {
    let now = match given {
        None => system.now(),
        Some(text) => text.parse::<Timestamp>().map_err(|_| {
            Error::Usage(
                format!("not an instant: `{text}`"),
                Some("use RFC 3339, such as `2026-03-07T14:55:05Z`".into()),
            )
        })?,
    };
    Ok(written(now))
}

fn written(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
