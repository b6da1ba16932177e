//! The loader of skills on a machine in memory: roots, names, ignore files, and input that means no good.

use preface_core::{
    extension::Status,
    hook::SkillPath,
    origin::Origin,
    profile::{ByteOrderMark, ProfileDirs},
    section::{ProviderName, Section, SectionBody, SectionId},
    settings::MergedSettings,
    snapshot::Contribution,
    trust::TrustMode,
    turn::Turn,
};
use preface_host::{
    places::{HomeTrust, Places},
    provider::{
        self,
        context::{Headless, ProviderContext},
    },
    skills::{self, SkillEntry, SkillOmission, SkillOptions},
    system::testing::MemorySystem,
    trust::{
        RootRecord,
        bounds::Bounds,
        gate::{Consent, Gate},
    },
};
use serde_json::{Value, json};
use std::{cell::RefCell, collections::BTreeMap, path::Path};

fn machine() -> MemorySystem {
    MemorySystem::new().with_home("/home/u").with_dir("/w/p").with_current_dir("/w/p")
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\nBody.\n")
}

struct Found {
    entries: Vec<SkillEntry>,
    contribution: Contribution,
    diagnostics: Vec<(String, String)>,
}

impl Found {
    /// Names and paths of the active ones, in order.
    fn active(&self) -> Vec<(&str, &str)> {
        let active = self.entries.iter().filter(|entry| entry.active);
        active.map(|entry| (entry.name.as_str(), entry.value.location.as_str())).collect()
    }

    fn names(&self) -> Vec<&str> {
        self.active().into_iter().map(|(name, _)| name).collect()
    }

    fn messages(&self, code: &str) -> Vec<&str> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.0 == code)
            .map(|diagnostic| diagnostic.1.as_str())
            .collect()
    }
}

fn load(system: &MemorySystem, options: &Value) -> Found {
    load_with(system, options, &[])
}

fn load_with(system: &MemorySystem, options: &Value, paths: &[SkillPath]) -> Found {
    let cwd = Path::new("/w/p");
    let home = ProfileDirs {
        foreign_keys: Vec::new(),
        global: vec!["~/.x/agent".into()],
        project: Some(".x".into()),
        flat_extensions: false,
        variable: None,
    };
    let places = Places::find(system, cwd, &home, HomeTrust::default(), &mut Vec::new());
    let gate = Gate::new(TrustMode::None, Consent::Recorded, cwd.to_owned(), RootRecord::default(), true);
    let (turn, settings) = (Turn::default(), MergedSettings::default());
    let bounds = Bounds::default();
    let context = ProviderContext {
        system,
        turn: &turn,
        places: &places,
        bundle: None,
        gate: &gate,
        given: &BTreeMap::new(),
        roots: None,
        bounds: &bounds,
        settings: &settings,
        confirm: &Headless,
        granted: None,
        diagnostics: RefCell::default(),
        skill_paths: paths,
        sections: &[],
        servers: &[],
        bom: ByteOrderMark::Keep,
        file_room: Default::default(),
    };
    let mut section = Section::new(SectionId::new("skills"), SectionBody::Fill(ProviderName::new("skills")));
    for (key, value) in options.as_object().expect("options are a table") {
        section.options.insert(key.clone(), value.clone());
    }
    let provider = provider::context_provider("skills").expect("it is in the list");
    let entries = skills::load(&SkillOptions::read(&section, &context), &context);
    let diagnostics = context
        .diagnostics
        .take()
        .into_iter()
        .map(|diagnostic| (diagnostic.code.to_string(), diagnostic.message))
        .collect();
    let contribution = provider.contribute(&section, &context);
    Found { entries, contribution, diagnostics }
}

/// The older rules: every Markdown file of a root, and every SKILL.md below.
fn old() -> Value {
    json!({
        "roots": [
            {"at": "project", "dir": "skills", "direct": true},
            {"at": "up", "dir": ".agents/skills", "direct": true, "outside": "root"},
            {"at": "home", "dir": ".agents/skills", "direct": true},
            {"at": "global", "dir": "skills", "direct": true, "unless": ".migrated-to-agents"},
        ],
        "descend": "always", "head": "strict", "links": "follow", "shared_dirs": "read",
    })
}

