//! The gate: every text that comes from a project passes it, and it remembers what it saw.

use crate::{
    system::ReadError,
    trust::{Digest, GrantState, PinPath, RootRecord},
};
use preface_core::trust::{Requirement, Trust, TrustKind, TrustMode};
use serde::{Deserialize, Serialize, Serializer};
use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The consent that applies to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// The recorded trust.
    Recorded,
    /// Consent to all project files, for this call only.
    Once,
    /// Consent to the project files that a person was shown, for this call only.
    Shown(Arc<RootRecord>),
    /// Consent to nothing of the project.
    Deny,
    /// A grant in progress: all project files, or only these where some are named.
    Granting(Vec<PathBuf>),
    /// A lint: every project file is included and listed, whatever the mode. Nothing of it is handed out.
    Linting,
}

/// A project file that was checked at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatedText {
    /// The path, absolute.
    pub path: PathBuf,
    /// The path that a pin is about.
    pub pin: PinPath,
    /// The path by which the project names it, where that one is or passes through a link.
    pub link: Option<PathBuf>,
    /// The path for people.
    pub shown: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// The content.
    pub bytes: Arc<Vec<u8>>,
    /// The decision.
    pub verdict: GateVerdict,
    /// True if others could have planted it.
    pub shared: bool,
}

/// A file or directory of the project that a build could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// The path for people.
    pub shown: String,
    /// The reason.
    pub error: ReadError,
    /// The owner.
    pub kind: TrustKind,
}

impl UnreadFile {
    /// True if it may be readable at any later time, without a change of the project.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self.error, ReadError::Denied | ReadError::Other(_))
    }
}

impl GatedText {
    /// Returns its name in the project, fit to be shown: relative to this root with `/`, also in a directory above it.
    /// Elsewhere it is the path for people.
    #[must_use]
    pub fn name_in(&self, root: &Path) -> String {
        let path = self.link.as_deref().unwrap_or(&self.path);
        let name = PinPath::new(root, path).ok().map(|name| name.shown_in(root));
        name.filter(|name| !Path::new(name).has_root()).unwrap_or_else(|| self.shown.clone())
    }

    /// Returns its path for people and its text.
    #[must_use]
    pub fn readable(&self) -> (String, String) {
        (self.shown.clone(), String::from_utf8_lossy(&self.bytes).into_owned())
    }
}

/// A project text that is included: what a stored prompt records of its sources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AdmittedText {
    /// The canonical path at the time of the build.
    #[serde(rename = "real", serialize_with = "serialize_path")]
    pub path: PathBuf,
    /// The path for people.
    #[serde(rename = "path")]
    pub shown: String,
    /// The digest of the bytes that were read.
    pub digest: Digest,
    /// The owner.
    pub kind: TrustKind,
    /// True if it lies outside of the project where others could have planted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

/// Writes a path that need not be UTF-8.
fn serialize_path<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// The number of texts that a gate had checked at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateMark {
    seen: usize,
    admitted: usize,
}

/// The decision of the gate about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// The text is included.
    Included,
    /// The text is left out: it was never granted.
    UntrustedNew,
    /// The text is left out: it changed since it was granted.
    UntrustedChanged,
    /// The text is left out: others could have planted it, and it was not granted by its path.
    UntrustedShared,
    /// The text is left out: the caller denied the project.
    Denied,
}

/// Decides about project texts and keeps a list of them.
#[derive(Debug)]
pub struct Gate {
    mode: TrustMode,
    consent: Consent,
    root: PathBuf,
    pins: RootRecord,
    layer: bool,
    starts_programs: bool,
    seen: RefCell<Vec<GatedText>>,
    admitted: RefCell<Vec<AdmittedText>>,
    unread: RefCell<Vec<UnreadFile>>,
}

