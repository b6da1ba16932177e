//! The files that are included, and their order.

use super::*;
use serde_json::json;

fn tree() -> MemorySystem {
    machine()
        .with_file("/w/p/CLAUDE.md", "cwd\n")
        .with_file("/w/p/.claude/CLAUDE.md", "dot\n")
        .with_file("/w/p/CLAUDE.local.md", "local\n")
        .with_file("/w/CLAUDE.md", "above\n")
        .with_file("/w/.claude/CLAUDE.md", "above dot\n")
        .with_file("/CLAUDE.md", "root\n")
}

#[test]
fn the_cwd_comes_first_then_each_directory_above_it() {
    let built = build(&tree(), json!({}));
    assert_eq!(
        built.items(),
        [
            ("CLAUDE.md", "project", "cwd\n".to_owned()),
            (".claude/CLAUDE.md", "project", "dot\n".into()),
            ("CLAUDE.local.md", "local", "local\n".into()),
            ("../CLAUDE.md", "project", "above\n".into()),
            ("../../CLAUDE.md", "project", "root\n".into()),
        ]
    );
    assert_eq!(built.contribution.items[3].variables["absolute"], "/w/CLAUDE.md");
    assert_eq!(built.contribution.silent, None);
    assert_eq!(built.diagnostics, []);
    assert_origins(&built, &tree());
}

#[test]
fn root_first_reads_all_names_of_each_directory() {
    let built = build(&tree(), json!({"order": "root-first"}));
    assert_eq!(
        built.paths(),
        [
            "../../CLAUDE.md",
            "../CLAUDE.md",
            "/w/.claude/CLAUDE.md",
            "CLAUDE.md",
            ".claude/CLAUDE.md",
            "CLAUDE.local.md"
        ]
    );
}

#[test]
fn names_are_the_profiles() {
    let system = tree().with_file("/w/p/RULES.md", "r").with_file("/w/UP.md", "u");
    let built = build(&system, json!({"names": ["RULES.md"], "above": "UP.md\nRULES.md"}));
    assert_eq!(built.paths(), ["RULES.md", "../UP.md"]);
    let built = build(&machine(), json!({"names": ["RULES.md", "X.md"]}));
    assert_eq!(built.contribution.silent.as_deref(), Some("there is no RULES.md or X.md from here up"));
}

#[test]
fn managed_and_user_files_come_first_in_either_order() {
    let system = tree()
        .with_file("/etc/tool/CLAUDE.md", "managed")
        .with_file("/home/u/managed.md", "managed at home")
        .with_file("/home/u/.tool/CLAUDE.md", "user");
    let managed = json!(["/etc/tool/CLAUDE.md", "/home/u/managed.md", "/nowhere.md"]);
    for order in ["nearest-first", "root-first"] {
        let options = json!({"order": order, "user": ["CLAUDE.md"], "managed": managed});
        let built = build(&system, options);
        assert_eq!(
            built.items()[..3],
            [
                ("/etc/tool/CLAUDE.md", "managed", "managed".to_owned()),
                ("/home/u/managed.md", "managed", "managed at home".into()),
                ("~/.tool/CLAUDE.md", "user", "user".into()),
            ]
        );
        let scope = built.contribution.items[2].pieces[0].origin.scope();
        assert_eq!(scope, Some(preface_core::scope::Scope::Global));
        assert_eq!(built.diagnostics, []);
    }
}

#[test]
fn the_users_files_that_are_not_read_are_reported() {
    let system = machine().with_file("/home/u/.tool/CLAUDE.md", "user");
    let options = json!({"unread": ["CLAUDE.md", "gone.md"], "hints": {"unread": "set a switch"}});
    let built = build(&system, options.clone());
    assert_eq!(built.codes(), [(Severity::Info, "instructions/unread")]);
    assert_eq!(built.diagnostics[0].message, "~/.tool/CLAUDE.md is not read here");
    assert_eq!(built.diagnostics[0].help.as_deref(), Some("set a switch"));
    let why = "there is no CLAUDE.md or .claude/CLAUDE.md or CLAUDE.local.md from here up; ~/.tool/CLAUDE.md is not \
               read here";
    assert_eq!(built.contribution.silent.as_deref(), Some(why));
    assert_eq!(system.reads("/home/u/.tool/CLAUDE.md"), 0);
    assert_eq!(build(&system, json!({"unread": ["CLAUDE.md"]})).diagnostics[0].help, None);
    for more in [json!({"user": ["CLAUDE.md"]}), json!({"exclude": ["~/.tool/*"]}), json!({"unread": []})] {
        let mut options = options.clone();
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(build(&system, options).messages("instructions/unread"), Vec::<&str>::new(), "{more}");
    }
    let home = system.with_current_dir("/home/u");
    let built = build(&home, json!({"unread": ["CLAUDE.md"], "names": [".tool/CLAUDE.md"]}));
    assert_eq!(built.paths(), [".tool/CLAUDE.md"]);
    assert_eq!(built.diagnostics, [], "read by another name");
}

