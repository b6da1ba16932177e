//! Our own catalogs as a whole: entries, bodies, diagnostics, what is refused, what is verified, what is different.

mod harbour;

use harbour::{A, B, imported, source, text};
use preface_catalog::{
    CatalogSource, ImportError, ImportedCatalog, Likeness, SourceFile, StoredCatalogFiles, compiled_bytes,
    diff, import, verify,
};
use preface_core::{
    catalog::{CatalogChunk, CatalogIndex, CatalogText, Generation},
    diagnostic::Severity,
};
use std::collections::BTreeMap;

/// The body with its escapes decoded and its values as they are written.
fn body(text: &CatalogText) -> String {
    let written = |chunk: &CatalogChunk| match chunk {
        CatalogChunk::Text { text, .. } => text.clone(),
        CatalogChunk::Value { written, .. } | CatalogChunk::Kept { written, .. } => written.clone(),
    };
    text.chunks.iter().map(written).collect()
}

#[test]
fn an_entry_has_the_values_of_head_and_readme() {
    let index = imported(A).index;
    assert_eq!((&*index.version, index.generation), ("2.1.50", Generation::A), "from the README's intro");
    let entry = index.entry("Agent Prompt: Pilot").unwrap();
    assert_eq!((&*entry.file, &*entry.changed_in), ("agent-prompt-pilot.md", "2.1.37"));
    assert_eq!((entry.tokens, entry.values, entry.kept), (Some(1144), 5, 0));
    let names = [
        "SHIPS_ARRAY",
        "BERTHS",
        "HARBOUR_KIND",
        "IS_FOG_FN",
        "WIND",
        "IS_STORM_FN",
        "ACTIVE_LAMPS",
        "LAMP_TOOL_NAME",
    ];
    assert_eq!(entry.variables, names, "in the order of the file");
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
fn escapes_of_the_older_generation_are_decoded_once() {
    let imported = imported(A);
    assert_eq!(
        body(text(&imported, "data-harbour-workflow")),
        "on: tide\nenv:\n  KEY: ${{ secrets.HARBOUR_KEY }}\n  ROOT: C:\\harbour\n  SIGN: —\tA\n  end of it"
    );
    assert_eq!(
        body(text(&imported, "tool-parameter-flag-colour")),
        "The colour of the flag:\n* `red`: danger, also called \"stop\"\n* `green`: come in",
        "a text that was no template literal has backticks without backslashes"
    );
    let bell = body(text(&imported, "tool-description-bell"));
    assert!(
        bell.contains("\n- Write `twice` for two strokes, and $5 for what a new rope costs.\n"),
        "{bell}"
    );
}

#[test]
fn an_escape_starts_a_run_of_its_own_that_stands_where_it_is_written() {
    let file = "Ring \\`twice\\n\\${x}\\\\";
    let chunks = preface_catalog::compile("x.md", file, 0, &[], Generation::A).chunks;
    let runs: Vec<_> = chunks
        .iter()
        .map(|chunk| match chunk {
            CatalogChunk::Text { text, span } => (text.as_str(), &file[span.clone()]),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        runs,
        [("Ring ", "Ring "), ("`twice", "`twice"), ("\n", "\\n"), ("${x}", "${x}"), ("\\", "\\")]
    );
}

#[test]
fn what_is_no_escape_stays_with_a_note() {
    let compiled = preface_catalog::compile("x.md", "a \\u{zz} \\1 ${b}", 0, &[], Generation::A);
    let CatalogChunk::Text { text, .. } = &compiled.chunks[0] else { panic!("{compiled:?}") };
    assert_eq!(text, "a \\u{zz} \\1 ");
    assert_eq!(
        compiled.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect::<Vec<_>>(),
        ["catalog/escape"; 2]
    );
}

#[test]
fn bodies_of_the_newer_generation_are_as_they_are_written() {
    let source = source(B);
    let imported = imported(B);
    for (name, text) in &imported.texts {
        let file = source.files.iter().find(|file| file.name == text.file).unwrap();
        let file = std::str::from_utf8(&file.bytes).unwrap();
        let rest = file.split_once("\n-->\n").unwrap().1;
        assert_eq!(Some(&*body(text)), rest.strip_suffix('\n'), "{name}: one line end is left out");
        assert_eq!(text.first_line, file[..file.len() - rest.len()].lines().count() + 1, "{name}");
    }
    assert!(body(text(&imported, "skill-knots")).starts_with("\n\n# Knots\n"), "blank lines before it count");
    assert!(body(text(&imported, "skill-knots")).ends_with(" \\${nothing}.\n"), "and those after it but one");
}

#[test]
fn omissions_are_reported_with_their_place() {
    let imported = imported(B);
    let reported: Vec<_> = imported
        .diagnostics
        .iter()
        .filter(|diagnostic| {
            !matches!(
                diagnostic.code.as_str(),
                "catalog/unparsed" | "catalog/unsupported" | "catalog/undeclared"
            )
        })
        .map(|diagnostic| {
            (diagnostic.code.as_str(), &*diagnostic.place.as_ref().unwrap().path, diagnostic.severity)
        })
        .collect();
    assert_eq!(
        reported,
        [
            ("catalog/no-name", "data-nameless.md", Severity::Warning),
            ("catalog/same-name", "skill-tying-knots.md", Severity::Warning),
        ]
    );
    for diagnostic in &imported.diagnostics {
        assert!(diagnostic.help.is_some() && diagnostic.severity != Severity::Error, "{diagnostic:?}");
    }
    let lens = imported.diagnostics.iter().find(|diagnostic| diagnostic.message.contains("`lens`")).unwrap();
    let place = lens.place.as_ref().unwrap();
    assert_eq!(
        (&*place.path, place.line, lens.severity),
        ("tool-description-crane.md", Some(12), Severity::Info)
    );
    assert_eq!(imported.index.entry("Skill: Knots").unwrap().file, "skill-knots.md", "the first is kept");
}

#[test]
fn a_file_that_cannot_be_kept_under_its_name_or_is_no_text_is_left_out() {
    let head = b"<!--\nname: x\n-->\n";
    for (name, bytes, code) in [
        ("../x.md", &head[..], "catalog/file-name"),
        ("a/b.md", head, "catalog/file-name"),
        (".x.md", head, "catalog/file-name"),
        (".md", head, "catalog/file-name"),
        ("x.txt", head, "catalog/file-name"),
        ("x\n.md", head, "catalog/file-name"),
        ("x.md", b"<!--\nname: x\n-->\n\xff", "catalog/not-utf8"),
        ("x.md", b"", "catalog/header"),
    ] {
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

fn kept(catalog: &str) -> (CatalogIndex, StoredCatalogFiles) {
    let (source, imported) = (source(catalog), imported(catalog));
    let listed = |file: &SourceFile| imported.index.prompts.iter().any(|entry| entry.file == file.name);
    let files = source.files.into_iter().filter(listed).map(|file| (file.name, file.bytes)).collect();
    let compiled: BTreeMap<_, _> =
        imported.texts.iter().map(|(name, text)| (name.clone(), compiled_bytes(text))).collect();
    (imported.index, StoredCatalogFiles { files, compiled })
}

#[test]
fn stored_files_agree_and_each_difference_is_reported() {
    type Spoil = fn(&mut CatalogIndex, &mut StoredCatalogFiles);
    let spoils: &[(&str, Spoil, &[&str])] = &[
        ("nothing", |_, _| {}, &[]),
        ("a form", |index, _| index.format = 9, &["catalog/format"]),
        ("a name", |index, _| index.prompts[0].name.push('x'), &["catalog/index-digest", "catalog/entry"]),
        ("a count", |index, _| index.prompts[0].values += 1, &["catalog/entry"]),
        ("names", |index, _| index.prompts[0].variables.clear(), &["catalog/entry"]),
        ("a digest", |index, _| index.digest.push('0'), &["catalog/index-digest"]),
        (
            "an entry",
            |index, _| drop(index.prompts.remove(0)),
            &["catalog/index-digest", "catalog/superfluous", "catalog/superfluous"],
        ),
        ("a file", |_, kept| drop(kept.files.remove("agent-prompt-pilot.md")), &["catalog/missing"]),
        ("a text", |_, kept| drop(kept.compiled.remove("agent-prompt-pilot.json")), &["catalog/missing"]),
        (
            "another file",
            |_, kept| drop(kept.files.insert("x.md".to_owned(), vec![])),
            &["catalog/superfluous"],
        ),
        (
            "bytes of a file",
            |_, kept| kept.files.get_mut("agent-prompt-pilot.md").unwrap().push(b'!'),
            &["catalog/digest"],
        ),
        (
            "bytes of a text",
            |_, kept| kept.compiled.get_mut("agent-prompt-pilot.json").unwrap().push(b' '),
            &["catalog/digest", "catalog/compiled"],
        ),
    ];
    for catalog in [A, B] {
        for (what, spoil, expected) in spoils {
            let (mut index, mut kept) = kept(catalog);
            spoil(&mut index, &mut kept);
            let diagnostics = verify(&index, &kept);
            let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
            assert_eq!(codes, *expected, "{catalog}, {what}");
            assert!(diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()));
        }
    }
}

#[test]
fn two_catalogs_are_compared_by_name() {
    let (a, b) = (imported(A).index, imported(B).index);
    let found = diff(&a, &b);
    let changed: Vec<_> = found.changed.iter().map(|change| &*change.before.name).collect();
    assert_eq!(changed, ["Agent Prompt: Pilot"]);
    let pilot = &found.changed[0];
    assert_eq!((pilot.before.tokens, pilot.after.tokens), (Some(1144), Some(58)));
    assert_eq!(pilot.variables.added, ["BERTH_COUNT", "IS_NIGHT"]);
    assert_eq!((found.same, found.added.len(), found.removed.len(), found.renamed.len()), (0, 11, 15, 0));

    let mut renamed = a.clone();
    renamed.prompts[0].name = "Agent Prompt: Catch of the day".to_owned();
    let found = diff(&a, &renamed);
    assert_eq!((found.same, found.renamed.len(), found.renamed[0].because), (15, 1, Likeness::File));
}