impl Gate {
    /// Creates the gate of a project. Pinned paths are relative to `root`. `layer` is true if the project is
    /// trusted as a whole, for profiles that trust it so.
    #[must_use]
    pub fn new(mode: TrustMode, consent: Consent, root: PathBuf, mut pins: RootRecord, layer: bool) -> Self {
        if let Consent::Shown(shown) = &consent {
            pins.join(shown.as_ref().clone());
        }
        Gate {
            mode,
            consent,
            root,
            pins,
            layer,
            starts_programs: true,
            seen: RefCell::default(),
            admitted: RefCell::default(),
            unread: RefCell::default(),
        }
    }

    /// Lets no program start: for listings and reviews.
    #[must_use]
    pub fn without_programs(self) -> Self {
        Gate { starts_programs: false, ..self }
    }

    /// Returns whether programs may start at all. A grant in progress and a lint start none.
    #[must_use]
    pub fn starts_programs(&self) -> bool {
        self.starts_programs && !matches!(self.consent, Consent::Granting(_) | Consent::Linting)
    }

    /// Returns whether the user granted the directory: programs of the user's own start in it only then.
    #[must_use]
    pub fn is_granted(&self) -> bool {
        match self.consent {
            Consent::Deny | Consent::Granting(_) | Consent::Linting => false,
            Consent::Once | Consent::Shown(_) => true,
            Consent::Recorded if self.mode == TrustMode::Whole => self.layer,
            Consent::Recorded => self.pins.trust() == Trust::Trusted,
        }
    }

    /// Returns how the profile guards texts.
    #[must_use]
    pub fn mode(&self) -> TrustMode {
        self.mode
    }

    /// Returns true if repository text that is no file of its own (a branch name) may be included.
    #[must_use]
    pub fn allows_repository_text(&self) -> bool {
        match self.consent {
            Consent::Deny => false,
            Consent::Granting(_) | Consent::Linting => true,
            Consent::Once | Consent::Shown(_) | Consent::Recorded => {
                self.mode == TrustMode::None || self.is_granted()
            }
        }
    }

    /// Returns whether the name of a branch, as it is shown, is included: a name that was granted, or one that cannot be
    /// more than a name.
    #[must_use]
    pub fn includes_branch(&self, name: &str) -> bool {
        let is_granted = match &self.consent {
            _ if self.mode != TrustMode::Pinned => true,
            Consent::Recorded | Consent::Shown(_) => self.pins.has_branch(name),
            Consent::Once | Consent::Deny | Consent::Granting(_) | Consent::Linting => true,
        };
        self.allows_repository_text() && (is_granted || is_plain_branch(name))
    }

    /// Returns the texts that a person agreed to for this call; `None` if the consent is another one.
    #[must_use]
    pub fn shown_texts(&self) -> Option<&Arc<RootRecord>> {
        match &self.consent {
            Consent::Shown(shown) => Some(shown),
            _ => None,
        }
    }

    /// True if this call denies the project.
    #[must_use]
    pub fn denies(&self) -> bool {
        self.consent == Consent::Deny
    }

    /// True where files of the project directory may be looked at as a layer. Where a project is not trusted as a whole,
    /// each file is decided by itself, and one that is left out is reported.
    #[must_use]
    pub fn allows_layer(&self) -> bool {
        match self.mode {
            TrustMode::Whole => self.layer,
            TrustMode::Pinned | TrustMode::None => true,
        }
    }

    /// Decides about one text. `path` is where it really lies, all links resolved.
    pub fn admit(
        &self,
        path: &Path,
        shown: &str,
        bytes: &Arc<Vec<u8>>,
        kind: TrustKind,
        shared: bool,
    ) -> GateVerdict {
        let digest = Digest::of(bytes);
        let text = AdmittedText { path: path.to_owned(), shown: shown.to_owned(), digest, kind, shared };
        let verdict = self.verdict(&text);
        if self.remembers(kind, shared) {
            self.remember(&text, bytes, verdict);
        }
        if verdict == GateVerdict::Included {
            self.admitted.borrow_mut().push(text);
        }
        verdict
    }

