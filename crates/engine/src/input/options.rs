//! Options of a profile that come from the user's settings: those under `options`, and the few settings that are options of some
//! profiles by their own name.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::hidden::escape_hidden,
    origin::Origin,
    profile::{Profile, Setting},
    prompt::Prompt,
    settings::{MergedSettings, SetBy, SettingsNode, SettingsTable, SettingsTree},
    suggestion::did_you_mean,
    variable::VariableKey,
};
use preface_host::{
    places::Places,
    system::{FileKind, System},
};
use std::path::{Path, PathBuf};

/// The settings that are an option where a profile has one of that name.
const SHARED: [&str; 2] = ["claudeMdExcludes", "outputStyle"];

/// The options of every profile that settings can give: the arrangement of the parts.
const SHAPES: [&str; 4] = ["arrange", "join", "order", "variant"];

/// The source of an option that the caller sets.
pub(crate) const CALL: &str = "this call";

/// An option as settings give it.
#[derive(Clone, Debug)]
pub(crate) struct OptionSetting {
    /// The keys that lead to it in the settings.
    path: Vec<String>,
    name: String,
    /// The values; a list has several.
    pub values: Vec<Setting>,
    by: SetBy,
    place: Place,
}

impl OptionSetting {
    fn of(path: Vec<String>, name: &str, node: &SettingsNode) -> Self {
        let (by, place) = (node.by(), node.place());
        OptionSetting { path, name: name.to_owned(), values: values(name, node), by, place }
    }

    /// Returns the option with the place that sets it, for people.
    pub fn source(&self) -> (String, String) {
        let source = if self.by == SetBy::Caller { CALL.to_owned() } else { path_and_line(&self.place) };
        (self.name.clone(), source)
    }

    /// Returns what the next weaker layer sets.
    fn below(&self, settings: &MergedSettings) -> Option<OptionSetting> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let weaker = [SetBy::Global, SetBy::Bundled].into_iter().filter(|by| *by < self.by);
        let node = weaker.filter_map(|by| settings.at_layer(by, &path)).next()?;
        Some(OptionSetting::of(self.path.clone(), &self.name, node))
    }
}

/// Writes a place of the settings for people: `settings.json:2`.
pub(crate) fn path_and_line(place: &Place) -> String {
    let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{}{line}", place.path)
}

/// Returns the options of this profile that settings give. One that it does not have is a diagnostic.
pub(crate) fn of_settings(
    settings: &MergedSettings,
    profile: &Profile,
    diagnostics: &mut Diagnostics,
) -> Vec<OptionSetting> {
    let mut given = Vec::new();
    for name in SHARED.into_iter().filter(|name| profile.has_option(name)) {
        let node = settings.at(&[name]);
        given.extend(node.map(|node| OptionSetting::of(vec![name.to_owned()], name, node)));
    }
    if let Some(options) = settings.at(&["options"]).and_then(SettingsNode::as_table) {
        read(&["options".to_owned()], options, profile, &mut given, diagnostics);
    }
    given
}

/// Sets the options that are directories and were not given: from an environment variable, else from the
/// global directory.
pub(crate) fn of_machine(system: &dyn System, profile: &mut Profile, places: &Places) {
    for (name, dir) in &profile.option_dirs {
        if profile.options.contains_key(name) {
            continue;
        }
        let variable = dir.variable.as_deref().and_then(|variable| system.var(variable));
        let named = variable.map(PathBuf::from).filter(|path| path.is_absolute());
        let own = || Some(places.global.as_ref()?.join(dir.global.as_ref()?));
        if let Some(path) = named.or_else(own) {
            profile.options.insert(name.clone(), path.display().to_string());
            profile.unset_options.retain(|unset| unset != name);
        }
    }
}

