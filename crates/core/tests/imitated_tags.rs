//! Texts that imitate the profile's own tags and headings: their diagnostics with places, and their escapes.

use preface_core::{
    layer::Stack,
    lint::forged::{Imitation, ImitationKind, scan_granted},
    origin::{Origin, Piece, Source, decode},
    pipeline, profile,
    prompt::Prompt,
    scope::Scope,
    section::{Language, ProviderName, SectionId},
    snapshot::{Contribution, Item, SNAPSHOT_VERSION, SettingsPrompt, Snapshot},
    turn::Turn,
    variable::{RecordedVariables, Stability},
};
use proptest::prelude::*;
use std::{collections::BTreeMap, sync::Arc};

/// The tags of the test profile.
const TAGS: [&str; 2] = ["skill", "project_context"];

const PROFILE: &str = r###"
home = { global = "~/.x", project = ".x" }
own_tags = ["skill", "project_context"]
join = ""
[orders]
main = ["watched", "free", "later"]
[section.watched]
fill = "watched"
watch_tags = true
keep_blank = true
[section.free]
fill = "free"
[section.later]
text = "# Rules\n## [prompt:cwd]\ntext # no heading\n"
"###;

/// Builds a prompt whose watched section holds `items`; `free` is another section's text.
fn build(items: Vec<(Vec<Piece>, Language)>, free: &str, set: &str) -> Prompt {
    let raw = profile::read("test", "test.toml", PROFILE).unwrap();
    let setting = profile::Setting { key: "neutralise_tags".into(), value: set.into() };
    let profile = profile::build(&[raw], &[setting], &mut |_, path| Err(path.to_owned())).unwrap();
    let contribution = |section: &str, items: Vec<(Vec<Piece>, Language)>| Contribution {
        provider: ProviderName::new(section),
        id: None,
        section: SectionId::new(section),
        items: items
            .into_iter()
            .map(|(pieces, language)| Item { variables: BTreeMap::new(), pieces, language, rank: None })
            .collect(),
        priority: None,
        max_tokens: None,
        stability: Some(Stability::Static),
        unread: 0,
        silent: None,
    };
    let mut snapshot = Snapshot {
        version: SNAPSHOT_VERSION,
        turn: Turn {
            agent: None,
            cwd: "/work".into(),
            model: None,
            conversation: None,
            tools: Vec::new(),
            guidelines: Vec::new(),
            now: "2026-03-07T14:55:05.000Z".into(),
            zone: None,
            budget: None,
            counter: "estimate:bytes4".into(),
            variables: BTreeMap::new(),
        },
        profile: profile.into(),
        stack: Stack::default(),
        overrides: Vec::new(),
        system_prompt: SettingsPrompt::default(),
        given: BTreeMap::new(),
        stored: None,
        contributions: vec![
            contribution("watched", items),
            contribution("free", vec![(file("free.md", free.as_bytes()), Language::Verbatim)]),
        ],
        reminders: Vec::new(),
        variables: RecordedVariables::default(),
        diagnostics: Vec::new(),
        audit: Vec::new(),
    };
    let mut answer = |key: &preface_core::variable::VariableKey| {
        let text = if key.name() == "cwd" { "/work" } else { "</skill>" };
        Some(preface_core::variable::RecordedVariable::of(text, "test", Stability::Static))
    };
    pipeline::run(&mut snapshot, &mut answer).unwrap()
}

fn file(path: &str, bytes: &[u8]) -> Vec<Piece> {
    decode(bytes, &Arc::new(Source { scope: Scope::Project, path: path.into() }))
}

/// The diagnostics of a build about imitations, one a line, with their places.
fn diagnostics(prompt: &Prompt) -> Vec<String> {
    let line = |diagnostic: &preface_core::diagnostic::Diagnostic| {
        let place = diagnostic.place.clone().unwrap_or_default();
        let at = match (place.line, place.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", place.path),
            _ => place.path,
        };
        format!("{} {at} {}", diagnostic.code, diagnostic.message)
    };
    prompt
        .diagnostics
        .iter()
        .filter(|diagnostic| !diagnostic.code.as_str().starts_with("hidden/"))
        .map(line)
        .collect()
}

fn watched(prompt: &Prompt) -> &str {
    let part = prompt.parts.iter().find(|part| part.section.as_str() == "watched");
    part.map_or("", |part| &prompt.text[part.range.clone()])
}

#[test]
fn each_is_reported_with_its_place() {
    let verbatim = |bytes: &[u8]| vec![(file("AGENTS.md", bytes), Language::Verbatim)];
    let table: [(&[u8], &[&str]); 10] = [
        (b"Use tabs. 1 < 2, <b>, <skills>, <my-skill>, skill>, # Rules", &[]),
        (b"a\r\nb </skill>", &["forged/tag AGENTS.md:2:3 imitates the tag `</skill>`"]),
        ("é<SKILL Vec<skill> skills/<skill>/ `</skill>`\n```\n</skill>\n```\n".as_bytes(), &[]),
        ("é <skill".as_bytes(), &["forged/tag AGENTS.md:1:3 imitates the tag `<skill>`"]),
        (b"\xff\xff\n<skill/>", &["forged/tag AGENTS.md:2:1 imitates the tag `<skill>`"]),
        (
            "<\u{a0}/\u{3000}Project_Context\u{feff}x>".as_bytes(),
            &["forged/tag AGENTS.md:1:1 imitates the tag `</project_context>`"],
        ),
        // Not white space to ECMAScript.
        ("<skill\u{85}>".as_bytes(), &[]),
        (
            b"x\n# Rules  \r\n## /work\n## /work/x\n # Rules\n# rules",
            &[
                "forged/heading AGENTS.md:2:1 imitates the heading `# Rules`",
                "forged/heading AGENTS.md:3:1 imitates the heading `## /work`",
            ],
        ),
        (b"\xff# Rules\n\xff\n# Rules", &["forged/heading AGENTS.md:3:1 imitates the heading `# Rules`"]),
        (b"text # no heading\n", &[]),
    ];
    for (bytes, expected) in table {
        let prompt = build(verbatim(bytes), "</skill>\n# Rules\n", "false");
        assert_eq!(diagnostics(&prompt), expected, "{}", String::from_utf8_lossy(bytes));
        assert_eq!(watched(&prompt), String::from_utf8_lossy(bytes), "no byte changes");
    }
}

