//! Files that are in place of their `@path`.

use super::*;
use serde_json::json;

fn with(files: &[(&str, &str)]) -> MemorySystem {
    files.iter().fold(machine(), |system, (path, text)| system.with_file(path, text))
}

#[test]
fn a_text_stands_in_place_of_its_path_with_its_own_origin() {
    let system = with(&[
        ("/w/p/CLAUDE.md", "Read @docs/a.md, then\n@./d.md\n@/w/p/c.md end."),
        ("/w/p/docs/a.md", "A: @../b.md."),
        ("/w/p/b.md", "B\n"),
        ("/w/p/d.md", "D\n"),
        ("/w/p/c.md", "---\nkept: head\n---\nC"),
    ]);
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "Read A: B., then\nD\n---\nkept: head\n---\nC end.");
    assert_eq!(built.diagnostics, []);
    let sources: Vec<String> =
        built.contribution.items[0].pieces.iter().map(|piece| piece.origin.to_string()).collect();
    assert_eq!(
        sources,
        [
            "CLAUDE.md",
            "docs/a.md",
            "b.md",
            "docs/a.md",
            "CLAUDE.md",
            "d.md",
            "CLAUDE.md",
            "c.md",
            "CLAUDE.md"
        ]
    );
    assert_eq!(system.reads("/w/p/b.md"), 1);
    assert_origins(&built, &system);
}

#[test]
fn the_last_line_end_of_an_import_is_not_part_of_it() {
    for (file, text) in [
        ("B\n", "(B)"),
        ("B\r\n", "(B)"),
        ("B\n\n", "(B\n)"),
        ("B\r", "(B\r)"),
        ("\nB", "(\nB)"),
        ("\n", "()"),
        ("\r\n", "()"),
        ("", "()"),
        ("@c\n", "(C\n)"),
        ("@c", "(C\n)"),
        ("B\u{2028}", "(B\u{2028})"),
    ] {
        let system = with(&[("/w/p/CLAUDE.md", "( @b )\n"), ("/w/p/b", file), ("/w/p/c", "C\n\n")]);
        let built = build(&system, json!({}));
        assert_eq!(built.text().replace(' ', ""), format!("{text}\n"), "{file:?}");
        assert_origins(&built, &system);
    }
}

#[test]
fn switched_off_everything_stays_as_it_is_written() {
    let system = with(&[("/w/p/CLAUDE.md", "@a.md"), ("/w/p/a.md", "A")]);
    for off in ["keep", "report"] {
        assert_eq!(build(&system, json!({"imports": off})).text(), "@a.md");
    }
    assert_eq!(build(&system, json!({"imports": "insert"})).text(), "A");
}

#[test]
fn punctuation_belongs_to_the_sentence_unless_there_is_such_a_file() {
    let system = with(&[
        ("/w/p/CLAUDE.md", "@a.md, @c.md; @d.md: @e.md). @b.) @... @.. @. @, @f.md! @g.md?\" @!"),
        ("/w/p/a.md", "A"),
        ("/w/p/c.md", "C"),
        ("/w/p/d.md", "D"),
        ("/w/p/e.md", "E"),
        ("/w/p/f.md", "F"),
        ("/w/p/g.md", "G"),
        ("/w/p/b.)", "B"),
    ]);
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "A, C; D: E). B @... @.. @. @, F! G?\" @!");
    assert_eq!(built.diagnostics, []);
}

#[test]
fn the_name_of_a_heading_behind_a_path_is_no_part_of_it() {
    let system = with(&[
        ("/w/p/CLAUDE.md", "@docs/a.md#tabs, @docs/b#c.md and @docs/gone.md#x @#a"),
        ("/w/p/docs/a.md", "A"),
        ("/w/p/docs/b#c.md", "B"),
    ]);
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "A, B and @docs/gone.md#x @#a");
    assert_eq!(
        built.messages("imports/missing"),
        ["CLAUDE.md:1: `@docs/gone.md#x` stays as it is written: there is no such file"]
    );
}

#[test]
fn a_backslash_keeps_a_blank_of_a_path() {
    let system = with(&[("/w/p/CLAUDE.md", "Read @my\\ file.md."), ("/w/p/my file.md", "M")]);
    assert_eq!(build(&system, json!({})).text(), "Read M.");
}

