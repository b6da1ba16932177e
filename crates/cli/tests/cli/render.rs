//! `preface render`

use crate::sandbox::Sandbox;

#[test]
fn exactly_the_rendered_bytes_are_printed() {
    let sandbox = Sandbox::new();
    let cases = [
        ("On [system:local_date].", "On 2026-03-07."),
        ("\n\n a \r\n\n", "\n\n a \r\n\n"),
        ("", ""),
        ("[if a:b]yes[else]no[endif]\n", "no\n"),
        ("[no tag] [ ] [x](y)", "[no tag] [ ] [x](y)"),
    ];
    for (template, rendered) in cases {
        sandbox.run_with("preface render -", template).exits(0).prints(rendered).says("");
    }
}

#[test]
fn facts_are_given_and_taken_away() {
    let sandbox = Sandbox::new();
    let template = "[my:own]|[if prompt:cwd]here[endif]";
    sandbox
        .run_with("preface render - --fact my:own=a=b --fact prompt:cwd", template)
        .exits(0)
        .prints("a=b|");
    sandbox.run_with("preface render - --fact mine=1", template).exits(2).prints("").says(
        "error: `--fact`: not a fact name (`type:name`): `mine`\nhint: `preface render --help` tells what it takes\n",
    );
}

#[test]
fn the_file_is_the_shells_and_its_facts_are_those_of_the_directory() {
    let sandbox = Sandbox::new();
    sandbox.work("t.md", "[file:note.txt]").work("note.txt", "here").work("sub/note.txt", "there");
    sandbox.run("preface render t.md -C sub --trust once").exits(0).prints("there");
    sandbox.run("preface render nowhere.md").exits(1).says("error: cannot read `nowhere.md`: not found\n");
    sandbox.run("preface render .").exits(1).says("error: cannot read `.`: a directory, not a file\n");
}

#[test]
fn a_template_that_is_too_large_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.work("t.md", "[if a:b][if a:b]x[endif][endif]\n");
    sandbox.run("preface render t.md --set template.maxDepth=1").exits(1).prints("").says(
        "\
error: `if` blocks stand more than 1 deep inside each other
 ——▶ t.md:1:9
  │
1 │ [if a:b][if a:b]x[endif][endif]
  │         ^^^^^^^^
hint: raise the limit (`--set template.maxDepth=0`, `--set template.maxBytes=0` mean none) or make
      the template smaller
",
    );
}