/// The newer ones: a skill's directory ends the walk, and loose files count below `.agents/skills`.
fn new() -> Value {
    json!({
        "roots": [
            {"at": "project", "dir": "skills", "direct": true},
            {"at": "up", "dir": ".agents/skills", "loose": "true", "outside": "root"},
            {"at": "global", "dir": "skills", "direct": true},
            {"at": "home", "dir": ".agents/skills", "loose": true},
        ],
        "links": "follow", "shared_dirs": "read", "no_description": "skip",
        "name_must_match": "false", "name_type": "directory", "description_type": "missing",
    })
}

#[test]
fn the_first_root_wins_a_name_and_both_paths_are_reported() {
    let system = machine()
        .with_file("/w/p/.x/skills/a/SKILL.md", text("a", "project"))
        .with_file("/w/p/.agents/skills/a/SKILL.md", text("a", "near"))
        .with_file("/w/.agents/skills/b/SKILL.md", text("b", "above"))
        .with_file("/home/u/.agents/skills/b/SKILL.md", text("b", "home"))
        .with_file("/home/u/.x/agent/skills/c/SKILL.md", text("c", "global"));
    let found = load(&system, &old());
    assert_eq!(
        found.active(),
        [
            ("a", "/w/p/.x/skills/a/SKILL.md"),
            ("b", "/w/.agents/skills/b/SKILL.md"),
            ("c", "/home/u/.x/agent/skills/c/SKILL.md"),
        ]
    );
    assert_eq!(found.messages("scope/collision"), ["name \"a\" collision", "name \"b\" collision"]);
    let loser = &found.entries[1];
    assert_eq!(loser.shadowed_by.as_ref(), Some(&found.entries[0].origin));
    let system = system.with_file("/home/u/.x/agent/skills/.migrated-to-agents", "").with_dir("/w/p/.git");
    assert_eq!(load(&system, &old()).names(), ["a", "b"], "moved, and the repository ends the way up");
}

#[test]
fn skill_files_are_recognized_by_their_names() {
    let system = machine()
        .with_file("/w/p/.x/skills/one.md", text("one", "d"))
        .with_file("/w/p/.x/skills/B/SKILL.md", text("B", "d"))
        .with_file("/w/p/.x/skills/a/SKILL.md", text("a", "d"))
        .with_file("/w/p/.x/skills/a/deep/SKILL.md", text("deep", "d"))
        .with_file("/w/p/.x/skills/a/deep/other.md", text("other", "d"))
        .with_file("/w/p/.x/skills/.hidden/SKILL.md", text("h", "d"))
        .with_file("/w/p/.x/skills/node_modules/m/SKILL.md", text("m", "d"))
        .with_file("/w/p/.agents/skills/two.md", text("two", "d"))
        .with_file("/w/p/.agents/skills/g/three.md", text("three", "d"))
        .with_file("/w/p/.agents/skills/g/notes.md", "Notes.")
        .with_file("/w/p/.agents/skills/z/SKILL.md/x.md", text("x", "d"));
    assert_eq!(load(&system, &old()).names(), ["B", "a", "deep", "one", "two"]);
    let found = load(&system, &new());
    assert_eq!(found.names(), ["B", "a", "one", "three", "x"]);
    assert!(found.entries.iter().all(|entry| entry.status == Status::Ok), "notes.md is nobody's fault");
}

#[test]
fn explicit_paths_come_last_and_work_alone() {
    let system = machine()
        .with_file("/w/p/.x/skills/a/SKILL.md", text("a", "d"))
        .with_file("/home/u/more/SKILL.md", text("more", "d"))
        .with_file("/home/u/more/deep/SKILL.md", text("deep", "d"))
        .with_file("/w/p/own/x.md", text("x", "d"))
        .with_file("/w/p/own/y.txt", "")
        .with_file("/w/announced/a/SKILL.md", text("a", "other"));
    let mut options = old();
    options["paths"] = json!(" ~/more \nown\nown/y.txt\nnowhere");
    let announced = [SkillPath { path: "../announced".into(), hook: "finder".into() }];
    let found = load_with(&system, &options, &announced);
    assert_eq!(found.names(), ["a", "more", "x"]);
    assert_eq!(
        found.messages("skill/invalid")[..2],
        ["name \"x\" does not match parent directory \"own\"", "skill path is not a markdown file"]
    );
    assert_eq!(found.messages("skill/invalid")[2..], ["skill path does not exist"]);
    assert_eq!(found.messages("scope/collision"), ["name \"a\" collision"]);
    options["only_paths"] = json!("true");
    assert_eq!(load_with(&system, &options, &announced).names(), ["more", "x", "a"]);
}

