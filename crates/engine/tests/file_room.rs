//! Each spelling of a path is a variable of its own: what all files of a build hold together has an end.

use preface_engine::{ASSETS, BuildOptions, Engine, TemplateInput, host::system::testing::MemorySystem};

#[test]
fn files_of_a_build_fill_so_much_and_no_more() {
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_dir("/work")
        .with_file("/work/large.md", vec![b'a'; 1 << 20]);
    // Conditions alone: nothing of it is rendered, and yet it is held.
    let spelled = |times: usize| format!("[if file:{}large.md]x[endif]", "./".repeat(times));
    let text: String = (0..70).map(spelled).collect();
    let template = TemplateInput { version: Some(1), ..TemplateInput::unsaved("main", text) };
    let request = BuildOptions {
        preset: Some("template".into()),
        template_text: Some(template),
        ..BuildOptions::in_dir("/work")
    };
    let built = Engine::new(&system).build(&request).unwrap();
    assert_eq!(built.prompt.text, "x".repeat(64), "64 MiB are 64 files of 1 MiB");
    let refused = |diagnostic: &&preface_engine::core::diagnostic::Diagnostic| {
        diagnostic.code.as_str() == "template/file"
    };
    assert_eq!(built.prompt.diagnostics.iter().filter(refused).count(), 6);
}