    /// Decides about a text whose digest is known. Nothing is remembered.
    #[must_use]
    pub fn verdict(&self, text: &AdmittedText) -> GateVerdict {
        let is_of_whole = self.requirement(text.kind) == Requirement::ProjectGrant;
        // A person agreed to the content of each file.
        let is_by_content = is_of_whole && matches!(self.consent, Consent::Shown(_));
        match self.consent {
            Consent::Linting => GateVerdict::Included,
            Consent::Deny => GateVerdict::Denied,
            _ if is_of_whole && !self.layer => GateVerdict::UntrustedNew,
            _ if !is_by_content && !self.pins_texts(text.kind, text.shared) => GateVerdict::Included,
            _ => match PinPath::new(&self.root, &text.path) {
                Ok(pin) => self.pinned(&text.path, &pin, &text.digest, text.shared),
                // A path that no record can name (it is no UTF-8) can never be granted.
                Err(_) => GateVerdict::UntrustedNew,
            },
        }
    }

    fn requirement(&self, kind: TrustKind) -> Requirement {
        kind.requires(self.mode)
    }

    /// Returns whether such texts are granted one by one. What others could have planted always is, unless a grant of the whole
    /// project covers it.
    fn pins_texts(&self, kind: TrustKind, shared: bool) -> bool {
        match self.requirement(kind) {
            Requirement::ContentGrant => true,
            Requirement::Nothing => shared,
            Requirement::ProjectGrant | Requirement::CommandGrant => false,
        }
    }

    /// Returns whether texts are listed: all where they are pinned or linted, and for a grant what it is about.
    fn remembers(&self, kind: TrustKind, shared: bool) -> bool {
        let is_granting = matches!(self.consent, Consent::Granting(_));
        self.consent == Consent::Linting
            || self.pins_texts(kind, shared)
            || is_granting && self.requirement(kind) == Requirement::ProjectGrant
    }

    /// Adds a text to the list of what came to the gate.
    fn remember(&self, text: &AdmittedText, bytes: &Arc<Vec<u8>>, verdict: GateVerdict) {
        let Ok(pin) = PinPath::new(&self.root, &text.path) else { return };
        let AdmittedText { path, shown, digest, shared, .. } = text.clone();
        let mut seen = self.seen.borrow_mut();
        // One text may be read twice: as a context file, and by a template.
        if !seen.iter().any(|seen| seen.pin == pin && seen.bytes == *bytes && seen.verdict == verdict) {
            seen.push(GatedText {
                path,
                pin,
                link: None,
                shown,
                digest,
                bytes: bytes.clone(),
                verdict,
                shared,
            });
        }
    }

    /// Returns the texts that were included so far, whatever the mode: sorted by path, each once.
    #[must_use]
    pub fn admitted(&self) -> Vec<AdmittedText> {
        let mut admitted = self.admitted.borrow().clone();
        admitted.sort();
        admitted.dedup();
        admitted
    }

    fn pinned(&self, path: &Path, pin: &PinPath, digest: &Digest, shared: bool) -> GateVerdict {
        match (&self.consent, self.pins.state(pin, digest)) {
            (_, GrantState::Granted) => GateVerdict::Included,
            (Consent::Granting(paths), _) if paths.iter().any(|named| path.starts_with(named)) => {
                GateVerdict::Included
            }
            (Consent::Granting(paths), _) if paths.is_empty() && !shared => GateVerdict::Included,
            (Consent::Once, _) => GateVerdict::Included,
            (_, _) if shared => GateVerdict::UntrustedShared,
            (_, GrantState::Changed) => GateVerdict::UntrustedChanged,
            (_, GrantState::New) => GateVerdict::UntrustedNew,
        }
    }

    /// Returns whether a text of this path is listed.
    pub(crate) fn lists(&self, path: &Path) -> bool {
        self.seen.borrow().iter().any(|seen| seen.path == path)
    }

