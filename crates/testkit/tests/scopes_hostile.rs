//! Layers that are broken or mean harm: each fault is reported by its name, and its neighbours never notice.

use preface_engine::{
    ASSETS, BuildOptions, Engine, ScopesReport, TrustChoice,
    core::{
        diagnostic::{Diagnostic, Severity},
        extension::{Category, ExtensionEntry},
    },
    host::system::testing::{AccessKind, MemorySystem},
};

const GLOBAL: &str = "/home/user/.stud";
const PROJECT: &str = "/work/.stud";

/// A manifest with these further fields, such as `"description": "…"`.
fn manifest(category: &str, id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

fn tool(id: &str) -> String {
    manifest("tools", id, r#""description": "It is a tool.""#)
}

fn at(layer: &str, category: &str, id: &str) -> String {
    format!("{layer}/extensions/{category}/{id}/manifest.json")
}

/// A machine with one sound tool in each layer.
fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/work")
        .with_file(at(GLOBAL, "tools", "mine"), tool("mine"))
        .with_file(at(PROJECT, "tools", "theirs"), tool("theirs"))
}

fn request(trust: TrustChoice) -> BuildOptions {
    BuildOptions { preset: Some("stud".into()), trust, ..BuildOptions::in_dir("/work") }
}

/// What the layers bring, where the project is trusted for this call. The neighbours are always there.
#[track_caller]
fn scopes(system: &MemorySystem) -> ScopesReport {
    let report = Engine::new(system)
        .look(&request(TrustChoice::Once))
        .and_then(|build| build.scopes())
        .expect("no layer stops a listing");
    assert!(report.scopes.active(Category::Tools, "mine").is_some(), "{:?}", report.diagnostics);
    assert!(report.scopes.active(Category::Tools, "bash").is_some(), "{:?}", report.diagnostics);
    report
}

/// The same, with the project's own tool.
#[track_caller]
fn all(system: &MemorySystem) -> ScopesReport {
    let report = scopes(system);
    assert!(report.scopes.active(Category::Tools, "theirs").is_some(), "{:?}", report.diagnostics);
    report
}

/// The one diagnostic of a code.
#[track_caller]
fn note<'r>(report: &'r ScopesReport, code: &str) -> &'r Diagnostic {
    let diagnostics: Vec<&Diagnostic> =
        report.diagnostics.iter().filter(|diagnostic| diagnostic.code.as_str() == code).collect();
    assert_eq!(diagnostics.len(), 1, "{code}: {:#?}", report.diagnostics);
    diagnostics[0]
}

/// The row of a project's extension.
#[track_caller]
fn theirs<'r>(report: &'r ScopesReport, category: Category, id: &'r str) -> &'r ExtensionEntry {
    let mut rows = report.scopes.named(category, id);
    rows.find(|entry| entry.origin.path.starts_with(".stud/")).expect("the project has it")
}

const DISCOVERY: &str = "extension/manifest-invalid";

#[test]
fn a_manifest_that_is_no_manifest_is_one_error_of_its_own() {
    for bytes in ["", "{", "[]", "null", "{\"id\": \"x\", \"id\": \"x\"}"] {
        for (layer, shown) in [(GLOBAL, "~/.stud"), (PROJECT, ".stud")] {
            let system = machine().with_file(at(layer, "tools", "x"), bytes);
            let report = all(&system);
            let diagnostic = note(&report, DISCOVERY);
            assert_eq!(diagnostic.severity, Severity::Error, "{bytes:?}");
            assert!(diagnostic.message.contains("/x (Tool): "), "{}", diagnostic.message);
            let place = diagnostic.place.as_ref().expect("where it is");
            assert_eq!(place.path, format!("{shown}/extensions/tools/x/manifest.json"));
        }
    }
    // Over a sound one it is a warning.
    let system = machine().with_file(at(PROJECT, "tools", "mine"), "{");
    let report = all(&system);
    assert_eq!(note(&report, DISCOVERY).severity, Severity::Warning);
    let mine = report.scopes.active(Category::Tools, "mine").expect("the user's stays");
    assert_eq!(
        mine.fallback_from.as_ref().expect("instead").path,
        ".stud/extensions/tools/mine/manifest.json"
    );
}

