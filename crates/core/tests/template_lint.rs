//! Each finding of the template lint: its code, the bytes it is about, and the text after its edit.

use preface_core::{
    diagnostic::{Place, Severity},
    lint::template::{self, TemplateFinding, VariableTypes},
    scope::Scope,
    template::TemplateOptions,
    variable::Stability,
};

fn lint(
    text: &str,
    options: &TemplateOptions,
    catalogue: &VariableTypes,
    scope: Option<Scope>,
    path: &str,
) -> Vec<TemplateFinding> {
    template::lint(text, options, catalogue, scope, path, usize::MAX).0
}

fn catalogue() -> VariableTypes {
    VariableTypes::default()
        .fixed("system", "time", Stability::Turn)
        .fixed("system", "date", Stability::Conversation)
        .fixed("system", "local_date", Stability::Conversation)
        .fixed("prompt", "cwd", Stability::Conversation)
        .fixed("git", "branch", Stability::Conversation)
        .fixed("git", "status", Stability::Turn)
        .dynamic("file", Stability::Conversation)
}

fn findings(text: &str, raw: bool) -> Vec<TemplateFinding> {
    lint(text, &TemplateOptions { raw, ..TemplateOptions::default() }, &catalogue(), None, "template.md")
}

/// Describes the findings as `code bytes → text after the edit`.
fn described(text: &str, raw: bool) -> Vec<String> {
    let describe = |finding: TemplateFinding| {
        let code = finding
            .diagnostic
            .code
            .as_str()
            .strip_prefix("template/")
            .expect("a code of this topic")
            .to_owned();
        let bytes = &text[finding.position.range];
        match finding.edit {
            None => format!("{code} {bytes}"),
            Some(edit) => {
                format!(
                    "{code} {bytes} → {}{}{}",
                    &text[..edit.range.start],
                    edit.replacement,
                    &text[edit.range.end..]
                )
            }
        }
    };
    findings(text, raw).into_iter().map(describe).collect()
}

#[test]
fn good_templates_have_no_findings() {
    for text in [
        "",
        "You are a helpful coding assistant.\n\n[if file:AGENTS.md]\n[file:AGENTS.md]\n[endif]\n\nIn [prompt:cwd].",
        "[text](http://e.com) - [ ] and - [x] [1] [if needed, stop] [a, b] [git status](x) [end]",
        "[if !git:branch]No git.[else]On [git:branch].[endif]\nStatus:\n[git:status]\n",
        "[file: a:[b c][file:]",
        "[and/or] [v1.2] [e.g.] [README] [a b.md] [1.md",
        "{cwd} {{name}} ${HOME} $cwd {{cwd} {{\ncwd}} {\"a\": {\"b\": 1}}",
        "[if needed\n[note: later",
    ] {
        assert_eq!(described(text, true), [] as [&str; 0], "{text}");
    }
}

#[test]
fn keys_that_nobody_answers_are_named() {
    for (text, expected) in [
        ("[note: keep this]", "unregistered-type [note: keep this] → [raw][note: keep this][endraw]"),
        ("a [gti:branch]", "unregistered-type [gti:branch] → a [raw][gti:branch][endraw]"),
        ("[if x:y]A[else]B[endif].", "unregistered-type [if x:y] → [raw][if x:y]A[else]B[endif][endraw]."),
        ("[x:[endraw]", "unregistered-type [x:[endraw]"),
        ("[git:brnach]", "unknown-name [git:brnach] → [git:branch]"),
        ("[ git:Status ]", "unknown-name [ git:Status ] → [ git:status ]"),
        ("[if !git: branch]A[endif]", "unknown-name [if !git: branch] → [if !git:branch]A[endif]"),
        ("[git:commit]", "unknown-name [git:commit]"),
        ("[system:]", "unknown-name [system:]"),
    ] {
        assert_eq!(described(text, true), [expected], "{text}");
    }
    assert_eq!(
        described("[note: x]", false),
        ["unregistered-type [note: x]"],
        "no raw blocks, no way to keep it"
    );
    assert_eq!(described("[gti:branch]", false), ["unregistered-type [gti:branch] → [git:branch]"]);
    let nested = "[if x:y][if x:z][x:y][endif][endif]";
    assert_eq!(
        described(nested, true),
        [
            format!("unregistered-type [if x:y] → [raw]{nested}[endraw]"),
            "unregistered-type [if x:z]".to_owned(),
            "unregistered-type [x:y] → [if x:y][if x:z][raw][x:y][endraw][endif][endif]".to_owned(),
        ],
        "the outer edit settles the inner block"
    );
}