/// Reports the directories that a prompt names by an option and that are not there.
pub(crate) fn missing_dirs(system: &dyn System, profile: &Profile, prompt: &Prompt) -> Diagnostics {
    let names = |key: &VariableKey| {
        let origins = prompt.parts.iter().flat_map(|part| &part.spans).map(|span| &span.origin);
        origins
            .into_iter()
            .any(|origin| matches!(origin, Origin::Variable { key: variable, .. } if variable == key))
    };
    let is_dir = |path: &str| system.stat(Path::new(path)).is_some_and(|stat| stat.kind == FileKind::Dir);
    let mut diagnostics = Diagnostics::new();
    for (option, dir) in &profile.option_dirs {
        let Some(path) = profile.options.get(option) else { continue };
        if names(&VariableKey::new("option", option)) && !is_dir(path) {
            let path = escape_hidden(path);
            let what = format!("the prompt names the directory `{path}`, which does not exist");
            let variable = dir.variable.as_ref().map_or_else(String::new, |name| format!("{name} or "));
            let help = format!("{variable}the option `{option}=DIR` names another");
            diagnostics.push(Diagnostic::info(DiagnosticCode::FileMissing, what).help(help));
        }
    }
    diagnostics
}

/// A value of settings that is not used: its layer and its keys.
pub(crate) type IgnoredValue = (SetBy, Vec<String>);

/// Returns the options whose values `fit` accepts, and the values that it refuses. Such a one is reported, and the next weaker layer's is
/// used, else the profile's own.
///
/// # Errors
/// What `fit` refuses of the caller's own values.
pub(crate) fn fitting<E>(
    given: Vec<OptionSetting>,
    settings: &MergedSettings,
    fit: impl Fn(&[Setting]) -> Result<(), E>,
    message: impl Fn(&E) -> String,
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<OptionSetting>, Vec<IgnoredValue>), E> {
    let all = |options: &[OptionSetting]| -> Vec<Setting> {
        options.iter().flat_map(|option| option.values.clone()).collect()
    };
    if fit(&all(&given)).is_ok() {
        return Ok((given, Vec::new()));
    }
    let (mut used, mut ignored) = (Vec::new(), Vec::new());
    for option in given {
        let mut next = Some(option);
        while let Some(option) = next {
            let with = [all(&used), option.values.clone()].concat();
            next = match fit(&with) {
                Ok(()) => {
                    used.push(option);
                    None
                }
                Err(error) if option.by == SetBy::Caller => return Err(error),
                Err(error) => {
                    let below = option.below(settings);
                    let stays = match &below {
                        Some(below) => format!("the {} value", below.by),
                        None => "the profile's own value".to_owned(),
                    };
                    let what = format!(
                        "`options.{}` is not valid: {}; {stays} is used",
                        option.name,
                        message(&error)
                    );
                    diagnostics
                        .push(Diagnostic::error(DiagnosticCode::SettingsShapeInvalid, what).at(option.place));
                    ignored.push((option.by, option.path));
                    below
                }
            };
        }
    }
    Ok((used, ignored))
}

/// Reads a table of options. One that is no option itself may hold those whose names begin so: `claudeMd` holds
/// `claudeMd.order`.
fn read(
    path: &[String],
    table: &SettingsTable,
    profile: &Profile,
    given: &mut Vec<OptionSetting>,
    diagnostics: &mut Diagnostics,
) {
    for (key, node) in table.iter() {
        let path = [path, &[key.to_owned()]].concat();
        let name = path[1..].join(".");
        if profile.has_option(&name) || SHAPES.contains(&name.as_str()) {
            given.push(OptionSetting::of(path, &name, node));
            continue;
        }
        let begins =
            |known: &str| known.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        if let Some(table) = node.as_table().filter(|_| profile.option_names().any(begins)) {
            read(&path, table, profile, given, diagnostics);
            continue;
        }
        let what =
            format!("the profile `{}` has no option `{name}`; `options.{name}` was not used", profile.name);
        let diagnostic =
            Diagnostic::warning(DiagnosticCode::SettingsUnknownOption, what).at(node.key_place());
        diagnostics.push(match did_you_mean(&name, profile.option_names().chain(SHAPES)) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }
}

/// The values of an option: one, or those of a list.
fn values(name: &str, node: &SettingsNode) -> Vec<Setting> {
    let setting = |value: String| Setting { key: name.to_owned(), value };
    match node.tree() {
        SettingsTree::Null => Vec::new(),
        SettingsTree::Text(text) => vec![setting(text.clone())],
        SettingsTree::Flag(flag) => vec![setting(flag.to_string())],
        SettingsTree::Number(number) => vec![setting(number.to_string())],
        SettingsTree::List(items) => items.iter().flat_map(|item| values(name, item)).collect(),
        SettingsTree::Table(_) => vec![setting(node.to_value().to_string())],
    }
}