#[test]
fn ignored_and_duplicate_files_are_reported_with_their_place() {
    let system = machine()
        .with_file("/w/p/.x/skills/.gitignore", "# drafts\ndraft/\n")
        .with_file("/w/p/.x/skills/draft/SKILL.md", text("draft", "d"))
        .with_file("/w/p/.x/skills/a/.ignore", "\u{feff}SKILL.md")
        .with_file("/w/p/.x/skills/a/SKILL.md", text("a", "d"))
        .with_file("/w/p/.x/skills/b/SKILL.md", text("b", "d"))
        .with_link("/w/p/.x/skills/c", "/w/p/.x/skills/b")
        .with_dir("/w/p/.x/skills/e")
        .with_link("/w/p/.x/skills/e/SKILL.md", "/w/p/.x/skills/b/SKILL.md")
        .with_link("/w/p/.x/skills/loop", "/w/p/.x/skills")
        .with_link("/w/p/.x/skills/self", "self")
        .with_link("/w/p/.x/skills/gone", "/nowhere");
    let found = load(&system, &old());
    assert_eq!(found.names(), ["b"]);
    assert_eq!(
        found.messages("skill/ignored"),
        [
            ".x/skills/a/SKILL.md was left out by .x/skills/a/.ignore:1",
            ".x/skills/draft was left out by .x/skills/.gitignore:2",
        ]
    );
    assert_eq!(found.messages("skill/duplicate").len(), 3);
    let again = found
        .entries
        .iter()
        .filter(|entry| matches!(entry.value.left_out, Some(SkillOmission::Duplicate { .. })));
    assert_eq!(again.map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["c", "e", "loop"]);
}

#[test]
fn an_ignore_file_with_too_large_patterns_is_reported_and_not_used() {
    let system = machine()
        .with_file("/w/p/.x/skills/.gitignore", format!("**/{}b\n", "a*".repeat(850)).repeat(600))
        .with_file(format!("/w/p/.x/skills/{}/SKILL.md", "a".repeat(200)), text("c", "d"))
        .with_file("/w/p/.x/skills/b/SKILL.md", text("b", "d"));
    let found = load(&system, &old());
    assert!(found.names().contains(&"b"), "{:?}", found.names());
    let ignored = found.messages("skill/ignored");
    assert_eq!(ignored.len(), 1, "{ignored:?}");
    assert!(ignored[0].starts_with(".x/skills/.gitignore was not read: "), "{ignored:?}");
}

#[test]
fn an_item_has_escaped_values_and_an_exact_origin_where_nothing_changed() {
    let system = machine()
        .with_file("/w/p/.x/skills/a/SKILL.md", text("a", "Plain words."))
        .with_file("/w/p/.x/skills/b/SKILL.md", text("</available_skills>", "A & </skill>"))
        .with_file("/w/p/.x/skills/c/SKILL.md", "---\ndescription: |\n  Two\n  lines\n---\n")
        .with_file("/w/p/.x/skills/d/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\n");
    let found = load(&system, &old());
    assert_eq!(found.names(), ["a", "</available_skills>", "c", "d"]);
    let [a, b, c] = found.contribution.items.as_slice() else { panic!("the hidden one is no item") };
    assert_eq!(a.variables["location"], "/w/p/.x/skills/a/SKILL.md");
    assert_eq!(a.variables["base_dir"], "/w/p/.x/skills/a");
    let place = |item: &preface_core::snapshot::Item| match &item.pieces[0].origin {
        Origin::Source { span, lossy, .. } => (span.clone(), *lossy),
        other => panic!("{other:?}"),
    };
    assert_eq!(place(a), (25..37, false));
    assert_eq!(b.variables["name"], "&lt;/available_skills&gt;");
    assert_eq!(b.pieces[0].text, "A &amp; &lt;/skill&gt;");
    assert!(place(b).1);
    assert_eq!((c.pieces[0].text.as_str(), place(c)), ("Two\nlines\n", (4..32, true)));
}

