//! `preface template render`

use crate::sandbox::Sandbox;

#[test]
fn exactly_the_rendered_bytes_are_printed() {
    let sandbox = Sandbox::new();
    let cases = [
        ("On [system:local_date].", "On 2026-03-07."),
        ("\n\n a \r\n\n", "\n\n a \r\n\n"),
        ("", ""),
        ("[if git:branch]yes[else]no[endif]\n", "no\n"),
        ("[no tag] [ ] [x](y)", "[no tag] [ ] [x](y)"),
    ];
    for (template, rendered) in cases {
        sandbox.run_with("preface template render -", template).exits(0).prints(rendered).says("");
    }
}

#[test]
fn a_tag_that_does_nothing_is_reported_on_stderr() {
    let sandbox = Sandbox::new();
    let ran = sandbox
        .run_with("preface template render -", "On [git:brnach].\n")
        .exits(0)
        .prints("On [git:brnach].\n");
    assert!(ran.stderr.contains("`git` has no name `brnach`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `git:branch`?"), "{}", ran.stderr);
    sandbox.run_with("preface template render - -q", "On [git:brnach].\n").exits(0).says("");
    let ran = sandbox
        .run_with("preface template render - --format json --preset template", "On [git:brnach].\n")
        .exits(0);
    assert_eq!(ran.json()["text"], "On .\n");
    assert_eq!(ran.json()["diagnostics"][0]["code"], "template/unknown-name");
}

#[test]
fn a_template_that_is_not_utf_8_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.work("t.md", b"a\xffb");
    sandbox
        .run("preface template render t.md")
        .exits(1)
        .prints("")
        .says("error: `t.md` is not UTF-8\nhelp: `iconv -t UTF-8` converts it\n");
}

#[test]
fn a_path_that_leads_outside_by_itself_is_no_link() {
    let sandbox = Sandbox::new();
    sandbox.work("t.md", "[file:../a.md]").work("sub/x", "").work("a.md", "A");
    let ran = sandbox.run("preface template render t.md --preset template -C sub -v").exits(0).prints("");
    assert!(
        ran.stderr.contains("name a file below the working directory, or its absolute path"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_bare_repository_has_no_branch_and_that_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.work("r.git/HEAD", "ref: refs/heads/main\n").work("r.git/objects/x", "").work("r.git/refs/x", "");
    let render = "preface template render - --preset template --trust once -v";
    for (dir, template, note) in [
        ("r.git", "[git:branch]", "is a git directory, not a work tree"),
        ("r.git/refs", "[git:branch]", "is a git directory, not a work tree"),
        ("r.git", "[git:status]", ""),
        (".", "[git:branch]", ""),
    ] {
        let ran = sandbox.run_with(&format!("{render} -C {dir}"), template).exits(0).prints("");
        assert_eq!(
            ran.stderr.contains("is a git directory, not a work tree"),
            !note.is_empty(),
            "{dir}: {}",
            ran.stderr
        );
    }
}

#[test]
fn facts_are_given_and_taken_away() {
    let sandbox = Sandbox::new();
    let template = "[my:own]|[if prompt:cwd]here[endif]";
    sandbox
        .run_with("preface template render - --variable my:own=a=b --variable prompt:cwd", template)
        .exits(0)
        .prints("a=b|");
    sandbox.run_with("preface template render - --variable mine=1", template).exits(2).prints("").says(
        "error: invalid value 'mine=1' for '--variable <TYPE:NAME[=VALUE]>': not a variable name (`type:name`): `mine`\n\nFor more information, try '--help'.\n",
    );
}

#[test]
fn the_file_is_the_shells_and_its_facts_are_those_of_the_directory() {
    let sandbox = Sandbox::new();
    sandbox.work("t.md", "[file:note.txt]").work("note.txt", "here").work("sub/note.txt", "there");
    sandbox.run("preface template render t.md -C sub --trust once").exits(0).prints("there");
    sandbox
        .run("preface template render nowhere.md")
        .exits(1)
        .says("error: cannot read `nowhere.md`: not found\nhelp: check the path; it is relative to the current directory\n");
    sandbox
        .run("preface template render .")
        .exits(1)
        .says("error: cannot read `.`: a directory, not a file\n");
}

#[test]
fn a_directory_is_shown_as_it_is_given() {
    let sandbox = Sandbox::new();
    for (given, shown) in [("[ROOT]/work/", "[ROOT]/work/"), (".", "[ROOT]/work")] {
        let line = format!("preface template render - --preset template -C {given}");
        sandbox.run_with(&line, "[prompt:cwd]").exits(0).prints(shown);
    }
}

#[test]
fn with_a_root_nothing_outside_of_it_is_read() {
    let sandbox = Sandbox::new();
    sandbox.work("in/note.txt", "inside").home("note.txt", "outside");
    let (inside, outside) = ("[file:[ROOT]/work/in/note.txt]", "[file:[ROOT]/home/note.txt]");
    let real = sandbox.path("work").canonicalize().expect("it is there");
    let root = real.parent().expect("a parent").to_str().expect("text").to_owned();
    let template = format!("{inside}|{outside}").replace("[ROOT]", &root);
    let render = "preface template render - --preset template --trust once";
    sandbox.run_with(render, &template).exits(0).prints("inside|outside");
    let ran = sandbox.run_with(&format!("{render} --root in -C in"), &template).exits(0).prints("inside|");
    assert!(ran.stderr.contains("is absent: leads outside"), "{}", ran.stderr);
    sandbox
        .run_with(&format!("{render} --root . --root [ROOT]/home"), &template)
        .exits(0)
        .prints("inside|outside");
    // The working directory may lie outside.
    sandbox.work("here.txt", "here");
    sandbox
        .run_with(&format!("{render} --root in"), &format!("{template}|[file:here.txt]"))
        .exits(0)
        .prints("inside||");
    sandbox.run_with(&format!("{render} --root nowhere"), "").exits(2).prints("").says(
        "error: invalid value 'nowhere' for '--root <DIR>': there is nothing of that name\n\nFor more information, try '--help'.\n",
    );
    // A conversation is built below the root, too.
    sandbox.run_with("preface template set -", &template).exits(0);
    let build = "preface build --preset template --trust once --conversation c -q";
    sandbox.run(&format!("{build} --root in -C in")).exits(0).prints("inside|");
}

#[test]
fn a_template_that_is_too_large_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.work("t.md", "[if tool:b][if tool:b]x[endif][endif]\n");
    sandbox.run("preface template render t.md --set template.maxDepth=1").exits(1).prints("").says(
        "\
error: blocks are nested more than 1 deep
 ——▶ t.md:1:12
  │
1 │ [if tool:b][if tool:b]x[endif][endif]
  │            ^^^^^^^^^^^
help: make the template smaller, or lift the limit `template.maxDepth`:
      `preface config set template.maxDepth 0`, or `--set template.maxDepth=0` for this call
",
    );
}
