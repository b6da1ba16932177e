//! Builds the prompts of directories that nobody prepared, with every preset, and checks that each byte comes from where
//! it says. `cargo xtask real DIR…` runs this with a home directory of its own.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Engine, OsSystem, TrustChoice,
    core::{origin::Origin, snapshot::Snapshot},
    host::system::System,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

fn main() -> ExitCode {
    let system = OsSystem::new(ASSETS);
    let engine = Engine::new(&system);
    let presets = preface_engine::preset_names(&system, None);
    let mut wrong = 0;
    for directory in env::args_os().skip(1).map(PathBuf::from) {
        for preset in &presets {
            let began = Instant::now();
            let result = check(&engine, &directory, preset);
            let millis = began.elapsed().as_secs_f64() * 1e3;
            let shown = directory.display();
            match result {
                Ok(what) => println!("ok     {shown}  {preset}: {what}, {millis:.1} ms"),
                Err(why) => {
                    wrong += 1;
                    println!("WRONG  {shown}  {preset}: {why}");
                }
            }
        }
    }
    match wrong {
        0 => ExitCode::SUCCESS,
        wrong => {
            eprintln!("error: {wrong} prompts are not what they say");
            ExitCode::FAILURE
        }
    }
}

/// Builds, builds again, replays, and looks at each span. Returns what was seen, for people.
fn check(engine: &Engine<'_>, directory: &Path, preset: &str) -> Result<String, String> {
    let request = BuildOptions {
        preset: Some(preset.to_owned()),
        now: Some("2026-01-02T03:04:05Z".to_owned()),
        trust: TrustChoice::Once,
        ..BuildOptions::in_dir(directory)
    };
    let build = || engine.build(&request).map_err(|error| format!("cannot be built: {error}"));
    let built = build()?;
    let again = build()?.prompt;
    // Only the first build of all may write a first file, and say so in its audit.
    if again.text != built.prompt.text || again.parts != built.prompt.parts {
        return Err("two builds differ".to_owned());
    }
    let saved = serde_json::to_string(&built.snapshot).map_err(|error| error.to_string())?;
    let mut snapshot: Snapshot =
        serde_json::from_str(&saved).map_err(|error| format!("the saved snapshot: {error}"))?;
    let replayed = Engine::rebuild(&mut snapshot).map_err(|error| format!("the saved snapshot: {error}"))?;
    if replayed.text != built.prompt.text || replayed.parts != built.prompt.parts {
        return Err("the saved snapshot gives another prompt".to_owned());
    }
    built.prompt.check_tiling()?;
    let from_files = spans(engine.system(), &built, directory)?;
    let prompt = &built.prompt;
    Ok(format!(
        "{} bytes in {} parts, {from_files} from files, {} notes",
        prompt.text.len(),
        prompt.parts.len(),
        prompt.diagnostics.len()
    ))
}

/// Compares each span of a file with the file. Returns how many bytes that were.
fn spans(system: &dyn System, built: &BuildResult, directory: &Path) -> Result<usize, String> {
    let mut sum = 0;
    for (part, range, origin) in built.prompt.spans() {
        let Origin::Source { source, span, lossy } = origin else { continue };
        let bytes = match source.path.strip_prefix("bundled/") {
            Some(path) => system.bundled(path).ok_or("no such bundled file")?.into_owned(),
            None => fs::read(place(system, directory, &source.path))
                .map_err(|error| format!("`{}` cannot be read: {error}", source.path))?,
        };
        let here = &built.prompt.text[range.clone()];
        let there =
            bytes.get(span.clone()).ok_or_else(|| format!("`{}` has no bytes {span:?}", source.path))?;
        let same = if *lossy { here == String::from_utf8_lossy(there) } else { here.as_bytes() == there };
        if !same {
            let section = &part.section;
            return Err(format!("bytes {range:?} (`{section}`) are not bytes {span:?} of `{}`", source.path));
        }
        sum += range.len();
    }
    Ok(sum)
}

/// Returns the file that an origin's path names: relative to the directory, or from `~`.
fn place(system: &dyn System, directory: &Path, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), system.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => directory.join(path),
    }
}