#[test]
fn other_files_of_a_layer_that_are_no_json() {
    for (file, code, severity) in [
        ("settings.json", "settings/shape-invalid", Severity::Error),
        ("ordering.json", "ordering/malformed", Severity::Warning),
        ("mcp.json", "mcp/config-invalid", Severity::Error),
    ] {
        for layer in [GLOBAL, PROJECT] {
            for bytes in ["{", "[]", "\u{0}", "{\"a\" 1}"] {
                let report = all(&machine().with_file(format!("{layer}/{file}"), bytes));
                assert_eq!(note(&report, code).severity, severity, "{layer}/{file}: {bytes:?}");
            }
        }
    }
}

#[test]
fn a_special_file_is_reported_and_not_opened() {
    for (file, code) in [
        ("settings.json", "file/unreadable"),
        ("mcp.json", "file/unreadable"),
        ("ordering.json", "ordering/unreadable"),
    ] {
        for layer in [GLOBAL, PROJECT] {
            let path = format!("{layer}/{file}");
            // The user's own settings are read before anything else, and nothing is known without them.
            if (layer, file) == (GLOBAL, "settings.json") {
                let mut systems = vec![machine().with_dir(&path), machine().with_special(&path)];
                systems.extend([machine().with_link(&path, &path), machine().with_unreadable(&path)]);
                for system in systems {
                    let report = all(&system);
                    let diagnostic = note(&report, "settings/shape-invalid");
                    assert!(
                        diagnostic.severity == Severity::Error && diagnostic.help.is_some(),
                        "{diagnostic:?}"
                    );
                }
                continue;
            }
            for system in [machine().with_dir(&path), machine().with_special(&path)] {
                assert_eq!(note(&all(&system), code).severity, Severity::Warning, "{path}");
            }
            let denied = if file == "ordering.json" { code } else { "file/unreadable" };
            note(&all(&machine().with_unreadable(&path)), denied);
            let link = if file == "ordering.json" { code } else { "file/link" };
            note(&all(&machine().with_link(&path, &path)), link);
        }
    }
    for layer in [GLOBAL, PROJECT] {
        let path = at(layer, "tools", "x");
        let mut systems = vec![machine().with_special(&path), machine().with_dir(&path)];
        systems.extend([machine().with_link(&path, &path), machine().with_unreadable(&path)]);
        for system in systems {
            assert_eq!(note(&all(&system), DISCOVERY).severity, Severity::Error);
        }
        // A directory without a manifest.
        let report = all(&machine().with_dir(format!("{layer}/extensions/tools/x")));
        assert!(note(&report, DISCOVERY).message.contains("there is no manifest.json"));
    }
}

#[test]
fn a_loop_of_links_in_the_place_of_a_directory() {
    for layer in [GLOBAL, PROJECT] {
        // As a category: the others are there.
        let path = format!("{layer}/extensions/hooks");
        let report = all(&machine().with_link(&path, &path));
        assert!(note(&report, "layer/directory").message.contains("loop"), "{path}");
        // As an extension.
        let path = format!("{layer}/extensions/tools/x");
        let report = all(&machine().with_link(&path, &path));
        assert_eq!(note(&report, DISCOVERY).severity, Severity::Error);
        // Over a sound one of a lower layer.
        let path = format!("{layer}/extensions/tools/bash");
        let report = all(&machine().with_link(&path, &path));
        assert_eq!(note(&report, DISCOVERY).severity, Severity::Warning);
    }
    // As `extensions` itself: that layer has none, and it is reported.
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_file(at(GLOBAL, "tools", "mine"), tool("mine"))
        .with_link(format!("{PROJECT}/extensions"), format!("{PROJECT}/extensions"));
    let report = scopes(&system);
    let diagnostic = note(&report, "layer/directory");
    assert!(
        diagnostic.message.contains(".stud/extensions") && diagnostic.message.contains("loop"),
        "{}",
        diagnostic.message
    );
    // A link that points nowhere.
    let system = machine().with_link(format!("{PROJECT}/extensions/hooks"), "/nowhere");
    let report = all(&system);
    assert!(note(&report, "layer/directory").message.contains("nowhere"));
}

#[test]
fn a_file_where_a_directory_belongs() {
    let report = all(&machine().with_file(format!("{PROJECT}/extensions/hooks"), "x"));
    assert_eq!(note(&report, "layer/directory").severity, Severity::Warning);
    // A file among the extensions is nobody's business.
    let report = all(&machine().with_file(format!("{PROJECT}/extensions/tools/README.md"), "x"));
    assert!(
        !report.diagnostics.iter().any(|diagnostic| diagnostic.severity > Severity::Info),
        "{:?}",
        report.diagnostics
    );
}