#[test]
fn messages_name_the_consequence() {
    for (text, message, help) in [
        ("[x:y]", "`x` is no registered type: `[x:y]` will vanish", None),
        (
            "[if fiel:y][endif]",
            "`fiel` is no registered type: its first branch is never taken",
            Some("did you mean the type `file`?"),
        ),
        ("[if !x:y][endif]", "`x` is no registered type: its first branch is always taken", None),
        (
            "[git:x\u{b}y]",
            "`git` has no name `x\\u{b}y`: `[git:x\\u{b}y]` will vanish",
            Some("its names are `branch`, `status`"),
        ),
    ] {
        let finding = findings(text, false).remove(0);
        assert_eq!(finding.diagnostic.message, message);
        assert_eq!(finding.diagnostic.help.as_deref(), help);
        assert_eq!(finding.diagnostic.severity, Severity::Warning);
    }
}

#[test]
fn tags_that_are_text_are_named() {
    for (text, expected) in [
        ("[if file:x]A", &["unbalanced [if file:x]"][..]),
        ("[if file:x]A[ else ]B", &["unbalanced [if file:x]", "unbalanced [ else ]"]),
        ("a[else]b", &["unbalanced [else]"]),
        ("a[endif]b", &["unbalanced [endif]"]),
        ("[if file:x][else][else][endif]", &["unbalanced [else]"]),
        ("[if x:y]", &["unbalanced [if x:y]"]),
    ] {
        assert_eq!(described(text, true), expected, "{text}");
        assert!(findings(text, true).iter().all(|finding| finding.diagnostic.severity == Severity::Warning));
    }
}

#[test]
fn near_misses_are_guessed_at() {
    for (text, expected) in [
        ("[Else]", "[Else] → [else]"),
        ("[ ENDIF ]", "[ ENDIF ] → [endif]"),
        ("[end if]", "[end if] → [endif]"),
        ("[Raw]", "[Raw] → [raw]"),
        ("[IF git:branch]", "[IF git:branch] → [if git:branch]"),
        ("[if ! git:branch]", "[if ! git:branch] → [if !git:branch]"),
        ("[if!git:branch]", "[if!git:branch] → [if !git:branch]"),
        ("[if not git:branch]", "[if not git:branch] → [if !git:branch]"),
        ("[elif git:branch]", "[elif git:branch]"),
        ("[else if git:branch]", "[else if git:branch]"),
        ("[if git.branch]", "[if git.branch] → [if git:branch]"),
        ("[if branch]", "[if branch] → [if git:branch]"),
        ("[if nothing]", "[if nothing]"),
        ("[git.branch]", "[git.branch] → [git:branch]"),
        ("[prompt cwd]", "[prompt cwd] → [prompt:cwd]"),
        ("[[system/time]]", "[system/time] → [[system:time]]"),
        ("In [cwd].", "[cwd] → In [prompt:cwd]."),
        ("[docs/rules.md]", "[docs/rules.md] → [file:docs/rules.md]"),
        ("[if file:a.md\nText.", "[if file:a.md → [if file:a.md]\nText."),
        ("[if !git:branch", "[if !git:branch → [if !git:branch]"),
        ("On [git:branch and more", "[git:branch → On [git:branch] and more"),
        ("{{cwd}}", "{{cwd}} → [prompt:cwd]"),
        ("{{ git.branch }}!", "{{ git.branch }} → [git:branch]!"),
        ("a ${prompt:cwd} b", "${prompt:cwd} → a [prompt:cwd] b"),
    ] {
        assert_eq!(described(text, true), [format!("near-miss {expected}")], "{text}");
        assert_eq!(findings(text, true)[0].diagnostic.severity, Severity::Info);
    }
    let raw = "[raw][Else][if ! a:b] {{cwd}} [git:branch\n[endraw]";
    assert_eq!(described(raw, true), [] as [&str; 0], "nothing in a raw block is meant as a tag");
    assert_eq!(described("[Raw]", false), [] as [&str; 0], "without raw blocks it means nothing");
}

