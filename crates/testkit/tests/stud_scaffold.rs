//! The first `system.md`: its content, and what is left on the disk when writing it goes wrong.

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Engine, TrustChoice,
    core::{
        audit::AuditEvent,
        profile::{Scaffold, ScaffoldTrigger},
    },
    host::{
        scaffold::write_files,
        system::{System, WriteError, testing::WriteFault},
    },
};
use preface_testkit::MemorySystem;
use std::path::Path;

const DIR: &str = "/home/user/.stud";
const FILE: &str = "/home/user/.stud/system.md";

/// What the bundled layer holds.
fn default_text() -> &'static str {
    let (_, bytes) =
        ASSETS.iter().find(|(path, _)| *path == "sections/stud/system.md").expect("a bundled text");
    std::str::from_utf8(bytes).expect("the bundled text is UTF-8")
}

fn launch(system: &MemorySystem) -> BuildResult {
    let mut request = BuildOptions::in_dir("/work");
    request.preset = Some("stud".into());
    request.trust = TrustChoice::Once;
    Engine::new(system).build(&request).expect("the session goes on")
}

fn codes(built: &BuildResult) -> Vec<&str> {
    built.prompt.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

fn scaffolded(built: &BuildResult) -> usize {
    let is = |event: &&AuditEvent| matches!(event, AuditEvent::SystemPromptScaffolded { .. });
    built.prompt.audit.iter().filter(is).count()
}

#[test]
fn the_default_has_its_four_categories_in_order() {
    let paragraphs: Vec<String> =
        default_text().split("\n\n").map(|paragraph| paragraph.replace('\n', " ").to_lowercase()).collect();
    let [identity, capabilities, shape, reminder] = paragraphs.as_slice() else {
        panic!("identity, capabilities, output shape and reminder, nothing else: {paragraphs:#?}");
    };
    assert!(identity.contains("stud-cli") && identity.contains("runs inside"), "{identity}");
    assert_eq!(default_text().lines().position(str::is_empty), Some(1), "the identity is one line");
    assert!(capabilities.contains("you can") && capabilities.contains("tools"), "{capabilities}");
    assert!(shape.contains("concise") && shape.contains("structure"), "{shape}");
    assert!(reminder.contains("rewrite it freely") && reminder.contains("upgrade"), "{reminder}");
    assert!(reminder.contains("human"), "the reminder addresses the person who reads the file: {reminder}");
}

#[test]
fn the_default_names_nothing_of_this_machine_or_session() {
    let text = default_text().to_lowercase();
    let excluded = [
        ("environment variables", &["$", "%", "environment", "home="][..]),
        ("settings and credentials", &["settings", "json", "credential", "secret", "api key", "token"]),
        ("paths, host and user", &["/home", "~/", "c:\\", "hostname", "username", "working directory"]),
        ("mode, trust and date", &["security mode", "yolo", "trust", "today", "date", "20"]),
        ("a tool roster", &["bash", "grep", "read_file", "edit tool", "mcp"]),
        ("templates", &["[", "{{"]),
    ];
    for (what, words) in excluded {
        for word in words {
            assert!(!text.contains(word), "the default names {what}: `{word}`");
        }
    }
    assert!(text.is_ascii() && text.ends_with('\n'), "plain text with a last line end");
}

#[test]
fn the_first_launch_writes_the_default_and_reports_only_its_size() {
    let system = MemorySystem::new().with_bundle(ASSETS);
    let built = launch(&system);
    assert_eq!(built.prompt.text, default_text());
    let event = AuditEvent::SystemPromptScaffolded { path: FILE.into(), byte_count: default_text().len() };
    assert_eq!(built.prompt.audit[0], event);
    let log = serde_json::to_string(&built.prompt.audit).expect("the log is JSON");
    assert!(!log.contains("assistant"), "the text itself is not in the log: {log}");
    let mode = |path: &str| system.stat(Path::new(path)).and_then(|stat| stat.mode);
    assert_eq!(mode(DIR), Some(0o700), "the directory is the user's own");
    assert_eq!(mode(FILE).map(|mode| mode & 0o022), Some(0), "nobody else may write the file");
}

/// The directory is prepared attachment (step 0), a write takes five steps (create, fill, flush, put in place, flush the
/// directory), and the last one puts the directory in its place.
const STEPS: std::ops::RangeInclusive<u64> = 0..=6;

#[test]
fn a_write_that_fails_leaves_nothing_and_the_next_launch_tries_again() {
    for step in STEPS {
        let system = MemorySystem::new().with_bundle(ASSETS).with_file("/work/.stud/system.md", "P");
        system.fail_step(step, WriteFault::Fail(WriteError::Other("no space left".into())));
        let built = launch(&system);
        assert_eq!(codes(&built), ["scaffold/skipped"], "step {step} is reported");
        assert_eq!(scaffolded(&built), 0, "step {step} is no success");
        let home = system.list(Path::new("/home/user"), 10).expect("a home");
        assert_eq!((home, built.prompt.text.as_str()), (vec![], "P"), "step {step} leaves nothing");
        let again = launch(&system);
        assert_eq!(scaffolded(&again), 1, "step {step}: there is no directory yet");
    }
}

#[test]
fn the_directory_is_never_seen_without_its_file() {
    for step in STEPS {
        let system = MemorySystem::new().with_bundle(ASSETS);
        system.fail_step(step, WriteFault::Crash);
        launch(&system);
        system.restart();
        assert_eq!(system.stat(Path::new(DIR)), None, "step {step} comes before the directory is there");
        let again = launch(&system);
        assert_eq!((scaffolded(&again), again.prompt.text.as_str()), (1, default_text()), "step {step}");
    }
}

#[test]
fn whatever_stands_in_the_place_of_the_file_stays() {
    let files = Scaffold {
        when: ScaffoldTrigger::Discover,
        files: [("system.md".to_owned(), "sections/stud/system.md".to_owned())].into(),
    };
    let machine = || MemorySystem::new().with_bundle(ASSETS).with_dir(DIR);
    for (what, system) in [
        ("a text", machine().with_file(FILE, "mine")),
        ("an empty file", machine().with_file(FILE, "")),
        ("a directory", machine().with_dir(FILE)),
        ("a link to nowhere", machine().with_link(FILE, "/nowhere")),
    ] {
        let before = system.link_stat(Path::new(FILE));
        let (mut diagnostics, mut audit) = (Vec::new(), Vec::new());
        let written = write_files(&system, Path::new(DIR), &files, &mut diagnostics, &mut audit);
        assert_eq!((written, diagnostics, audit), (vec![], vec![], vec![]), "{what} is a silent no-op");
        assert_eq!(system.link_stat(Path::new(FILE)), before, "{what} stays");
        assert!(system.stat(Path::new("/nowhere")).is_none(), "nothing is written through a link");
    }
}

#[test]
fn of_many_first_launches_one_writes_and_each_has_the_text() {
    let system = MemorySystem::new().with_bundle(ASSETS);
    let built: Vec<BuildResult> = std::thread::scope(|scope| {
        let launches: Vec<_> = (0..8).map(|_| scope.spawn(|| launch(&system))).collect();
        launches.into_iter().map(|launch| launch.join().expect("a launch ends")).collect()
    });
    assert_eq!(built.iter().map(scaffolded).sum::<usize>(), 1);
    assert!(built.iter().all(|built| built.prompt.text == default_text()), "nobody sees it half made");
    let home = system.list(Path::new("/home/user"), 10).expect("a home");
    assert_eq!(home.len(), 1, "what the losers prepared is gone: {home:?}");
}

#[test]
fn a_saved_world_scaffolds_nothing() {
    let BuildResult { mut snapshot, prompt, .. } = launch(&MemorySystem::new().with_bundle(ASSETS));
    let elsewhere = MemorySystem::new().with_bundle(ASSETS);
    assert_eq!(Engine::rebuild(&mut snapshot).expect("a snapshot is rebuilt").text, prompt.text);
    assert!(elsewhere.stat(Path::new(DIR)).is_none() && elsewhere.write_steps() == 0);
}

#[test]
fn a_missing_bundled_text_is_reported() {
    let bundle = ASSETS.iter().filter(|(path, _)| !path.starts_with("sections/stud/"));
    let system = bundle.fold(MemorySystem::new(), |system, (path, bytes)| system.with_bundled(*path, *bytes));
    let built = launch(&system);
    assert_eq!((codes(&built), built.prompt.text.as_str()), (vec!["file/missing"], ""));
}

#[test]
fn without_a_home_there_is_no_global_layer_and_nothing_is_written() {
    let system =
        MemorySystem::new().with_bundle(ASSETS).without_home().with_file("/work/.stud/system.md", "P");
    let built = launch(&system);
    assert_eq!((codes(&built), built.prompt.text.as_str()), (vec!["layer/none"], "P"));
    assert_eq!(system.write_steps(), 0);
}