    /// Records the path of a link that led to a text.
    pub fn add_link(&self, path: &Path, link: &Path) {
        for seen in self.seen.borrow_mut().iter_mut().filter(|seen| seen.path == path) {
            seen.link.get_or_insert_with(|| link.to_owned());
        }
    }

    /// Returns how much has come to the gate.
    #[must_use]
    pub fn mark(&self) -> GateMark {
        GateMark { seen: self.seen.borrow().len(), admitted: self.admitted.borrow().len() }
    }

    /// Forgets what came to the gate after a moment.
    pub fn forget_after(&self, mark: GateMark) {
        self.seen.borrow_mut().truncate(mark.seen);
        self.admitted.borrow_mut().truncate(mark.admitted);
    }

    /// Records what could not be read.
    pub fn add_unread(&self, file: UnreadFile) {
        let mut unread = self.unread.borrow_mut();
        if !unread.contains(&file) {
            unread.push(file);
        }
    }

    /// Returns what could not be read so far.
    #[must_use]
    pub fn unread(&self) -> Vec<UnreadFile> {
        self.unread.borrow().clone()
    }

    /// Returns what came to the gate so far: pinned texts, what a grant of a project as a whole is about, and all for a lint.
    #[must_use]
    pub fn seen(&self) -> Vec<GatedText> {
        self.seen.borrow().clone()
    }
}

/// The longest name of a branch that is included without having been granted.
const PLAIN_BRANCH_LIMIT: usize = 100;

