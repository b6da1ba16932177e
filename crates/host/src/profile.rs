//! Finding and loading profiles: bundled presets, the user's own, and the chain that `extends` makes.

use crate::system::{ReadError, System, Within};
use preface_core::{
    diagnostic::Place,
    origin::{Piece, Source, decode},
    profile::{self, Profile, ProfileError, RawProfile, Setting},
    scope::Scope,
    suggestion::did_you_mean,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Which profile is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By name: `<global>/profiles/NAME.toml`, else the preset of that name.
    Named(String),
    /// A file.
    File(PathBuf),
}

/// The most that is read of a profile or of a text that one names.
const LIMIT: u64 = 1 << 20;
/// How long a chain of `extends` may be.
const CHAIN: usize = 16;

/// Where a raw profile came from, for the files that it names.
enum Home {
    Bundled,
    Dir(PathBuf),
}

/// Loads a profile with everything that it extends and every text that it names.
///
/// `global` is the directory that `profiles/` lies in.
///
/// # Errors
/// An unknown name, a file that cannot be read, a loop of `extends`, and everything that [`profile::build`] refuses.
pub fn load(
    system: &dyn System,
    global: Option<&Path>,
    choice: &Choice,
    settings: &[Setting],
) -> Result<Profile, ProfileError> {
    let mut chain: Vec<(RawProfile, Home)> = Vec::new();
    let mut next = Some(choice.clone());
    while let Some(choice) = next {
        if chain.len() == CHAIN {
            let names: Vec<&str> = chain.iter().map(|(raw, _)| raw.name.as_str()).collect();
            return Err(plain(format!("profiles extend each other without end: {}", names.join(" → "))));
        }
        // A profile that extends its own name means the bundled one of that name.
        let own = chain.last().map(|(raw, _)| raw.path.clone());
        let (raw, home) = read(system, global, &choice, own.as_deref())?;
        next = raw.extends.clone().map(Choice::Named);
        chain.push((raw, home));
    }
    chain.reverse();
    let (raws, homes): (Vec<RawProfile>, Vec<Home>) = chain.into_iter().unzip();
    profile::build(&raws, settings, &mut |raw, path| {
        let at = raws.iter().position(|other| other.path == raw.path).unwrap_or(0);
        text(system, &homes[at], raw, path)
    })
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
    ProfileError { message, place: Box::default(), help: None }
}

fn read(
    system: &dyn System,
    global: Option<&Path>,
    choice: &Choice,
    own: Option<&str>,
) -> Result<(RawProfile, Home), ProfileError> {
    match choice {
        Choice::File(path) => {
            let stem = path
                .file_stem()
                .map_or_else(|| "profile".to_owned(), |stem| stem.to_string_lossy().into_owned());
            let text = file(system, path)?;
            let dir = path.parent().map_or_else(PathBuf::new, Path::to_owned);
            Ok((profile::read(&stem, &path.display().to_string(), &text)?, Home::Dir(dir)))
        }
        Choice::Named(name) => {
            if name.is_empty() || name.contains(['/', '\\', '\0']) || name.starts_with('.') {
                return Err(ProfileError {
                    help: Some("`--profile FILE` takes a path".to_owned()),
                    ..plain(format!("not the name of a preset: `{name}`"))
                });
            }
            if let Some(global) = global {
                let path = global.join("profiles").join(format!("{name}.toml"));
                let here = path.display().to_string();
                if own != Some(here.as_str()) && system.stat(&path).is_some() {
                    let text = file(system, &path)?;
                    let dir = path.parent().map_or_else(PathBuf::new, Path::to_owned);
                    return Ok((profile::read(name, &here, &text)?, Home::Dir(dir)));
                }
            }
            let bundled = format!("presets/{name}.toml");
            match system.bundled(&bundled) {
                Some(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    Ok((profile::read(name, &format!("bundled/{bundled}"), &text)?, Home::Bundled))
                }
                None => {
                    let known = names(system, global);
                    let help = match did_you_mean(name, known.iter().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("presets are {}", known.join(", ")),
                    };
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
    let read =
        system.read(path, Within::Anywhere, LIMIT).map_err(|error: ReadError| failed(error.to_string()))?;
    let text = String::from_utf8(read.bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads a text that a profile names: bundled profiles name bundled texts, others files beside themselves.
fn text(system: &dyn System, home: &Home, raw: &RawProfile, path: &str) -> Result<Vec<Piece>, String> {
    match home {
        Home::Bundled => {
            let bundled = format!("sections/{path}");
            let bytes = system.bundled(&bundled).ok_or_else(|| format!("there is no bundled `{bundled}`"))?;
            Ok(decode(
                &bytes,
                &Arc::new(Source { scope: Scope::Bundled, path: format!("bundled/{bundled}") }),
            ))
        }
        Home::Dir(dir) => {
            let at = dir.join(path);
            let read = system.read(&at, Within::Anywhere, LIMIT).map_err(|error| error.to_string())?;
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
