//! The matrix of layers: each category × each pair of layers × what the upper one does with a name of the lower one. Expected is what
//! docs/concepts/layers.md says: a name of the stronger layer wins, `disable` leaves none, and an entry that cannot do its job leaves the one below.

use preface_engine::{
    ASSETS, BuildOptions, Engine, ScopesReport, TrustChoice,
    core::{
        diagnostic::Severity,
        extension::{Category, EntryState},
        scope::Scope,
    },
    coverage::HiddenText,
    host::system::testing::{FakeRun, MemorySystem},
};

/// What the upper layer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upper {
    /// An entry of another name.
    New,
    /// A good entry of the same name.
    Override,
    /// `disable` for that name.
    Disable,
    /// An entry of the same name that is no manifest.
    Broken,
    /// A well-formed entry of the same name that cannot do its job; categories without fields have none.
    Useless,
}

/// A category, the fields of a good entry, and those of one that is of no use.
const CATEGORIES: [(Category, &str, Option<&str>); 9] = [
    (Category::Commands, r#""description": "Explains.""#, Some(r#""description": "  ""#)),
    (Category::ContextProviders, r#""markdown": "TEXT""#, Some(r#""files": ["missing.md"]"#)),
    (
        Category::Hooks,
        r#""slot": "TOOL_CALL/pre", "command": ["node"]"#,
        Some(r#""slot": "TOOL_CALL/pre", "command": []"#),
    ),
    (Category::Loggers, r#""path": "log.jsonl""#, Some(r#""path": """#)),
    (
        Category::Providers,
        r#""kind": "anthropic", "baseUrl": "https://models.example""#,
        Some(r#""kind": "anthropic", "baseUrl": "nowhere""#),
    ),
    (Category::SessionStores, r#""kind": "memory""#, Some(r#""kind": "paper""#)),
    (Category::StateMachines, r#""description": "Steps.""#, None),
    (
        Category::Tools,
        r#""description": "Reads.""#,
        Some(r#""description": "Reads.", "inputSchema": {"type": "text"}"#),
    ),
    (Category::Ui, r#""description": "A window.""#, None),
];

/// A preset, the user's directory and the project's.
const PRESETS: [(&str, &str, &str); 2] = [
    ("stud", "/home/user/.stud", "/work/.stud"),
    ("default", "/home/user/.config/preface", "/work/.preface"),
];

const LAYERS: [(Scope, Scope); 3] =
    [(Scope::Bundled, Scope::Global), (Scope::Bundled, Scope::Project), (Scope::Global, Scope::Project)];

fn manifest(category: Category, id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

/// Adds a file to a layer.
fn with(system: MemorySystem, layer: Scope, dirs: (&str, &str), path: &str, text: String) -> MemorySystem {
    match layer {
        Scope::Bundled => system.with_bundled(path, text.into_bytes()),
        Scope::Global => system.with_file(format!("{}/{path}", dirs.0), text),
        Scope::Project => system.with_file(format!("{}/{path}", dirs.1), text),
    }
}

/// Lists a machine on which all of the project is granted, what it would start and write, too.
fn listed(system: &MemorySystem, preset: &str) -> ScopesReport {
    let request = BuildOptions {
        preset: Some(preset.into()),
        trust: TrustChoice::Ask,
        ..BuildOptions::in_dir("/work")
    };
    let engine = Engine::new(system);
    preface_testkit::grant(&engine, &request, &[], HiddenText::Refuse).expect("a grant");
    engine.grant_commands(&request, &[], None).expect("a grant of commands");
    engine.look(&request).and_then(|build| build.scopes()).expect("a listing")
}

/// Returns the layers whose entry of a name is active, the weakest first.
fn active(report: &ScopesReport, category: Category, name: &str) -> Vec<Scope> {
    let entries = report.scopes.of(category).filter(|entry| entry.name == name && entry.active);
    let mut layers: Vec<Scope> = entries.map(|entry| entry.origin.scope).collect();
    layers.sort_unstable();
    layers
}

/// The layers whose entry `x` docs/concepts/layers.md has as active.
fn expected(category: Category, (lower, upper): (Scope, Scope), does: Upper) -> Vec<Scope> {
    match does {
        Upper::New | Upper::Broken | Upper::Useless => vec![lower],
        // Hooks are joined.
        Upper::Override if category == Category::Hooks => vec![lower, upper],
        Upper::Override => vec![upper],
        Upper::Disable => Vec::new(),
    }
}

#[test]
fn each_cell_is_as_the_seed_has_it() {
    let mut cells = 0;
    let mut wrong = Vec::new();
    for (preset, user, project) in PRESETS {
        for (category, good, useless) in CATEGORIES {
            for (lower, upper) in LAYERS {
                for does in [Upper::New, Upper::Override, Upper::Disable, Upper::Broken, Upper::Useless] {
                    let at = |id: &str| format!("extensions/{category}/{id}/manifest.json");
                    let (path, text) = match (does, useless) {
                        (Upper::New, _) => (at("y"), manifest(category, "y", good)),
                        (Upper::Override, _) => (at("x"), manifest(category, "x", good)),
                        (Upper::Disable, _) => {
                            let settings = format!(r#"{{"{category}": {{"x": {{"disable": true}}}}}}"#);
                            ("settings.json".to_owned(), settings)
                        }
                        (Upper::Broken, _) => (at("x"), r#"{"id": "x""#.to_owned()),
                        (Upper::Useless, Some(fields)) => (at("x"), manifest(category, "x", fields)),
                        (Upper::Useless, None) => continue,
                    };
                    let dirs = (user, project);
                    let system = MemorySystem::new()
                        .with_bundle(ASSETS)
                        .with_home("/home/user")
                        .with_dir("/work")
                        .with_dir(project)
                        .with_command(["node"], FakeRun::printing(""));
                    let system = with(system, lower, dirs, &at("x"), manifest(category, "x", good));
                    let report = listed(&with(system, upper, dirs, &path, text), preset);
                    let (seen, wanted) =
                        (active(&report, category, "x"), expected(category, (lower, upper), does));
                    let new = active(&report, category, "y");
                    let is_new = does != Upper::New || new == [upper];
                    let told = !matches!(does, Upper::Broken | Upper::Useless)
                        || report.diagnostics.iter().any(|found| {
                            let place = found.place.as_ref().map(|place| place.path.as_str());
                            found.severity == Severity::Warning
                                && place.is_some_and(|path| path.ends_with(&at("x")))
                        });
                    cells += 1;
                    if seen != wanted || !is_new || !told {
                        wrong.push(format!("{preset} {category} {upper} over {lower}, {does:?}: {seen:?}, {new:?}, told {told}, wanted {wanted:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cells}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cells, 2 * 3 * (9 * 4 + 7));
}

#[test]
fn what_the_upper_layer_hides_says_so() {
    let (preset, user, project) = PRESETS[1];
    let at = "extensions/tools/x/manifest.json";
    let tool = manifest(Category::Tools, "x", r#""description": "Reads.""#);
    let system = MemorySystem::new().with_bundle(ASSETS).with_home("/home/user").with_dir("/work");
    let system = with(system, Scope::Global, (user, project), at, tool.clone());
    let report = listed(&with(system, Scope::Project, (user, project), at, tool), preset);
    let states: Vec<_> = report.scopes.of(Category::Tools).filter(|entry| entry.name == "x").collect();
    let of = |scope| states.iter().find(|entry| entry.origin.scope == scope).expect("it is listed");
    assert_eq!(of(Scope::Project).state(), EntryState::Active);
    assert_eq!(of(Scope::Global).state(), EntryState::Hidden);
    assert_eq!(of(Scope::Project).shadows, [of(Scope::Global).origin.clone()]);
}