/// Returns whether the name of a branch is short and has only letters and digits of ASCII and the signs `._/-+@`: no room
/// for tags, lines, hidden characters, or letters that look like others.
#[must_use]
pub fn is_plain_branch(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-+@".contains(c);
    (1..=PLAIN_BRANCH_LIMIT).contains(&name.len()) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::PinnedVersion;

    fn gate(mode: TrustMode, consent: Consent) -> Gate {
        Gate::new(mode, consent, "/work".into(), RootRecord::default(), true)
    }

    #[test]
    fn ordinary_branch_names_are_plain() {
        for name in ["main", "feature/a+b", "user@topic", "v1.2_x"] {
            assert!(is_plain_branch(name), "{name}");
        }
        let long = "a".repeat(PLAIN_BRANCH_LIMIT + 1);
        for name in
            ["fïx", "üñ", "日本", "mаin", "１", "", "<b>", "a b", "a\nb", "a\u{200b}b", "a\u{202e}b", &long]
        {
            assert!(!is_plain_branch(name), "{name:?}");
        }
    }

    #[test]
    fn what_others_could_have_planted_is_left_out_in_every_mode() {
        for mode in [TrustMode::Pinned, TrustMode::Whole, TrustMode::None] {
            for (consent, expected) in [
                (Consent::Recorded, GateVerdict::UntrustedShared),
                (Consent::Once, GateVerdict::Included),
                (Consent::Granting(Vec::new()), GateVerdict::UntrustedShared),
                (Consent::Granting(vec!["/tmp".into()]), GateVerdict::Included),
            ] {
                let gate = gate(mode, consent.clone());
                let bytes = Arc::new(b"text".to_vec());
                let verdict = gate.admit(Path::new("/tmp/x"), "x", &bytes, TrustKind::TreeText, true);
                assert_eq!((verdict, gate.seen().len()), (expected, 1), "{mode:?} {consent:?}");
            }
        }
    }

    #[test]
    fn a_layer_that_is_not_trusted_is_left_out() {
        let gate =
            Gate::new(TrustMode::Whole, Consent::Recorded, "/work".into(), RootRecord::default(), false);
        let admit = |whose| gate.admit(Path::new("/work/x"), "x", &Arc::new(b"text".to_vec()), whose, false);
        assert_eq!(admit(TrustKind::LayerText), GateVerdict::UntrustedNew);
        assert_eq!(admit(TrustKind::TreeText), GateVerdict::Included);
    }

    #[test]
    fn an_answer_for_once_is_about_what_was_shown() {
        let path = PinPath::parse("x").expect("a good path");
        let shown = RootRecord::given([(path, PinnedVersion::of(b"text"))], ["a b".to_owned()]);
        for mode in [TrustMode::Pinned, TrustMode::Whole] {
            let gate = gate(mode, Consent::Shown(Arc::new(shown.clone())));
            for (path, text, shared, expected) in [
                ("/work/x", "text", false, GateVerdict::Included),
                ("/work/x", "other", true, GateVerdict::UntrustedShared),
                ("/work/x", "other", false, GateVerdict::UntrustedChanged),
                ("/work/y", "text", false, GateVerdict::UntrustedNew),
                ("/work/y", "text", true, GateVerdict::UntrustedShared),
            ] {
                let bytes = Arc::new(text.as_bytes().to_vec());
                let verdict = gate.admit(Path::new(path), path, &bytes, TrustKind::LayerText, shared);
                assert_eq!(verdict, expected, "{mode:?} {path} {text}");
            }
        }
        let gate = gate(TrustMode::Pinned, Consent::Shown(Arc::new(shown)));
        assert!(gate.includes_branch("a b") && gate.includes_branch("main"));
        assert!(!gate.includes_branch("a c"), "a name with room for text is one that was shown");
    }

    #[test]
    fn the_bytes_of_a_text_that_is_not_listed_are_not_kept() {
        for mode in [TrustMode::None, TrustMode::Whole] {
            let gate = gate(mode, Consent::Recorded);
            let bytes = Arc::new(b"text".to_vec());
            let verdict = gate.admit(Path::new("/work/x"), "x", &bytes, TrustKind::TreeText, false);
            assert_eq!((verdict, Arc::strong_count(&bytes)), (GateVerdict::Included, 1), "{mode:?}");
            assert_eq!(gate.admitted()[0].digest, Digest::of(b"text"));
        }
    }

    #[test]
    fn each_text_that_came_from_a_path_is_listed_once() {
        let gate = gate(TrustMode::Pinned, Consent::Recorded);
        for text in ["one", "two", "one"] {
            gate.admit(
                Path::new("/work/x"),
                "x",
                &Arc::new(text.as_bytes().to_vec()),
                TrustKind::TreeText,
                false,
            );
        }
        let texts: Vec<_> = gate.seen().into_iter().map(|seen| seen.bytes.to_vec()).collect();
        assert_eq!(texts, [b"one", b"two"]);
    }

    #[test]
    fn a_branch_that_was_not_granted_is_a_plain_name() {
        let export = br#"{"trust_pins": 1, "branches": ["a b"], "pins": [
            {"path": "a", "digest": "blake3:0000000000000000000000000000000000000000000000000000000000000000", "bytes": 0}]}"#;
        let pins = RootRecord::from_export(export).expect("pins");
        let recorded = Gate::new(TrustMode::Pinned, Consent::Recorded, "/work".into(), pins, true);
        let long = "x".repeat(100);
        for good in ["main", "feature/a.b-c_d", long.as_str(), "a b"] {
            assert!(recorded.includes_branch(good), "{good}");
        }
        let longer = "x".repeat(101);
        for bad in ["", "a b c", "a\u{a0}b", "a`b", "a=b", longer.as_str()] {
            assert!(!recorded.includes_branch(bad), "{bad}");
        }
        assert!(!gate(TrustMode::Pinned, Consent::Recorded).includes_branch("main"), "nothing is granted");
        assert!(gate(TrustMode::Pinned, Consent::Once).includes_branch("a b c"));
        assert!(gate(TrustMode::Whole, Consent::Recorded).includes_branch("a b c"));
        assert!(!gate(TrustMode::None, Consent::Deny).includes_branch("main"));
    }
}