#[test]
fn a_path_below_a_directory_that_is_there_is_meant_as_one() {
    let system = with(&[("/w/p/CLAUDE.md", "@docs/styel @types/node @docs"), ("/w/p/docs/style.md", "S")]);
    let built = build(&system, json!({}));
    assert_eq!(
        built.messages("imports/missing"),
        [
            "CLAUDE.md:1: `@docs/styel` stays as it is written: there is no such file",
            "CLAUDE.md:1: `@docs` stays as it is written: it is a directory",
        ]
    );
}

#[test]
fn addresses_packages_and_code_are_text() {
    let text = "Mail me@here.org about @scope/pkg, @alice and `@a.md`.\n```\n@a.md\n```\n    (@a.md)\n";
    let system = with(&[("/w/p/CLAUDE.md", text), ("/w/p/a.md", "A")]);
    let built = build(&system, json!({}));
    assert_eq!((built.text().as_str(), built.diagnostics), (text, vec![]));
    let system = system.with_file("/w/p/scope/pkg", "PKG");
    assert!(build(&system, json!({})).text().contains("about PKG, @alice"), "a file that is there is meant");
}

#[test]
fn an_import_of_no_text_file_stays_and_is_reported() {
    let text = "one\n@gone.md @./gone\n@dir @pipe @raw @nul @dangling.md @huge.md";
    let system = with(&[("/w/p/CLAUDE.md", text)])
        .with_dir("/w/p/dir")
        .with_special("/w/p/pipe")
        .with_file("/w/p/raw", b"\xff")
        .with_file("/w/p/nul", b"a\0b")
        .with_link("/w/p/dangling.md", "nowhere")
        .with_file("/w/p/huge.md", vec![b'x'; (4 << 20) + 1]);
    let built = build(&system, json!({}));
    assert_eq!(built.text(), text);
    let diagnostics: Vec<_> = built
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.severity, diagnostic.message.as_str()))
        .collect();
    let stays = "stays as it is written";
    assert_eq!(
        diagnostics,
        [
            (Severity::Warning, format!("CLAUDE.md:2: `@gone.md` {stays}: there is no such file").as_str()),
            (Severity::Warning, &format!("CLAUDE.md:2: `@./gone` {stays}: there is no such file")),
            (Severity::Warning, &format!("CLAUDE.md:3: `@dir` {stays}: it is a directory")),
            (Severity::Warning, &format!("CLAUDE.md:3: `@pipe` {stays}: it is a pipe, socket or device")),
            (Severity::Warning, &format!("CLAUDE.md:3: `@raw` {stays}: the file is no text")),
            (Severity::Warning, &format!("CLAUDE.md:3: `@nul` {stays}: the file is no text")),
            (Severity::Warning, &format!("CLAUDE.md:3: `@dangling.md` {stays}: a link that points nowhere")),
            (Severity::Warning, &format!("CLAUDE.md:3: `@huge.md` {stays}: the file is larger than 4 MiB")),
        ]
    );
    let place = built.diagnostics[2].place.as_ref().expect("it has a place");
    assert_eq!((place.path.as_str(), place.line, place.column), ("CLAUDE.md", Some(3), Some(1)));
    assert_eq!(system.reads("/w/p/huge.md"), 0);
}

#[test]
fn imports_lead_four_hops_far() {
    let system = with(&[
        ("/w/p/CLAUDE.md", "0 @1"),
        ("/w/p/1", "1 @2"),
        ("/w/p/2", "2 @3"),
        ("/w/p/3", "3 @4"),
        ("/w/p/4", "4 @5"),
        ("/w/p/5", "5"),
    ]);
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "0 1 2 3 4 @5");
    let why = "imports lead from one to the next 4 times at most";
    assert_eq!(built.messages("imports/hops"), [format!("4:1: `@5` stays as it is written: {why}")]);
    for (hops, text) in [(json!(1), "0 1 @2"), (json!("5"), "0 1 2 3 4 5"), (json!(0), "0 @1")] {
        assert_eq!(build(&system, json!({"hops": hops})).text(), text);
    }
}

