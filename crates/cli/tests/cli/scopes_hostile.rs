//! Layers on a real disk that mean harm: pipes, loops, sparse giants, names that hide something, programs in the project.

use crate::sandbox::Sandbox;
use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, fs::symlink},
    process::Command,
};

fn manifest(category: &str, id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

fn tool(id: &str) -> String {
    manifest("tools", id, r#""description": "It is a tool.""#)
}

/// A sandbox with one sound tool in each layer.
fn sound() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox
        .home(".stud/extensions/tools/mine/manifest.json", tool("mine"))
        .work(".stud/extensions/tools/theirs/manifest.json", tool("theirs"));
    sandbox
}

/// Lists everything with the project trusted for the call; the sound tools are always there. Returns each diagnostic as
/// `code: message`.
#[track_caller]
fn diagnostics(sandbox: &Sandbox) -> Vec<String> {
    let json =
        sandbox.run("preface list extensions --preset stud --trust once --format json").exits(0).json();
    let entries = json["entries"].as_array().expect("rows");
    for name in ["mine", "theirs", "bash"] {
        let active = |entry: &&serde_json::Value| entry["name"] == name && entry["active"] == true;
        assert_eq!(entries.iter().filter(active).count(), 1, "{name}: {json:#}");
    }
    let diagnostics = json["diagnostics"].as_array().expect("notes");
    diagnostics
        .iter()
        .map(|note| {
            let text = |key: &str| note[key].as_str().expect("a text").to_owned();
            format!("{}: {}", text("code"), text("message"))
        })
        .collect()
}

#[track_caller]
fn tells(sandbox: &Sandbox, code: &str, words: &str) {
    let diagnostics = diagnostics(sandbox);
    let found =
        diagnostics.iter().filter(|note| note.starts_with(&format!("{code}: ")) && note.contains(words));
    assert_eq!(found.count(), 1, "{code} {words}: {diagnostics:#?}");
}

const DISCOVERY: &str = "extension/manifest-invalid";

#[test]
fn two_hundred_megabytes_of_settings_are_not_read() {
    for (layer, code) in [("home/.stud", "settings/shape-invalid"), ("work/.stud", "file/too-large")] {
        let sandbox = sound();
        let file = fs::File::create(sandbox.path(layer).join("settings.json")).expect("a file");
        file.set_len(200 << 20).expect("a sparse file");
        tells(&sandbox, code, "209715200 bytes, more than the limit of 1048576");
        if !cfg!(target_os = "linux") {
            continue;
        }
        // What is not read takes no memory: fewer addresses than the file has bytes are enough.
        let ran = Command::new("sh")
            .args(["-c", "ulimit -v 196608 && exec \"$0\" list extensions --preset stud --trust once -q"])
            .arg(env!("CARGO_BIN_EXE_preface"))
            .current_dir(sandbox.path("work"))
            .env_clear()
            .env("HOME", sandbox.path("home"))
            .output()
            .expect("sh");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn a_pipe_is_not_waited_for() {
    for layer in ["home/.stud", "work/.stud"] {
        let fifo = |name: &str| {
            let sandbox = sound();
            let path = sandbox.path(layer).join(name);
            fs::create_dir_all(path.parent().expect("below the layer")).expect("its directory");
            assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
            sandbox
        };
        tells(&fifo("extensions/tools/x/manifest.json"), DISCOVERY, "pipe");
        tells(&fifo("ordering.json"), "ordering/unreadable", "pipe");
        tells(&fifo("mcp.json"), "file/unreadable", "pipe");
        let settings = if layer == "work/.stud" { "file/unreadable" } else { "settings/shape-invalid" };
        tells(&fifo("settings.json"), settings, "pipe");
    }
}

/// More extensions than anybody has: their category is left out with one diagnostic, the other ones are there.
#[test]
fn ten_thousand_directories_and_one() {
    let sandbox = sound();
    let hooks = sandbox.path("work/.stud/extensions/hooks");
    fs::create_dir(&hooks).expect("a directory");
    for number in 0..10_001 {
        // Links cost less than directories, and count alike.
        symlink("../tools/theirs", hooks.join(number.to_string())).expect("a link");
    }
    tells(&sandbox, "layer/directory", "it has more than 10000 entries");
}

#[test]
fn loops_of_links() {
    for layer in ["home/.stud", "work/.stud"] {
        for (name, code) in [
            ("extensions/hooks", "layer/directory"),
            ("extensions/tools/x", DISCOVERY),
            ("extensions/tools/x/manifest.json", DISCOVERY),
            ("mcp.json", "file/link"),
            ("ordering.json", "ordering/unreadable"),
        ] {
            let sandbox = sound();
            let path = sandbox.path(layer).join(name);
            fs::create_dir_all(path.parent().expect("below the layer")).expect("its directory");
            symlink(path.file_name().expect("a name"), &path).expect("a link");
            tells(&sandbox, code, "loop");
        }
    }
    // A category that leads to where it lies, and one that leads back up.
    let sandbox = sound();
    symlink(".", sandbox.path("work/.stud/extensions/hooks")).expect("a link");
    symlink("..", sandbox.path("work/.stud/extensions/tools/up")).expect("a link");
    let diagnostics = diagnostics(&sandbox);
    assert!(diagnostics.iter().any(|note| note.contains("project/up (Tool)")), "{diagnostics:#?}");
    // `extensions` itself.
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("work/.stud")).expect("a directory");
    symlink("extensions", sandbox.path("work/.stud/extensions")).expect("a link");
    let ran = sandbox.run("preface list extensions --preset stud --trust once").exits(0);
    assert!(ran.stderr.contains(".stud/extensions was left out: a loop of links"), "{}", ran.stderr);
}

#[test]
fn names_that_hide_something_are_shown_with_escapes() {
    let sandbox = sound();
    for name in ["gnp\u{202e}exe", "two\nlines", "\u{1b}[2Jclear", "zero\u{200b}width"] {
        sandbox.work(&format!(".stud/extensions/tools/{name}/manifest.json"), tool("x"));
    }
    let bytes = std::ffi::OsStr::from_bytes(b"latin\xe9");
    let dir = sandbox.path("work/.stud/extensions/tools").join(bytes);
    let latin = fs::create_dir(&dir).is_ok();
    let wanted = if latin { 5 } else { 4 };
    let told = diagnostics(&sandbox).iter().filter(|note| note.contains("the directory's name")).count();
    assert_eq!(told, wanted);
    for line in [
        "preface list extensions --preset stud --trust once --all",
        "preface list tools --preset stud --trust once --all",
        "preface doctor --preset stud --trust once",
        "preface list extensions --preset stud --trust once --why theirs",
        "preface build --preset stud --trust once",
    ] {
        let ran = sandbox.run(line).exits(0);
        for text in [&ran.stdout, &ran.stderr] {
            for hidden in ["\u{202e}", "two\nlines", "\u{1b}[2J", "\u{200b}"] {
                assert!(!text.contains(hidden), "{line}: {hidden:?} in {text}");
            }
        }
    }
}

/// A program that prints, where a test wants it.
fn program(path: &std::path::Path) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("its directory");
    fs::write(path, "#!/bin/sh\necho PRINTED\n").expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

#[test]
fn a_bare_name_is_looked_up_outside_of_the_project_alone() {
    for layer in ["home", "work"] {
        for path in ["[ROOT]/work/bin", "bin", ".", "", "[ROOT]/link"] {
            let sandbox = Sandbox::empty().env("PATH", &format!("{path}:/nowhere"));
            let text = manifest("contextProviders", "speaker", r#""command": ["say-it"]"#);
            let file = ".stud/extensions/contextProviders/speaker/manifest.json";
            if layer == "home" {
                sandbox.home(file, text)
            } else {
                sandbox.work(file, text)
            };
            fs::create_dir_all(sandbox.path("work/.stud")).expect("a project");
            program(&sandbox.path("work/bin/say-it"));
            program(&sandbox.path("work/say-it"));
            symlink(sandbox.path("work/bin"), sandbox.path("link")).expect("a link");
            sandbox.run("preface trust grant --preset stud --allow-commands").exits(0);
            let ran = sandbox.run("preface build --preset stud").exits(0);
            assert!(!ran.stdout.contains("PRINTED"), "{layer} {path}: {}", ran.stdout);
        }
    }
    // Outside of it the name is found.
    let sandbox = Sandbox::empty().env("PATH", "[ROOT]/tools:/usr/bin:/bin");
    program(&sandbox.path("tools/say-it"));
    let text = manifest("contextProviders", "speaker", r#""command": ["say-it"]"#);
    sandbox.work(".stud/extensions/contextProviders/speaker/manifest.json", text);
    let ran = sandbox.run("preface build --preset stud --trust once").exits(0);
    assert!(!ran.stdout.contains("PRINTED"), "{}", ran.stdout);
    sandbox.run("preface trust grant --preset stud --allow-commands").exits(0);
    let ran = sandbox.run("preface build --preset stud").exits(0);
    assert!(ran.stdout.contains("PRINTED"), "{}{}", ran.stdout, ran.stderr);
}