#[test]
fn values_that_change_stand_at_the_end() {
    let early = |text: &str| {
        let findings = findings(text, true);
        findings
            .iter()
            .filter(|finding| finding.diagnostic.code.as_str() == "template/volatile-early")
            .count()
    };
    assert_eq!(early("It is [system:time].\nBe brief."), 1);
    assert_eq!(early("[system:time][file:a]"), 1, "a value that stays is stable text");
    assert_eq!(early("[system:time] [git:status]."), 0, "nothing stable follows");
    assert_eq!(early("Today is [system:time], time [system:time]."), 0, "the rest of a sentence is short");
    assert_eq!(
        early("Today is [system:time], and you are an agent of few words, at least for the time being."),
        1
    );
    assert_eq!(early("It is [system:time]\n\n[system:time] is late."), 1, "a later line is more than a rest");
    assert_eq!(early("[system:time]\n[system:time].\n"), 0);
    let text = "\ntext";
    let early = |template: &str| early(&template.replace("text", text));
    assert_eq!(early("[if file:a][system:time][else]text[endif]."), 0, "the other branch does not follow");
    assert_eq!(early("[if file:a].[else][system:time][endif]text"), 1);
    assert_eq!(early("[system:time][if file:a].[else]text[endif]"), 1);
    assert_eq!(early("[system:time][if file:a]text[else].[endif]"), 1);
    assert_eq!(early("[if git:status]text[endif]text"), 0, "a condition puts no value there");
}

#[test]
fn the_utc_day_has_a_local_sibling() {
    assert_eq!(described("[system:date]", true), ["utc-date [system:date] → [system:local_date]"]);
    let bare = VariableTypes::default().fixed("system", "date", Stability::Conversation);
    let findings = lint("[system:date]", &TemplateOptions::default(), &bare, None, "t");
    assert_eq!((findings.len(), &findings[0].edit), (1, &None), "no edit to a key that nobody answers");
}

#[test]
fn limits_are_errors() {
    let options = TemplateOptions { max_depth: Some(1), max_bytes: Some(60), ..TemplateOptions::default() };
    let check = |text: &str| {
        let findings = lint(text, &options, &catalogue(), None, "template.md");
        findings
            .into_iter()
            .map(|finding| (finding.diagnostic.code.as_str(), finding.position.range))
            .collect::<Vec<_>>()
    };
    let deep = "[if file:a][if file:b][endif][endif][endif]";
    assert_eq!(check(deep), [("template/depth", 11..22), ("template/unbalanced", 36..43)]);
    assert_eq!(check(&"x".repeat(61)), [("template/too-large", 60..61)]);
}

#[test]
fn findings_know_their_place() {
    let text = "𝒳é\n𝒳é [endif]\n[else]";
    let findings = findings(text, false);
    for finding in &findings {
        let span = finding.position.range.clone();
        assert_eq!(finding.diagnostic.place, Some(Place::within(None, "template.md", text, span)));
    }
    let first = serde_json::to_value(&findings[0].position).unwrap();
    let expected = serde_json::json!({
        "range": [14, 21], "line": 2, "column": 4, "utf16Column": 5, "byteColumn": 8
    });
    assert_eq!(first, expected);
}

#[test]
fn many_findings_cost_no_more_than_their_number() {
    // Each of these would take minutes if a finding looked at the whole text.
    let deep = "[if x:y]".repeat(10_000) + &"[endif]".repeat(10_000);
    let line = "[x:y][Else] [git:brnach]".repeat(10_000);
    let options = TemplateOptions { raw: true, ..TemplateOptions::default() };
    assert_eq!(lint(&deep, &options, &catalogue(), None, "t").len(), 10_001);
    assert_eq!(lint(&line, &options, &catalogue(), None, "t").len(), 30_000);
    let begun = "[git:branch\n${cwd}{{".repeat(10_000);
    assert_eq!(lint(&begun, &options, &catalogue(), None, "t").len(), 20_000);
}

#[test]
fn raw_tags_that_do_nothing_are_noted() {
    assert_eq!(described("[raw]a[endraw]", false), ["near-miss [raw]", "near-miss [endraw]"]);
    assert_eq!(described("[raw]a[endraw]", true), [""; 0]);
}