#[test]
fn fallbacks_are_read_only_where_no_name_is_anywhere_on_the_way() {
    let system = machine()
        .with_file("/w/p/AGENTS.md", "near")
        .with_file("/w/AGENTS.md", "far")
        .with_file("/w/.claude/AGENTS.md", "far dot")
        .with_file("/home/u/.tool/CLAUDE.md", "user")
        .with_file("/home/u/.tool/rules/a.md", "rule");
    let options = json!({
        "fallback": ["AGENTS.md", ".claude/AGENTS.md"], "user": ["CLAUDE.md"], "rules": "rules",
    });
    let user = ["~/.tool/CLAUDE.md", "~/.tool/rules/a.md"];
    let built = build(&system, options.clone());
    assert_eq!(built.paths()[..2], user);
    assert_eq!(built.paths()[2..], ["AGENTS.md", "../AGENTS.md", "/w/.claude/AGENTS.md"]);
    let mut root_first = options.clone();
    root_first["order"] = json!("root-first");
    let paths = build(&system, root_first.clone());
    assert_eq!(paths.paths()[2..], ["../AGENTS.md", "/w/.claude/AGENTS.md", "AGENTS.md"]);
    for name in ["/CLAUDE.md", "/w/p/CLAUDE.local.md", "/w/p/.claude/CLAUDE.md"] {
        let system = machine().with_file("/w/p/AGENTS.md", "near").with_file(name, "it is there");
        assert!(!build(&system, options.clone()).paths().contains(&"AGENTS.md"), "{name}");
    }
    // Above the working directory this name is read in one of the orders only.
    let above = machine().with_file("/w/p/AGENTS.md", "near").with_file("/w/CLAUDE.local.md", "it is there");
    assert!(build(&above, options).paths().contains(&"AGENTS.md"));
    assert!(!build(&above, root_first).paths().contains(&"AGENTS.md"));
    assert_eq!(build(&system, json!({})).paths(), Vec::<&str>::new(), "without the option there are none");
}

#[test]
fn the_users_own_file_on_the_way_leaves_the_fallbacks() {
    let system = MemorySystem::new()
        .with_home("/home/u")
        .with_current_dir("/home/u/p")
        .with_file("/home/u/.tool/CLAUDE.md", "user")
        .with_file("/home/u/p/AGENTS.md", "agents");
    let options = json!({
        "names": ["CLAUDE.md", ".tool/CLAUDE.md"], "user": ["CLAUDE.md"], "fallback": ["AGENTS.md"],
        "order": "root-first",
    });
    let built = build(&system, options);
    assert_eq!(built.paths(), ["~/.tool/CLAUDE.md", "AGENTS.md"]);
    assert_eq!(built.diagnostics, [], "it was included by this name");
}

#[test]
fn the_same_file_is_included_once() {
    let system = machine()
        .with_file("/w/p/CLAUDE.md", "text")
        .with_link("/w/p/CLAUDE.local.md", "CLAUDE.md")
        .with_dir("/w/p/.claude")
        .with_hard_link("/w/p/.claude/CLAUDE.md", "/w/p/CLAUDE.md")
        .with_file("/w/CLAUDE.md", "text");
    let built = build(&system, json!({}));
    assert_eq!(built.paths(), ["CLAUDE.md", "../CLAUDE.md"], "the same text is not the same file");
    assert_eq!(
        built.messages("context/duplicate"),
        [
            ".claude/CLAUDE.md was left out: it is the same file as CLAUDE.md",
            "CLAUDE.local.md was left out: it is the same file as CLAUDE.md",
        ]
    );
}

