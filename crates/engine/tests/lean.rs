//! What the library reports where a feature is off.
#![cfg(not(feature = "git-status"))]

use preface_engine::{ASSETS, Engine, OsSystem, Request, TemplateInput, core::diagnostic::DiagnosticCode};

#[test]
fn without_git_status_the_variable_is_absent_and_reported() {
    let system = OsSystem::new(ASSETS);
    let template =
        TemplateInput { name: "main".into(), version: Some(1), text: "status: [git:status]".into() };
    let directory = env!("CARGO_TARGET_TMPDIR");
    let request =
        Request { preset: Some("template".into()), template: Some(template), ..Request::new(directory) };
    let built = Engine::new(&system).build(&request).unwrap();
    assert_eq!(built.prompt.text, "status: ");
    let diagnostics: Vec<_> = built
        .prompt
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code == DiagnosticCode::GitUnsupported)
        .collect();
    let [diagnostic] = &diagnostics[..] else { panic!("{:?}", built.prompt.diagnostics) };
    assert_eq!(diagnostic.message, "`git:status` is absent: not supported: built without git support");
}
