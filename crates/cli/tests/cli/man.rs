//! `preface man`

use crate::sandbox::Sandbox;

#[test]
fn the_page_is_printed() {
    let ran = Sandbox::empty().run("preface man").exits(0).says("");
    assert!(ran.stdout.contains(".TH preface 1"), "{}", ran.stdout);
}

#[test]
fn each_command_gets_a_page() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run("preface man --out man1").exits(0).prints("");
    let pages = std::fs::read_dir(sandbox.path("work/man1")).expect("it was created").count();
    assert_eq!(ran.stderr, format!("{pages} pages in man1\n"));
    let page = std::fs::read_to_string(sandbox.path("work/man1/preface-trust-grant.1")).expect("a page");
    assert!(page.contains("Examples:"), "a page has the examples of the help");
}