#[test]
fn excluded_files_are_reported_and_managed_ones_stay() {
    let system = tree()
        .with_file("/etc/tool/CLAUDE.md", "managed")
        .with_file("/home/u/.tool/CLAUDE.md", "user")
        .with_file("/w/p/.tool/rules/a.md", "a")
        .with_file("/w/p/.tool/rules/b.md", "b");
    let with = |exclude: Value| {
        let options = json!({
            "exclude": exclude, "managed": ["/etc/tool/CLAUDE.md"], "user": ["CLAUDE.md"], "rules": "rules",
        });
        build(&system, options)
    };
    let built = with(json!(["/**/CLAUDE.md"]));
    assert_eq!(
        built.paths(),
        ["/etc/tool/CLAUDE.md", "CLAUDE.local.md", ".tool/rules/a.md", ".tool/rules/b.md"]
    );
    assert_eq!(built.messages("instructions/excluded").len(), 5);
    let built = with(json!(["~/.tool/*", "./.claude/", "../{CLAUDE,X}.md", ".tool/rules/[ac].md"]));
    assert_eq!(
        built.paths(),
        ["/etc/tool/CLAUDE.md", "CLAUDE.md", "CLAUDE.local.md", "../../CLAUDE.md", ".tool/rules/b.md"]
    );
    assert_eq!(
        built.messages("instructions/excluded")[..2],
        ["~/.tool/CLAUDE.md was left out: it is excluded", ".claude/CLAUDE.md was left out: it is excluded"]
    );
    let built = with(json!(["**/CLAUDE.md", "**/rules/"]));
    assert_eq!(built.paths(), ["/etc/tool/CLAUDE.md", "CLAUDE.local.md"], "also above the cwd and at home");
    assert_eq!(with(json!("**")).paths(), ["/etc/tool/CLAUDE.md"]);
    let built = with(json!(["[a", "*.md"]));
    assert_eq!(
        built.messages("profile/option"),
        ["`exclude`: `[a` excludes nothing: unclosed character class; missing ']'"]
    );
    assert_eq!(built.messages("instructions/excluded").len(), 2, "a star does not reach over a slash");
}

#[test]
fn blank_files_are_silent_and_texts_are_verbatim() {
    let system = machine()
        .with_file("/w/p/CLAUDE.md", " \n\t\n")
        .with_file("/w/p/CLAUDE.local.md", "\n\n  kept \r\n\n")
        .with_file("/w/CLAUDE.md", "");
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "\n\n  kept \r\n\n");
    assert_eq!(built.diagnostics, []);
}

#[test]
fn empty_files_are_named() {
    let why = |system: &MemorySystem, options: Value| build(system, options).contribution.silent;
    let one = machine().with_file("/w/p/CLAUDE.md", " \n\t\n");
    assert_eq!(why(&one, json!({})).as_deref(), Some("CLAUDE.md is empty"));
    let three = one.with_file("/w/CLAUDE.md", "").with_file("/CLAUDE.md", "\n");
    assert_eq!(why(&three, json!({})).as_deref(), Some("CLAUDE.md and 2 more are empty"));
    let why = why(&three, json!({"exclude": ["/CLAUDE.md"]})).expect("it is silent");
    assert!(why.ends_with("see the diagnostics"), "{why}");
}

#[test]
fn long_files_are_reported_and_larger_ones_than_4_mib_skipped() {
    let system = machine()
        .with_file("/w/p/CLAUDE.md", "x\n".repeat(200) + "x")
        .with_file("/w/p/.claude/CLAUDE.md", "x\n".repeat(200))
        .with_file("/w/p/CLAUDE.local.md", "é".repeat(40_001))
        .with_file("/w/CLAUDE.md", vec![b'x'; (4 << 20) + 1])
        .with_file("/CLAUDE.md", "é".repeat(40_000));
    let built = build(&system, json!({}));
    assert_eq!(
        built.messages("instructions/long"),
        [
            "CLAUDE.md has 201 lines and 401 characters, imports included: each request pays for them",
            "CLAUDE.local.md has 1 lines and 40001 characters, imports included: each request pays for them",
        ]
    );
    assert_eq!(
        built.messages("file/too-large"),
        ["../CLAUDE.md was left out: 4194305 bytes, more than the limit of 4194304"]
    );
    assert_eq!(built.contribution.items.len(), 4);
}

#[test]
fn bytes_that_are_no_utf_8_are_reported_and_imports_around_them_work() {
    let system = machine().with_file("/w/p/CLAUDE.md", b"a\xff @b.md \xfe.").with_file("/w/p/b.md", "B");
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "a\u{fffd} B \u{fffd}.");
    assert_eq!(built.messages("file/not-utf8"), ["CLAUDE.md is not UTF-8: 2 places became U+FFFD"]);
    let marked = machine().with_file("/w/p/CLAUDE.md", "\u{feff}@b.md!").with_file("/w/p/b.md!", "B");
    let strip = TestTrust { bom: ByteOrderMark::Strip, ..TestTrust::default() };
    assert_eq!(build(&marked, json!({})).text(), "\u{feff}B");
    assert_eq!(build_on(&marked, json!({}), strip).text(), "B");
}