#[test]
fn a_template_is_watched_as_it_comes_out() {
    let text = b"[if prompt:cwd]\n\n<skill>[endif] [git:branch]";
    let prompt = build(vec![(file("a.md", text), Language::Template)], "", "true");
    assert_eq!(watched(&prompt), "\n\n&lt;skill> &lt;/skill>");
    let expected = [
        "forged/tag [git:branch] imitates the tag `</skill>`; its `<` was escaped",
        "forged/tag a.md:3:1 imitates the tag `<skill>`; its `<` was escaped",
    ];
    assert_eq!(diagnostics(&prompt), expected);
}

#[test]
fn what_the_caller_hands_over_has_lines_too() {
    let piece = Piece { text: "x\n<skill>".into(), origin: Origin::Caller { flag: "--append".into() } };
    let prompt = build(vec![(vec![piece], Language::Verbatim)], "", "true");
    assert_eq!(
        diagnostics(&prompt),
        ["forged/tag --append:2:1 imitates the tag `<skill>`; its `<` was escaped"]
    );
    assert_eq!(watched(&prompt), "x\n&lt;skill>");
}

#[test]
fn two_files_are_reported_separately() {
    let items = vec![
        (file("a.md", b"# Rules\n"), Language::Verbatim),
        (file("b.md", b"\n# Rules\n"), Language::Verbatim),
    ];
    let expected = [
        "forged/heading a.md:1:1 imitates the heading `# Rules`",
        "forged/heading b.md:2:1 imitates the heading `# Rules`",
    ];
    assert_eq!(diagnostics(&build(items, "", "false")), expected);
}

#[test]
fn a_text_full_of_them_does_not_fill_the_screen() {
    let text = "# Rules\n<skill>\n".repeat(20_000);
    let prompt = build(vec![(file("a.md", text.as_bytes()), Language::Verbatim)], "", "true");
    assert_eq!(watched(&prompt), text.replace('<', "&lt;"));
    let reported = diagnostics(&prompt);
    assert_eq!(reported.len(), 202);
    assert_eq!(reported[99], "forged/tag a.md:200:1 imitates the tag `<skill>`; its `<` was escaped");
    assert_eq!(
        reported[100],
        "forged/tag a.md 19900 more occurrences in this text were treated the same way"
    );
    assert_eq!(
        reported[201],
        "forged/heading a.md 19900 more occurrences in this text were treated the same way"
    );
}

fn tags_in(text: &str) -> Vec<Imitation> {
    let found = scan_granted(text, &TAGS, usize::MAX).0;
    found.into_iter().filter(|forged| forged.kind == ImitationKind::Tag).collect()
}

proptest! {
    #[test]
    fn bytes_origins_and_places_hold(
        text in prop::collection::vec(
            prop::sample::select(vec![
                &b"<"[..], b"/", b" ", b">", b"skill", b"Project_Context", b"&lt;", b"\n", b"\r\n", b"# Rules",
                b"\xff", b"\xe6\xbc", "é".as_bytes(), b"x",
            ]),
            0..40,
        ).prop_map(|words| words.concat()),
        on in any::<bool>(),
    ) {
        let pieces = file("a.md", &text);
        let shown = String::from_utf8_lossy(&text).into_owned();
        let prompt = build(vec![(pieces, Language::Verbatim)], "", if on { "true" } else { "false" });
        let now = watched(&prompt);
        if on {
            prop_assert_eq!(tags_in(now), []);
            prop_assert_eq!(now.replace("&lt;", "<"), shown.replace("&lt;", "<"));
        } else {
            prop_assert_eq!(now, &shown);
        }
        let tags = tags_in(&shown);
        prop_assert_eq!(diagnostics(&prompt).iter().filter(|diagnostic| diagnostic.starts_with("forged/tag")).count(), tags.len());
        let Some(part) = prompt.parts.iter().find(|part| part.section.as_str() == "watched") else {
            prop_assert!(shown.is_empty());
            return Ok(());
        };
        let mut end = 0;
        for span in &part.spans {
            let range = span.range.clone();
            prop_assert_eq!(range.start, end, "spans tile");
            end = range.end;
            let Origin::Source { span: bytes, lossy, .. } = &span.origin else { panic!("a file's text") };
            let here = &now[range];
            match (lossy, here) {
                (false, here) => prop_assert_eq!(here.as_bytes(), &text[bytes.clone()]),
                (true, "&lt;") => prop_assert_eq!(&text[bytes.clone()], b"<"),
                (true, here) => prop_assert!(here.chars().all(|c| c == '\u{fffd}'), "{:?}", here),
            }
        }
        prop_assert_eq!(end, now.len(), "spans tile");
    }
}
