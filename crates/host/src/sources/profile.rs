//! Finding and loading profiles: bundled presets, the user's own, and the chain that `extends` makes.

use crate::{
    provider::context_provider,
    system::{ReadError, ReadScope, System},
};
use preface_core::{
    diagnostic::Place,
    origin::{Piece, Source, decode},
    profile::{self, Profile, ProfileError, RawProfile, Setting},
    scope::Scope,
    section::{Section, SectionBody},
    suggestion::{quoted, suggest_or},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The choice of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileChoice {
    /// By name: `<global>/profiles/NAME.toml`, else the preset of that name.
    Named(String),
    /// A file.
    File(PathBuf),
}

/// The most that is read of a profile or of a text that one names.
const LIMIT: u64 = 1 << 20;
/// The longest chain of `extends`.
const CHAIN: usize = 16;

/// The origin of a raw profile, for resolving the files that it names.
enum ProfileLocation {
    Bundled,
    Dir(PathBuf),
}

/// A profile and those that it extends.
type ProfileChain = Vec<(RawProfile, ProfileLocation)>;

/// Loads a profile with everything that it extends and every text that it names.
///
/// `global` is the directory that `profiles/` lies in.
///
/// # Errors
/// An unknown name, a file that cannot be read, a loop of `extends`, and everything that [`profile::build`] refuses.
pub fn load(
    system: &dyn System,
    global: Option<&Path>,
    choice: &ProfileChoice,
    settings: &[Setting],
) -> Result<Profile, ProfileError> {
    let mut chain = read_chain(system, global, choice)?;
    chain.reverse();
    let (raws, homes): (Vec<RawProfile>, Vec<ProfileLocation>) = chain.into_iter().unzip();
    let profile = profile::build(&raws, settings, &mut |raw, path| {
        let at = raws.iter().position(|other| other.path == raw.path).unwrap_or(0);
        text(system, &homes[at], raw, path)
    })?;
    check_options(&raws, &profile.sections)?;
    Ok(profile)
}

/// Checks that each key of a section that is none of every section's is an option of its context provider. Those of a
/// provider of an extension are not known here.
fn check_options(raws: &[RawProfile], sections: &[Section]) -> Result<(), ProfileError> {
    for section in sections {
        let SectionBody::Fill(name) = &section.body else { continue };
        let Some(provider) = context_provider(name.as_str()) else { continue };
        let known: Vec<&str> = provider.options.iter().map(|(known, _)| *known).collect();
        let Some(key) = section.options.keys().find(|key| !known.contains(&key.as_str())) else { continue };
        let help = suggest_or(key, known.iter().copied().chain(profile::SECTION_KEYS), || match &known[..] {
            [] => format!("`{name}` has no options"),
            known => format!("options of `{name}` are {}", quoted(known)),
        });
        let places = raws.iter().rev().map(|raw| raw.place_of(&["section", section.id.as_str(), key]));
        let place = places.reduce(|found, next| if found.span.is_some() { found } else { next });
        let error = plain(format!("unknown key: `{key}`"));
        return Err(ProfileError { place: Box::new(place.unwrap_or_default()), help: Some(help), ..error });
    }
    Ok(())
}

/// Reads a profile and what it extends, the chosen one first.
fn read_chain(
    system: &dyn System,
    global: Option<&Path>,
    choice: &ProfileChoice,
) -> Result<ProfileChain, ProfileError> {
    let mut chain: ProfileChain = Vec::new();
    let mut next = Some(choice.clone());
    while let Some(choice) = next {
        if chain.len() == CHAIN {
            let names: Vec<&str> = chain.iter().map(|(raw, _)| raw.name.as_str()).collect();
            // A loop once, from a name to the same name.
            let repeated = names.iter().enumerate().find_map(|(end, name)| {
                let start = names[..end].iter().position(|other| other == name)?;
                Some(&names[start..=end])
            });
            let message =
                format!("profiles extend each other without end: {}", repeated.unwrap_or(&names).join(" → "));
            let place = chain.last().map(|(raw, _)| raw.place_of(&["extends"]));
            return Err(ProfileError { place: Box::new(place.unwrap_or_default()), ..plain(message) });
        }
        // A profile that extends its own name means the bundled one of that name.
        let own = chain.last().map(|(raw, _)| raw.path.clone());
        let (raw, home) =
            read(system, global, &choice, own.as_deref()).map_err(|error| match chain.last() {
                Some((raw, _)) if error.place.path.is_empty() => {
                    ProfileError { place: Box::new(raw.place_of(&["extends"])), ..error }
                }
                _ => error,
            })?;
        next = raw.extends.clone().map(ProfileChoice::Named);
        chain.push((raw, home));
    }
    Ok(chain)
}

/// Reads a profile and those that it extends, the chosen one first; none where one of them cannot be read.
#[must_use]
pub fn chain(system: &dyn System, global: Option<&Path>, choice: &ProfileChoice) -> Vec<RawProfile> {
    let chain = read_chain(system, global, choice).unwrap_or_default();
    chain.into_iter().map(|(raw, _)| raw).collect()
}

/// Returns the path of the user's own profile of a name, if there is one.
fn own_file(system: &dyn System, global: Option<&Path>, name: &str) -> Option<PathBuf> {
    let path = global?.join("profiles").join(format!("{name}.toml"));
    system.stat(&path).is_some().then_some(path)
}

/// Lists the names that `--preset` knows: the bundled presets, then the user's own profiles.
#[must_use]
pub fn names(system: &dyn System, global: Option<&Path>) -> Vec<String> {
    let mut names: Vec<String> = system
        .bundled_list("presets/")
        .iter()
        .filter_map(|path| path.strip_prefix("presets/")?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    if let Some(global) = global
        && let Ok(entries) = system.list(&global.join("profiles"), 1000)
    {
        names.extend(
            entries.iter().filter_map(|entry| entry.name.to_str()?.strip_suffix(".toml").map(str::to_owned)),
        );
    }
    names.sort();
    names.dedup();
    names
}

fn plain(message: String) -> ProfileError {
    ProfileError { message, place: Box::default(), help: None, in_overlay: false }
}

fn read(
    system: &dyn System,
    global: Option<&Path>,
    choice: &ProfileChoice,
    own: Option<&str>,
) -> Result<(RawProfile, ProfileLocation), ProfileError> {
    match choice {
        ProfileChoice::File(path) => {
            let stem = path
                .file_stem()
                .map_or_else(|| "profile".to_owned(), |stem| stem.to_string_lossy().into_owned());
            let text = file(system, path)?;
            let dir = path.parent().map_or_else(PathBuf::new, Path::to_owned);
            Ok((profile::read(&stem, &path.display().to_string(), &text)?, ProfileLocation::Dir(dir)))
        }
        ProfileChoice::Named(name) => {
            if name.is_empty() || name.contains(['/', '\\', '\0']) || name.starts_with('.') {
                return Err(ProfileError {
                    help: Some(match own {
                        Some(_) => {
                            "`extends` takes the name of a preset, or of a profile in your own `profiles/`"
                                .into()
                        }
                        None => "a preset has a plain name, such as `default`; use the option `profile` for a file".into(),
                    }),
                    ..plain(format!("not the name of a preset: `{name}`"))
                });
            }
            if let Some(path) = own_file(system, global, name) {
                let here = path.display().to_string();
                if own != Some(here.as_str()) {
                    let text = file(system, &path)?;
                    let dir = path.parent().map_or_else(PathBuf::new, Path::to_owned);
                    return Ok((profile::read(name, &here, &text)?, ProfileLocation::Dir(dir)));
                }
            }
            let bundled = format!("presets/{name}.toml");
            match system.bundled(&bundled) {
                Some(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    let raw = profile::read(name, &format!("bundled/{bundled}"), &text)?;
                    Ok((raw, ProfileLocation::Bundled))
                }
                None if own.is_some() && own_file(system, global, name).is_some() => {
                    Err(plain(format!("the profile `{name}` extends itself, and no preset has its name")))
                }
                None => {
                    let known = names(system, global);
                    let help = suggest_or(name, known.iter().map(String::as_str), || {
                        format!("presets are {}", known.join(", "))
                    });
                    Err(ProfileError { help: Some(help), ..plain(format!("unknown preset: `{name}`")) })
                }
            }
        }
    }
}

fn file(system: &dyn System, path: &Path) -> Result<String, ProfileError> {
    let failed = |why: String| ProfileError {
        place: Box::new(Place::file(None, path.display().to_string())),
        ..plain(format!("cannot read the profile `{}`: {why}", path.display()))
    };
    let read = system.read(path, ReadScope::Anywhere, LIMIT).map_err(|error: ReadError| ProfileError {
        help: Some(
            "check the path; a preset, or a profile of yours by name, is chosen with `--preset NAME`".into(),
        ),
        ..failed(error.to_string())
    })?;
    let text = String::from_utf8(read.into_bytes()).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads a text that a profile names: bundled profiles name bundled texts, others files beside themselves.
fn text(
    system: &dyn System,
    home: &ProfileLocation,
    raw: &RawProfile,
    path: &str,
) -> Result<Vec<Piece>, String> {
    match home {
        ProfileLocation::Bundled => {
            let bundled = format!("sections/{path}");
            let bytes = system.bundled(&bundled).ok_or_else(|| format!("there is no bundled `{bundled}`"))?;
            let source = Source { scope: Scope::Bundled, path: format!("bundled/{bundled}") };
            Ok(decode(&bytes, &Arc::new(source)))
        }
        ProfileLocation::Dir(dir) => {
            let at = dir.join(path);
            let read = system.read(&at, ReadScope::Anywhere, LIMIT).map_err(|error| error.to_string())?;
            let shown = match Path::new(&raw.path).parent() {
                Some(parent) => parent.join(path),
                None => PathBuf::from(path),
            };
            let shown = match system.home().and_then(|home| Some(shown.strip_prefix(home).ok()?.to_owned())) {
                Some(rest) => format!("~/{}", rest.display()),
                None => shown.display().to_string(),
            };
            Ok(decode(&read.bytes, &Arc::new(Source { scope: Scope::Global, path: shown })))
        }
    }
}