#[test]
fn broken_files_are_reported_with_their_line_and_skipped() {
    let laughs = {
        let mut block = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for at in 1..12 {
            let list = vec![format!("*a{}", at - 1); 9].join(", ");
            block.push_str(&format!("a{at}: &a{at} [{list}]\n"));
        }
        format!("---\n{block}description: ha\n---\n")
    };
    let system = machine()
        .with_file("/w/p/.x/skills/bad/SKILL.md", "---\nname: bad\ndescription: a: b\n---\n")
        .with_file("/w/p/.x/skills/denied/SKILL.md", text("denied", "d"))
        .with_unreadable("/w/p/.x/skills/denied/SKILL.md")
        .with_file("/w/p/.x/skills/laughs/SKILL.md", laughs)
        .with_file("/w/p/.x/skills/large/SKILL.md", vec![b'x'; (4 << 20) + 1])
        .with_file("/w/p/.x/skills/long/SKILL.md", text("long", &"w ".repeat(500_000)))
        .with_file("/w/p/.x/skills/nest/SKILL.md", format!("---\ndescription: {}\n---\n", "[".repeat(20_000)))
        .with_special("/w/p/.x/skills/pipe/SKILL.md")
        .with_file("/w/p/.x/skills/raw/SKILL.md", b"---\ndescription: \xff bytes\n---\n");
    let found = load(&system, &old());
    assert_eq!(found.names(), ["long", "raw"]);
    let invalid = found.messages("skill/invalid");
    assert_eq!(invalid.len(), 6, "{invalid:#?}");
    assert!(invalid[0].starts_with("the frontmatter is no YAML: "));
    assert_eq!(found.entries[0].diagnostics[0].place.as_ref().and_then(|place| place.line), Some(3));
    assert_eq!(invalid[4], "description exceeds 1024 characters (999999)");
    assert_eq!(found.contribution.items[1].pieces[0].text, "\u{fffd} bytes");
}

#[test]
fn a_head_is_read_as_people_write_it() {
    let system = machine()
        .with_file("/w/p/.x/skills/mark/SKILL.md", "\u{feff}---\nname: mark\ndescription: Deploys.\n---\n")
        .with_file("/w/p/.x/skills/text/SKILL.md", "---\nname: text\ndescription: Fix: bugs\n---\n");
    let lenient = json!({"roots": [{"at": "project", "dir": "skills"}]});
    let found = load(&system, &lenient);
    assert_eq!(found.names(), ["mark", "text"]);
    assert_eq!(found.contribution.items[1].pieces[0].text, "Fix: bugs");
    assert_eq!(found.messages("markdown/head").len(), 1);
    let Origin::Source { span, lossy, .. } = &found.contribution.items[0].pieces[0].origin else { panic!() };
    assert_eq!((span.clone(), *lossy), (31..39, false), "behind the mark");
    let strict = json!({"roots": [{"at": "project", "dir": "skills"}], "head": "strict"});
    assert_eq!(load(&system, &strict).names(), Vec::<&str>::new());
}

#[test]
fn thousands_of_skills_are_read_once_each() {
    let mut system = machine();
    for at in 0..2_000 {
        system = system.with_file(format!("/w/p/.x/skills/s{at}.md"), text(&format!("s{at}"), "d"));
    }
    let options = json!({
        "roots": [{"at": "project", "dir": "skills", "direct": true}],
        "name_must_match": false,
    });
    let found = load(&system, &options);
    assert_eq!((found.names().len(), found.contribution.items.len()), (2_000, 2_000));
    // Once for the entries and once for the section.
    assert_eq!(system.reads("/w/p/.x/skills/s77.md"), 2);
}

#[test]
fn invalid_options_are_reported() {
    let found = load(
        &machine(),
        &json!({"roots": [{"at": "nowhere", "dir": "x"}], "only_paths": "maybe", "paths": 7, "depth": "x"}),
    );
    assert_eq!(found.messages("profile/option").len(), 4);
    assert_eq!(found.contribution.silent.as_deref(), Some("there is no skill"));
}
