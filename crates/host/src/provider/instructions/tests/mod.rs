//! The rules of instruction files, one by one, on a machine in memory.

use crate::{
    places::{HomeTrust, Places},
    provider::{
        context::{Headless, ProviderContext},
        context_provider,
    },
    system::{ReadScope, System, testing::MemorySystem},
    trust::{
        RootRecord,
        bounds::Bounds,
        gate::{Consent, Gate},
    },
};
use preface_core::{
    diagnostic::{Diagnostic, Severity},
    origin::{Origin, Piece},
    profile::{ByteOrderMark, ProfileDirs},
    section::{ProviderName, Section, SectionBody, SectionId},
    settings::MergedSettings,
    snapshot::{Contribution, Item},
    trust::TrustMode,
    turn::Turn,
};
use serde_json::Value;
use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

mod bounds;
mod escapes;
mod files;
mod imports;
mod rules;
mod trees;

/// A machine with a user at home in `/home/u`, who works in `/w/p`, which is a git work tree.
fn machine() -> MemorySystem {
    loose()
        .with_file("/w/p/.git/HEAD", "ref: refs/heads/main\n")
        .with_dir("/w/p/.git/objects")
        .with_dir("/w/p/.git/refs")
}

/// The same without a repository.
fn loose() -> MemorySystem {
    MemorySystem::new().with_home("/home/u").with_dir("/w/p").with_current_dir("/w/p")
}

/// The trust of the project, and the files of it that may be read.
struct TestTrust {
    mode: TrustMode,
    consent: Consent,
    layer: bool,
    roots: Option<Vec<PathBuf>>,
    bom: ByteOrderMark,
}

impl Default for TestTrust {
    fn default() -> Self {
        let (mode, consent) = (TrustMode::None, Consent::Recorded);
        TestTrust { mode, consent, layer: true, roots: None, bom: ByteOrderMark::Keep }
    }
}

struct BuiltSection {
    contribution: Contribution,
    diagnostics: Vec<Diagnostic>,
    /// The paths that the gate saw.
    gated: Vec<String>,
}

fn build(system: &MemorySystem, options: Value) -> BuiltSection {
    build_on(system, options, TestTrust::default())
}

fn build_on(system: &MemorySystem, options: Value, terms: TestTrust) -> BuiltSection {
    let cwd = system.current_dir().expect("the machine has one");
    let home = ProfileDirs {
        foreign_keys: Vec::new(),
        global: vec!["~/.tool".into()],
        project: Some(".tool".into()),
        flat_extensions: false,
        variable: None,
    };
    let places = Places::find(system, &cwd, &home, HomeTrust::default(), &mut Vec::new());
    let gate = Gate::new(terms.mode, terms.consent, cwd, RootRecord::default(), terms.layer);
    let (turn, settings) = (Turn::default(), MergedSettings::default());
    let context = ProviderContext {
        system,
        turn: &turn,
        places: &places,
        bundle: None,
        gate: &gate,
        sections: &[],
        servers: &[],
        given: &BTreeMap::new(),
        roots: terms.roots.as_deref(),
        bounds: &Bounds::default(),
        settings: &settings,
        confirm: &Headless,
        granted: None,
        diagnostics: RefCell::default(),
        skill_paths: &[],
        bom: terms.bom,
        file_room: Default::default(),
    };
    let name = "instructions";
    let mut section = Section::new(SectionId::new("files"), SectionBody::Fill(ProviderName::new(name)));
    let usual = serde_json::json!({
        "names": ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
        "above": ["CLAUDE.md"],
        "order": "nearest-first",
        "imports": "insert",
        "dedupe": "file",
    });
    for (key, value) in [&usual, &options].into_iter().flat_map(|table| table.as_object().expect("a table")) {
        section.options.insert(key.clone(), value.clone());
    }
    let contribution = context_provider(name).expect("it is in the list").contribute(&section, &context);
    let gated = gate.seen().into_iter().map(|seen| seen.shown).collect();
    BuiltSection { contribution, diagnostics: context.diagnostics.take(), gated }
}

impl BuiltSection {
    /// Path, kind and text of each item.
    fn items(&self) -> Vec<(&str, &str, String)> {
        let row = |item: &Item| text_of(&item.pieces);
        let items = self.contribution.items.iter();
        items
            .map(|item| (item.variables["path"].as_str(), item.variables["kind"].as_str(), row(item)))
            .collect()
    }

    fn paths(&self) -> Vec<&str> {
        self.items().into_iter().map(|(path, ..)| path).collect()
    }

    /// The text of the only item.
    fn text(&self) -> String {
        assert_eq!(self.contribution.items.len(), 1, "{:?}", self.diagnostics);
        text_of(&self.contribution.items[0].pieces)
    }

    fn messages(&self, code: &str) -> Vec<&str> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.code.as_str() == code)
            .map(|diagnostic| diagnostic.message.as_str())
            .collect()
    }

    fn codes(&self) -> Vec<(Severity, &str)> {
        self.diagnostics.iter().map(|diagnostic| (diagnostic.severity, diagnostic.code.as_str())).collect()
    }
}

fn text_of(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// Asserts that each piece is what its file holds at its span.
fn assert_origins(built: &BuiltSection, system: &MemorySystem) {
    for piece in built.contribution.items.iter().flat_map(|item| &item.pieces) {
        let Origin::Source { source, span, lossy: false } = &piece.origin else { panic!("{piece:?}") };
        let path = match source.path.strip_prefix("~/") {
            Some(rest) => Path::new("/home/u").join(rest),
            None => crate::places::normal(Path::new("/w/p"), Path::new(&source.path)),
        };
        let file =
            system.read(&path, ReadScope::Anywhere, u64::MAX).unwrap_or_else(|_| panic!("{}", source.path));
        assert!(!piece.text.is_empty());
        assert_eq!(piece.text.as_bytes(), &file.bytes[span.clone()], "{}", source.path);
    }
}