#[test]
fn nothing_of_a_project_leads_outside() {
    let secret = "/elsewhere/tools/x/manifest.json";
    let outside = || machine().with_file(secret, tool("x"));
    let system = outside().with_link(at(PROJECT, "tools", "x"), secret);
    assert!(note(&all(&system), DISCOVERY).message.contains("outside"));
    let system = outside().with_link(format!("{PROJECT}/extensions/tools/x"), "/elsewhere/tools/x");
    assert!(note(&all(&system), DISCOVERY).message.contains("outside"));
    let system = outside().with_link(format!("{PROJECT}/extensions/hooks"), "/elsewhere/tools");
    assert!(note(&all(&system), "file/outside").message.contains("outside"));
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_file(at(GLOBAL, "tools", "mine"), tool("mine"))
        .with_file(secret, tool("x"))
        .with_link(format!("{PROJECT}/extensions"), "/elsewhere");
    let report = scopes(&system);
    assert!(note(&report, "file/outside").message.contains("outside"));
    assert!(report.scopes.named(Category::Tools, "x").next().is_none());
    let below = |path: &std::path::Path| path.starts_with("/elsewhere");
    let looked: Vec<_> = system.touches().into_iter().filter(|touch| below(&touch.place)).collect();
    assert!(
        looked.iter().all(|touch| !matches!(touch.verb, AccessKind::Read | AccessKind::List)),
        "{looked:?}"
    );
    // The user may keep theirs wherever they like.
    let system = outside().with_link(format!("{GLOBAL}/extensions/tools/x"), "/elsewhere/tools/x");
    assert!(all(&system).scopes.active(Category::Tools, "x").is_some());
}

#[test]
fn ids_that_are_paths_and_ids_that_are_others() {
    for id in ["../../evil", "..", "a/b", "a\\\\b", "mine\\u0000", "\\u202egnp", "/etc"] {
        let report = all(&machine().with_file(at(PROJECT, "tools", "x"), tool(id)));
        let diagnostic = note(&report, DISCOVERY);
        assert!(diagnostic.message.contains("but its directory is `x`"), "{}", diagnostic.message);
        assert!(!diagnostic.message.contains(['\u{202e}', '\0']), "{:?}", diagnostic.message);
        assert!(!theirs(&report, Category::Tools, "x").active);
    }
    // Two directories want one id: the one of that name has it.
    let system = machine().with_file(at(PROJECT, "tools", "x"), tool("theirs"));
    let report = all(&system);
    assert_eq!(note(&report, "extension/name-conflict").severity, Severity::Error);
    // Two commands with one name.
    let command = |id| manifest("commands", id, r#""name": "go", "description": "It goes.""#);
    let system = machine()
        .with_file(at(PROJECT, "commands", "one"), command("one"))
        .with_file(at(PROJECT, "commands", "two"), command("two"));
    let report = all(&system);
    assert!(note(&report, "extension/name-conflict").message.contains("`go`"));
    assert!(theirs(&report, Category::Commands, "one").active);
    assert!(!theirs(&report, Category::Commands, "two").active);
    // A manifest of another category.
    let report = all(&machine().with_file(at(PROJECT, "hooks", "x"), tool("x")));
    assert!(note(&report, DISCOVERY).message.contains("`category` is `tools`"));
}

#[test]
fn names_of_directories_that_hide_something() {
    for name in
        ["a\u{202e}b", "a\nb", "a\u{1b}[2Jb", "a\u{200b}b", "a\\b", "$(touch PWNED)", "a b", "-rf", "\u{e4}"]
    {
        let report = all(&machine().with_file(at(PROJECT, "tools", name), tool("x")));
        let diagnostic = note(&report, DISCOVERY);
        assert_eq!(diagnostic.severity, Severity::Error);
        assert!(diagnostic.message.contains("the directory's name"), "{}", diagnostic.message);
        for hidden in ['\u{202e}', '\n', '\u{1b}', '\u{200b}'] {
            assert!(!diagnostic.message.contains(hidden), "{:?}", diagnostic.message);
        }
    }
    let long = "x".repeat(65);
    let report = all(&machine().with_file(at(PROJECT, "tools", &long), tool(&long)));
    assert!(note(&report, DISCOVERY).message.contains("longer than 64 bytes"));
    for plain in ["x".repeat(64), "_a.B-9".to_owned(), "7".to_owned()] {
        let report = all(&machine().with_file(at(PROJECT, "tools", &plain), tool(&plain)));
        assert!(report.diagnostics.iter().all(|diagnostic| diagnostic.code.as_str() != DISCOVERY), "{plain}");
    }
}

#[test]
fn a_name_that_is_no_utf_8() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};
    let dir = Path::new(PROJECT).join("extensions/tools").join(OsStr::from_bytes(b"a\xff"));
    let system = machine().with_file(dir.join("manifest.json"), tool("a"));
    let report = all(&system);
    assert!(note(&report, DISCOVERY).message.contains("is no UTF-8"), "{:?}", report.diagnostics);
    assert_eq!(system.reads(dir.join("manifest.json")), 0);
}