#[test]
fn a_candidate_that_is_no_file_is_reported() {
    let system = machine()
        .with_dir("/w/p/CLAUDE.md")
        .with_special("/w/p/CLAUDE.local.md")
        .with_unreadable("/w/CLAUDE.md")
        .with_link("/CLAUDE.md", "/nowhere");
    let built = build(&system, json!({}));
    assert!(built.contribution.items.is_empty());
    let codes = [(Severity::Warning, "file/unreadable"); 2];
    assert_eq!(built.codes()[..2], codes);
    assert_eq!(
        built.codes()[2..],
        [(Severity::Warning, "file/unreadable"), (Severity::Warning, "file/link")]
    );
    assert!(built.contribution.silent.as_deref().is_some_and(|why| why.contains("left out")));
}

#[test]
fn untrusted_files_are_left_out() {
    let system = tree().with_file("/w/p/.tool/rules/a.md", "rule").with_file("/w/p/.tool/x.md", "x");
    let options = json!({"rules": "rules", "names": ["CLAUDE.md", ".tool/x.md"]});
    let pinned = TestTrust { mode: TrustMode::Pinned, ..TestTrust::default() };
    let built = build_on(&system, options.clone(), pinned);
    assert!(built.contribution.items.is_empty());
    assert_eq!(built.messages("trust/untrusted").len(), 5);
    assert_eq!(built.gated.len(), 5);
    let untrusted = TestTrust { mode: TrustMode::Whole, layer: false, ..TestTrust::default() };
    system.clear_touches();
    let built = build_on(&system, options.clone(), untrusted);
    assert_eq!(
        built.paths(),
        ["CLAUDE.md", "../CLAUDE.md", "../../CLAUDE.md"],
        "no file of the project directory"
    );
    assert_eq!(system.reads("/w/p/.tool/x.md") + system.reads("/w/p/.tool/rules/a.md"), 0);
    let deny = TestTrust { consent: Consent::Deny, ..TestTrust::default() };
    assert!(build_on(&system, options, deny).contribution.items.is_empty());
}

#[test]
fn above_the_project_what_others_could_have_planted_is_left_out() {
    let system = machine()
        .with_file("/w/CLAUDE.md", "planted")
        .with_owner("/w/CLAUDE.md", 66)
        .with_mode("/w", 0o1777)
        .with_file("/w/p/CLAUDE.md", "@shared/x.md")
        .with_mode("/w/p", 0o777)
        .with_file("/w/p/shared/x.md", "of the project")
        .with_owner("/w/p/shared/x.md", 66)
        .with_mode("/w/p/shared", 0o777);
    let built = build(&system, json!({}));
    assert_eq!(built.paths(), ["CLAUDE.md"]);
    assert_eq!(built.items()[0].2, "of the project");
    assert_eq!(built.messages("trust/untrusted").len(), 1);
}

#[test]
fn files_beside_the_roots_are_not_read() {
    let system = tree()
        .with_file("/w/p/x/CLAUDE.md", "@in.md @../y/out.md")
        .with_file("/w/p/x/in.md", "in")
        .with_file("/w/p/y/out.md", "out")
        .with_link("/w/p/x/CLAUDE.local.md", "/w/p/y/out.md")
        .with_current_dir("/w/p/x");
    let roots = Some(vec![PathBuf::from("/w/p/x")]);
    let built = build_on(&system, json!({}), TestTrust { roots, ..TestTrust::default() });
    assert_eq!(built.items(), [("CLAUDE.md", "project", "in @../y/out.md".to_owned())]);
    assert_eq!(
        built.codes(),
        [
            (Severity::Warning, "imports/outside"),
            (Severity::Warning, "file/outside"),
            (Severity::Info, "file/above-roots"),
        ]
    );
}

#[test]
fn invalid_options_are_reported() {
    let options = json!({
        "imports": "maybe", "hops": [], "names": 7, "order": "up", "touched": true,
        "hints": {"unread": 1, "other": "x"},
    });
    let built = build(&machine(), options);
    assert_eq!(built.messages("profile/option").len(), 6);
    assert_eq!(build(&machine(), json!({"hints": "x"})).messages("profile/option").len(), 1);
}