#[test]
fn cycles_end_where_they_close() {
    let system = with(&[
        ("/w/p/CLAUDE.md", "@CLAUDE.md @a.md"),
        ("/w/p/a.md", "A @b.md @link.md"),
        ("/w/p/b.md", "B @a.md @CLAUDE.md"),
    ])
    .with_link("/w/p/link.md", "b.md");
    let built = build(&system, json!({"hops": 32}));
    assert_eq!(built.text(), "@CLAUDE.md A B @a.md @CLAUDE.md @link.md");
    assert_eq!(built.messages("imports/cycle").len(), 3, "each place is reported once");
    assert_eq!(built.messages("imports/left-out").len(), 1);
    assert!(built.diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()));
}

#[test]
fn a_file_that_is_imported_is_not_included_by_itself() {
    let system = with(&[
        ("/w/p/CLAUDE.md", "@a.md @a.md @CLAUDE.local.md"),
        ("/w/p/CLAUDE.local.md", "L @a.md"),
        ("/w/p/a.md", "A"),
    ]);
    let built = build(&system, json!({}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["A @a.md L @a.md"]);
    assert_eq!((system.reads("/w/p/a.md"), system.reads("/w/p/CLAUDE.local.md")), (1, 1));
    assert_eq!(
        built.messages("imports/left-out"),
        [
            "CLAUDE.md:1: `@a.md` stays as it is written: that file is included already",
            "CLAUDE.local.md:1: `@a.md` stays as it is written: that file is included already"
        ]
    );
    assert_eq!(
        built.messages("context/duplicate"),
        ["CLAUDE.local.md was left out: it is imported by CLAUDE.md"]
    );
}

#[test]
fn the_same_text_is_what_is_included() {
    let system = with(&[
        ("/w/CLAUDE.md", "@r.md"),
        ("/w/r.md", "above"),
        ("/w/p/CLAUDE.md", "@r.md"),
        ("/w/p/r.md", "here"),
        ("/w/p/CLAUDE.local.md", "here \r\n"),
    ]);
    let built = build(&system, json!({"dedupe": "content"}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["here", "above"]);
    assert_eq!(
        built.messages("context/duplicate"),
        ["CLAUDE.local.md was left out: it has the same text as CLAUDE.md"]
    );
    let system = with(&[("/w/p/CLAUDE.md", "\n"), ("/w/p/CLAUDE.local.md", "")]);
    let built = build(&system, json!({"dedupe": "content"}));
    assert_eq!(built.contribution.silent.as_deref(), Some("CLAUDE.md and 1 more are empty"));
    assert_eq!(built.diagnostics, []);
}

#[test]
fn an_import_of_a_file_that_is_included_already_stays_as_it_is_written() {
    let system = with(&[("/w/p/CLAUDE.md", "P"), ("/w/p/CLAUDE.local.md", "L @CLAUDE.md")]);
    let built = build(&system, json!({}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["P", "L @CLAUDE.md"]);
    assert_eq!(built.codes(), [(Severity::Info, "imports/left-out")]);
}

#[test]
fn imports_pass_the_gate() {
    let system = with(&[("/w/p/CLAUDE.md", "@a.md @a.md"), ("/w/p/a.md", "A")]);
    let only = Consent::Granting(vec!["/w/p/CLAUDE.md".into()]);
    let terms = TestTrust { mode: TrustMode::Pinned, consent: only, ..TestTrust::default() };
    let built = build_on(&system, json!({}), terms);
    assert_eq!(built.text(), "@a.md @a.md");
    assert_eq!(built.gated, ["CLAUDE.md", "a.md"]);
    assert_eq!(built.messages("trust/untrusted").len(), 1);
    assert_eq!(built.messages("imports/left-out").len(), 2, "each place is reported");
    let terms = TestTrust { mode: TrustMode::Pinned, consent: Consent::Once, ..TestTrust::default() };
    assert_eq!(build_on(&system, json!({}), terms).text(), "A @a.md");
}

#[test]
fn excluded_files_are_not_imported_but_by_managed_ones() {
    let system = with(&[("/w/p/CLAUDE.md", "@a.md"), ("/w/p/a.md", "A"), ("/etc/m.md", "M @/w/p/a.md")]);
    let built = build(&system, json!({"exclude": ["a.md"], "managed": ["/etc/m.md"]}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["M A", "@a.md"]);
    assert_eq!(built.codes(), [(Severity::Info, "imports/left-out")]);
}
