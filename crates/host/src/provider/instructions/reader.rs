//! Reads files through the gate, each real file once in a build.

use super::text::InstructionText;
use crate::{
    provider::context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadFailure, ReadRequest},
    system::ReadScope,
};
use preface_core::{lint::hidden::escape_hidden, origin::Source, scope::Scope, trust::TrustKind};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

/// Real files by whose they are, and what came of reading them.
type KnownTexts = BTreeMap<(Scope, PathBuf), Result<Rc<InstructionText>, ReadFailure>>;

/// Reads, and remembers what it read.
pub struct InstructionReader<'a> {
    pub context: &'a ProviderContext<'a>,
    known: RefCell<KnownTexts>,
}

impl<'a> InstructionReader<'a> {
    pub fn new(context: &'a ProviderContext<'a>) -> Self {
        InstructionReader { context, known: RefCell::default() }
    }

    /// True where reading this real file again costs nothing.
    pub fn knows(&self, scope: Scope, real: &Path) -> bool {
        self.known.borrow().contains_key(&(scope, real.to_owned()))
    }

    /// Reads a file whose real path is `real`. A failure is reported once.
    pub fn read(
        &self,
        path: &Path,
        real: &Path,
        source: &Arc<Source>,
        within: ReadScope<'_>,
    ) -> Result<Rc<InstructionText>, ReadFailure> {
        let key = (source.scope, real.to_owned());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let wanted = ReadRequest {
            scope: source.scope,
            within,
            kind: self.kind(path),
            ..ReadRequest::global(path, CONTEXT_FILE_LIMIT)
        };
        let read = self.context.read_or_why(&wanted);
        let text = read.map(|read| Rc::new(InstructionText::new(&read, source.clone(), self.context.bom)));
        self.known.borrow_mut().insert(key, text.clone());
        text
    }

    pub fn kind(&self, path: &Path) -> TrustKind {
        match &self.context.places.project {
            Some(project) if path.starts_with(project) => TrustKind::LayerText,
            _ => TrustKind::TreeText,
        }
    }
}

/// The source of a file that is shown by its absolute path.
pub fn absolute_source(scope: Scope, path: &Path) -> Arc<Source> {
    let shown = path.display().to_string();
    Arc::new(Source { scope, path: escape_hidden(&shown).into_owned() })
}