#[test]
fn schemas_that_do_not_compile() {
    let with =
        |schema: &str| manifest("tools", "x", &format!(r#""description": "x", "configSchema": {schema}"#));
    let closed = |rest: &str| format!(r#"{{"type": "object", "additionalProperties": false, {rest}}}"#);
    for schema in [
        "1".to_owned(),
        "{}".to_owned(),
        r#"{"type": "object"}"#.to_owned(),
        closed(r#""properties": 1"#),
        closed(r#""properties": {"a": {"type": "nonsense"}}"#),
        closed(r#""$ref": "http://example.com/schema.json""#),
        closed(r#""properties": {"a": {"$ref": "file:///etc/passwd"}}"#),
        closed(r##""properties": {"a": {"$ref": "#/nowhere"}}"##),
        closed(r#""properties": {"a": {"pattern": "(a"}}"#),
        closed(r#""properties": {"a": {"pattern": "(?=a)"}}"#),
        closed(r#""required": ["a"]"#),
    ] {
        let report = all(&machine().with_file(at(PROJECT, "tools", "x"), with(&schema)));
        let diagnostic = note(&report, "settings/schema-violation");
        assert_eq!(diagnostic.severity, Severity::Error, "{schema}");
        assert!(!theirs(&report, Category::Tools, "x").active, "{schema}");
    }
}

#[test]
fn too_large() {
    // 256 KiB are read, a byte more is not.
    let sized = |size: usize| {
        let text = tool("x");
        let padding = " ".repeat(size - text.len());
        text + &padding
    };
    let path = at(PROJECT, "tools", "x");
    let report = all(&machine().with_file(&path, sized(256 << 10)));
    assert!(theirs(&report, Category::Tools, "x").active);
    let report = all(&machine().with_file(&path, sized((256 << 10) + 1)));
    let found = note(&report, DISCOVERY);
    assert!(found.message.contains("more than the limit of 262144"), "{}", found.message);
    for (file, code) in [
        ("settings.json", "file/too-large"),
        ("mcp.json", "file/too-large"),
        ("ordering.json", "ordering/unreadable"),
    ] {
        let report = all(&machine().with_file(format!("{PROJECT}/{file}"), vec![b' '; (1 << 20) + 1]));
        note(&report, code);
    }
}

#[test]
fn settings_that_would_hurt() {
    // A deep nest, many keys, one key a thousand times.
    let deep = "{\"tools\":".repeat(100_000);
    let many: Vec<String> = (0..20_000).map(|n| format!("\"k{n}\": {{\"disable\": true}}")).collect();
    let twice = "\"tools\": {},".repeat(5_000);
    for text in [deep, format!("{{\"tools\": {{{}}}}}", many.join(",")), format!("{{{twice}\"ui\": {{}}}}")] {
        let system = machine().with_file(format!("{PROJECT}/settings.json"), &text);
        let report = all(&system);
        assert!(report.diagnostics.len() < 200, "{} notes", report.diagnostics.len());
        assert!(report.diagnostics.iter().any(|diagnostic| diagnostic.severity > Severity::Info));
    }
}

/// Whatever is broken, a prompt is built.
#[test]
fn a_build_survives_all_of_it_at_once() {
    let mut system = machine();
    for layer in [GLOBAL, PROJECT] {
        for file in ["settings.json", "ordering.json", "mcp.json"] {
            system = system.with_file(format!("{layer}/{file}"), "{");
        }
        let path = format!("{layer}/extensions/hooks");
        system = system.with_link(&path, &path).with_special(at(layer, "tools", "pipe"));
        system = system.with_file(at(layer, "contextProviders", "broken"), "{");
        let sound = manifest("contextProviders", "sound", r#""markdown": "SOUND""#);
        system = system.with_file(at(layer, "contextProviders", "sound"), sound);
    }
    let built = Engine::new(&system).build(&request(TrustChoice::Once)).expect("a prompt");
    assert_eq!(built.prompt.text.matches("SOUND").count(), 1, "{}", built.prompt.text);
    assert!(system.runs().is_empty());
}
