//! Our own catalogs as a whole: entries, diagnostics, what is refused.

mod harbour;

use harbour::{A, B, imported, source};
use preface_catalog::{CatalogSource, ImportError, ImportedCatalog, SourceFile, import};
use preface_core::{catalog::Generation, diagnostic::Severity};

#[test]
fn an_entry_has_the_values_of_head_and_readme() {
    let index = imported(A).index;
    assert_eq!((&*index.version, index.generation), ("2.1.50", Generation::A), "from the README's intro");
    let entry = index.entry("Agent Prompt: Pilot").unwrap();
    assert_eq!((&*entry.file, &*entry.changed_in), ("agent-prompt-pilot.md", "2.1.37"));
    assert_eq!((entry.tokens, entry.values), (Some(1144), 5));
    let gulls = index.entry("System Reminder: The gulls' hour").unwrap();
    assert_eq!(gulls.description, "What to do about gulls: nothing, 'really' nothing");
    assert_eq!((gulls.tokens, gulls.bytes), (Some(0), 37), "a count of nothing is a count");
    let block = index.entry("System Reminder: List changed").unwrap();
    assert_eq!(block.description, "Tells that the list of chores was changed, and shows it: all of it");
    assert_eq!(index.entry("Skill: Knot tying").unwrap().tokens, None, "the README does not list it");
    assert_eq!(index.entry("Skill: Knot tying").unwrap().category(), "Skill");

    let index = imported(B).index;
    assert_eq!((&*index.version, index.generation), ("2.1.130", Generation::B));
    let diagnostics = index.entry("System Prompt: Margin notes").unwrap();
    assert_eq!(diagnostics.description, "Has comments of its own --> like this <!-- one -->");
    assert_eq!(index.entry("Agent Prompt: Pilot").unwrap().values, 1, "its metadata is no text");
    assert!(index.prompts.is_sorted_by(|a, b| a.name < b.name), "by name");
}

#[test]
fn omissions_are_reported_with_their_place() {
    let imported = imported(B);
    let reported: Vec<_> = imported
        .diagnostics
        .iter()
        .map(|diagnostic| {
            (diagnostic.code.as_str(), &*diagnostic.place.as_ref().unwrap().path, diagnostic.severity)
        })
        .collect();
    assert_eq!(
        reported,
        [
            ("catalog/left-out", "data-nameless.md", Severity::Warning),
            ("catalog/left-out", "skill-tying-knots.md", Severity::Warning),
        ]
    );
    for diagnostic in &imported.diagnostics {
        assert!(diagnostic.help.is_some() && diagnostic.severity != Severity::Error, "{diagnostic:?}");
    }
    assert_eq!(imported.index.entry("Skill: Knots").unwrap().file, "skill-knots.md", "the first is kept");
}

#[test]
fn a_file_that_is_no_text_is_left_out() {
    for (name, bytes, code) in
        [("x.md", &b"<!--\nname: x\n-->\n\xff"[..], "catalog/left-out"), ("x.md", b"", "catalog/left-out")]
    {
        let file = SourceFile { name: name.to_owned(), bytes: bytes.to_vec() };
        let source = CatalogSource { files: vec![file], readme: None, version: Some("2.1.37".to_owned()) };
        let Err(ImportError::NoPrompt { files: 1, diagnostics }) = import(&source) else { panic!("{name}") };
        assert_eq!((diagnostics[0].code.as_str(), diagnostics[0].help.is_some()), (code, true), "{name}");
    }
}

#[test]
fn an_import_is_refused_without_a_version_or_without_a_prompt() {
    let files = source(A).files;
    let with = |version: Option<&str>, readme: Option<&str>, files: &[SourceFile]| {
        let (version, readme) = (version.map(str::to_owned), readme.map(|text| text.as_bytes().to_vec()));
        import(&CatalogSource { files: files.to_vec(), readme, version })
    };
    let error = |result: Result<ImportedCatalog, ImportError>| result.unwrap_err().to_string();
    assert_eq!(
        error(with(None, None, &files)),
        "the version of the catalog is not known: its README names none"
    );
    assert_eq!(error(with(None, Some("No version."), &files)), error(with(None, None, &files)));
    assert_eq!(error(with(Some("newest"), None, &files)), "`newest` is no version of a catalog");
    assert_eq!(error(with(Some("2.1.37"), None, &[])), "the catalog has no files");
    let given = with(Some("v2.1.200"), Some("as of **[Claude Code v2.1.37](x)**"), &files).unwrap().index;
    assert_eq!(
        (&*given.version, given.generation),
        ("2.1.200", Generation::B),
        "an explicit version is used"
    );
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    for catalog in [A, B] {
        let mut source = source(catalog);
        let first = import(&source).unwrap();
        source.files.reverse();
        assert_eq!(import(&source).unwrap(), first);
    }
}
