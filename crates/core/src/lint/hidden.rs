//! Text that a model reads and a person does not see (`security.md` §1).
//!
//! [`scan`] reports and never alters: what a user wrote is sent as written. [`escape_hidden`] is for names that are
//! shown to a person.

use super::finding::{self, Finding};
use crate::{
    diagnostic::{Diagnostics, Severity},
    scope::Scope,
};
use memchr::memmem;
use std::{borrow::Cow, fmt::Write, ops::Range};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

/// Names a way to hide text. The worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Tag characters: each stands for one ASCII character and shows nothing. The flags of England, Scotland and
    /// Wales are made of them and are not reported.
    Tag,
    /// Bidirectional embeddings, overrides and isolates: the order on the screen is not the order of the text.
    Bidi,
    /// Zero-width space, joiner, non-joiner, word joiner.
    ZeroWidth,
    /// A byte order mark that does not start the text.
    Bom,
    /// Two or more variation selectors in a row: each can carry a byte. A single one is not reported.
    SelectorRun,
    /// Characters that look like nothing or like a blank: Hangul fillers, blank Braille, soft hyphens, other format
    /// characters.
    Filler,
    /// Direction marks.
    Mark,
    /// An HTML comment: the source shows it, the rendered page does not.
    Comment,
}

impl Kind {
    /// Returns the stable code.
    ///
    /// ```
    /// assert_eq!(preface_core::lint::hidden::Kind::SelectorRun.code(), "hidden/selector-run");
    /// ```
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Kind::Tag => "hidden/tag",
            Kind::Bidi => "hidden/bidi",
            Kind::ZeroWidth => "hidden/zero-width",
            Kind::Bom => "hidden/bom",
            Kind::SelectorRun => "hidden/selector-run",
            Kind::Filler => "hidden/filler",
            Kind::Mark => "hidden/mark",
            Kind::Comment => "hidden/comment",
        }
    }
}

/// Names a place where a hidden character has an ordinary use. It is reported as an info there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// A joiner inside an emoji sequence.
    Emoji,
    /// A joiner or non-joiner between letters of a script that writes with it.
    Script,
    /// A blank Braille pattern beside other Braille patterns.
    Braille,
    /// Soft hyphens.
    Hyphenation,
}

/// Describes one run of hidden text.
///
/// ```
/// use preface_core::lint::{finding::Finding, hidden::{scan, Kind}};
/// let found = &scan("fine\u{e0068}\u{e0069}")[0];
/// assert_eq!((found.kind, found.range.clone()), (Kind::Tag, 4..12));
/// assert_eq!(found.payload.as_deref(), Some("hi"));
/// assert_eq!(found.message(), "tag characters hide the text `hi`: U+E0068 U+E0069");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The bytes of the run.
    pub range: Range<usize>,
    /// How it hides.
    pub kind: Kind,
    /// The ordinary use, where it has one.
    pub usual: Option<Usual>,
    /// The code points as `U+XXXX`, equal neighbours counted, long runs shortened. Empty for comments.
    pub code_points: String,
    /// The ASCII text that tag characters stand for.
    pub payload: Option<String>,
}

impl Finding for Hidden {
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    fn code(&self) -> String {
        self.kind.code().to_owned()
    }

    fn severity(&self) -> Severity {
        match self.kind {
            _ if self.usual.is_some() => Severity::Info,
            Kind::Tag | Kind::Bidi => Severity::Error,
            Kind::ZeroWidth | Kind::Bom | Kind::SelectorRun | Kind::Filler => Severity::Warning,
            Kind::Mark | Kind::Comment => Severity::Info,
        }
    }

    fn message(&self) -> String {
        let what = match (self.kind, self.usual) {
            (Kind::Tag, _) => {
                let text: String = self.payload.iter().flat_map(|p| p.chars()).take(SHOWN_PAYLOAD).collect();
                let more =
                    if self.payload.as_ref().is_some_and(|p| p.len() > text.len()) { "…" } else { "" };
                return format!(
                    "tag characters hide the text `{}{more}`: {}",
                    escape_hidden(&text),
                    self.code_points
                );
            }
            (Kind::Comment, _) => {
                return format!("HTML comment of {} bytes: absent from the rendered page", self.range.len());
            }
            (_, Some(Usual::Emoji)) => "zero-width joiner inside an emoji sequence",
            (_, Some(Usual::Script)) => "joiner between letters of a script that uses it",
            (_, Some(Usual::Braille)) => "blank among Braille patterns",
            (_, Some(Usual::Hyphenation)) => "soft hyphen",
            (Kind::Bidi, _) => "characters that change the order of text on a screen",
            (Kind::ZeroWidth, _) => "zero-width characters",
            (Kind::Bom, _) => "byte order mark inside the text",
            (Kind::SelectorRun, _) => "variation selectors in a row",
            (Kind::Filler, _) => "characters that show nothing",
            (Kind::Mark, _) => "direction mark",
        };
        format!("{what}: {}", self.code_points)
    }
}

const SHOWN_PAYLOAD: usize = 200;

/// Finds hidden text, in the order of the text. Scan each file before files are joined: a byte order mark is fine at
/// offset 0 only.
///
/// ```
/// use preface_core::lint::hidden::scan;
/// assert!(scan("Plain text, naïve café, 漢字, 👍🏽").is_empty());
/// // The flag of Wales.
/// assert!(scan("🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}").is_empty());
/// assert_eq!(scan("Use tabs.\u{200b}\u{200b} <!-- and spaces -->").len(), 2);
/// ```
#[must_use]
pub fn scan(text: &str) -> Vec<Hidden> {
    let mut found = comments(text);
    if !text.is_ascii() {
        characters(text, &mut found);
        found.sort_by_key(|hidden| hidden.range.start);
    }
    found
}

/// Says what becomes of HTML comments on the way to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// The model sees them.
    Sent,
    /// They are taken out.
    Stripped,
}

/// Turns findings into notes on the file `path`, and says of each comment whether the model sees it.
///
/// ```
/// use preface_core::lint::hidden::{Comments, diagnostics, scan};
/// let text = "<!-- psst -->";
/// let notes = diagnostics(&scan(text), text, None, "AGENTS.md", Comments::Sent);
/// assert_eq!(notes[0].help.as_deref(), Some("the model sees it"));
/// ```
#[must_use]
pub fn diagnostics(
    findings: &[Hidden],
    text: &str,
    scope: Option<Scope>,
    path: &str,
    comments: Comments,
) -> Diagnostics {
    let mut notes = finding::diagnostics(findings, text, scope, path);
    let fate = match comments {
        Comments::Sent => "the model sees it",
        Comments::Stripped => "the model does not see it",
    };
    for note in notes.iter_mut().filter(|note| note.code == Kind::Comment.code()) {
        note.help = Some(fate.to_owned());
    }
    notes
}

/// Shows control characters and hidden characters as `\u{…}`. For file names, branch names and ids on a screen; the
/// result is for eyes and cannot be turned back.
///
/// ```
/// use preface_core::lint::hidden::escape_hidden;
/// assert_eq!(escape_hidden("docs/größe.md"), "docs/größe.md");
/// assert_eq!(escape_hidden("a\u{202e}dm.exe\n"), "a\\u{202e}dm.exe\\u{a}");
/// ```
#[must_use]
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(unshowable) else { return Cow::Borrowed(text) };
    let mut shown = text[..first].to_owned();
    for c in text[first..].chars() {
        if unshowable(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn unshowable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || Group::of(c).is_some()
}

/// What runs are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Kind(Kind),
    Selector,
}

impl Group {
    fn of(c: char) -> Option<Group> {
        let kind = match c {
            '\0'..='\u{ac}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => return None,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                return Some(Group::Selector);
            }
            '\u{e0000}'..='\u{e007f}' => Kind::Tag,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Kind::Bidi,
            '\u{200b}'..='\u{200d}' | '\u{2060}' => Kind::ZeroWidth,
            '\u{feff}' => Kind::Bom,
            '\u{200e}' | '\u{200f}' | '\u{61c}' => Kind::Mark,
            BLANK_BRAILLE | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}'
            | '\u{ffa0}' => Kind::Filler,
            _ if c.general_category() == GeneralCategory::Format && !shows_something(c) => Kind::Filler,
            _ => return None,
        };
        Some(Group::Kind(kind))
    }
}

const BLANK_BRAILLE: char = '\u{2800}';
const SOFT_HYPHEN: char = '\u{ad}';
const BLACK_FLAG: char = '\u{1f3f4}';

/// The tags that follow a black flag in the flags of England, Scotland and Wales.
const REGIONS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Tells the format characters that have a glyph: signs that span the digits or letters after them.
fn shows_something(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}')
        || matches!(c, '\u{110bd}' | '\u{110cd}')
}

fn characters(text: &str, found: &mut Vec<Hidden>) {
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(|byte| !byte.is_ascii()) {
        let start = at + next;
        let rest = &text[start..];
        // `rest` starts with a byte that is not ASCII.
        let first = rest.chars().next().unwrap_or_default();
        at = start + first.len_utf8();
        if first == BLACK_FLAG {
            let region = REGIONS.iter().find(|region| text[at..].starts_with(**region));
            at += region.map_or(0, |region| region.len());
        }
        let Some(group) = Group::of(first) else { continue };
        if start == 0 && group == Group::Kind(Kind::Bom) {
            continue;
        }
        let run = rest.find(|c| Group::of(c) != Some(group)).map_or(rest, |end| &rest[..end]);
        at = start + run.len();
        let kind = match group {
            Group::Kind(kind) => kind,
            Group::Selector if run.chars().nth(1).is_some() => Kind::SelectorRun,
            Group::Selector => continue,
        };
        found.push(Hidden {
            range: start..at,
            kind,
            usual: usual(text, start, run),
            code_points: code_points(run),
            payload: (kind == Kind::Tag).then(|| run.chars().map(ascii_of_tag).collect()),
        });
    }
}

/// Returns what a tag character stands for.
fn ascii_of_tag(tag: char) -> char {
    (tag as u32 & 0x7f) as u8 as char
}

fn usual(text: &str, start: usize, run: &str) -> Option<Usual> {
    let before = text[..start].chars().next_back();
    let after = text[start + run.len()..].chars().next();
    let braille = |c: Option<char>| matches!(c, Some('\u{2801}'..='\u{28ff}'));
    match run {
        "\u{200d}" if before_is_emoji(&text[..start]) && after.is_some_and(is_emoji) => Some(Usual::Emoji),
        "\u{200c}" | "\u{200d}" if before.is_some_and(joins) && after.is_some_and(joins) => {
            Some(Usual::Script)
        }
        _ if run.chars().all(|c| c == BLANK_BRAILLE) => {
            (braille(before) || braille(after)).then_some(Usual::Braille)
        }
        _ if run.chars().all(|c| c == SOFT_HYPHEN) => Some(Usual::Hyphenation),
        _ => None,
    }
}

fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

fn before_is_emoji(before: &str) -> bool {
    let before = before.strip_suffix('\u{fe0f}').unwrap_or(before);
    before.chars().next_back().is_some_and(is_emoji)
}

/// Tells whether `c` is a letter or a mark of a script in which joiners and non-joiners choose letter forms.
fn joins(c: char) -> bool {
    let in_script = matches!(c,
        '\u{600}'..='\u{74f}' // Arabic, Syriac
        | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' // Arabic
        | '\u{7c0}'..='\u{7ff}' | '\u{840}'..='\u{86f}' // N'Ko, Mandaic, Syriac
        | '\u{900}'..='\u{dff}' // Devanagari to Sinhala
        | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' // Myanmar, Khmer
        | '\u{1800}'..='\u{18af}' // Mongolian
        | '\u{1cd0}'..='\u{1cff}' | '\u{a8e0}'..='\u{a8ff}' // Vedic, Devanagari
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' // Arabic forms
        | '\u{11000}'..='\u{11cff}' // Brahmi and its relatives
        | '\u{1e900}'..='\u{1e95f}' // Adlam
    );
    in_script
        && matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
}

fn code_points(run: &str) -> String {
    let mut shown = String::new();
    let mut groups = 0;
    let mut rest = run;
    while let Some(c) = rest.chars().next() {
        if groups == SHOWN_POINTS {
            // Writing to a String cannot fail.
            let _ = write!(shown, " … ({} in all)", run.chars().count());
            break;
        }
        let equal = rest.find(|other| other != c).unwrap_or(rest.len());
        let count = equal / c.len_utf8();
        let blank = if groups == 0 { "" } else { " " };
        let times = if count > 1 { format!(" ×{count}") } else { String::new() };
        let _ = write!(shown, "{blank}U+{:04X}{times}", c as u32);
        rest = &rest[equal..];
        groups += 1;
    }
    shown
}

const SHOWN_POINTS: usize = 8;

fn comments(text: &str) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = memmem::find(&text.as_bytes()[at..], b"<!--") {
        let start = at + open;
        // `<!-->` and `<!--->` are whole comments.
        let inside = start + 2;
        let close = memmem::find(&text.as_bytes()[inside..], b"-->");
        at = close.map_or(text.len(), |close| inside + close + 3);
        found.push(Hidden {
            range: start..at,
            kind: Kind::Comment,
            usual: None,
            code_points: String::new(),
            payload: None,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_runs_are_shown_short() {
        let run = format!("{}{}", "\u{200b}".repeat(3), "\u{200c}\u{200d}".repeat(5));
        assert_eq!(
            scan(&format!("a{run}"))[0].code_points,
            "U+200B ×3 U+200C U+200D U+200C U+200D U+200C U+200D U+200C … (13 in all)"
        );
        let smuggled: String = ['\u{e0041}'; 5000].iter().collect();
        let found = scan(&smuggled);
        assert_eq!(found[0].payload.as_ref().map(String::len), Some(5000));
        let text = "A".repeat(200);
        assert_eq!(found[0].message(), format!("tag characters hide the text `{text}…`: U+E0041 ×5000"));
    }

    #[test]
    fn control_characters_in_tags_are_escaped_in_the_message() {
        let message = scan("\u{e0001}\u{e001b}")[0].message();
        assert_eq!(message, "tag characters hide the text `\\u{1}\\u{1b}`: U+E0001 U+E001B");
    }

    #[test]
    fn many_findings_take_no_time() {
        for text in ["<!--", "می\u{200c}", "\u{e0041}", "\u{fe0f}", "漢字", "\u{200b}\n"] {
            let text = text.repeat(500_000 / text.len());
            let _ = diagnostics(&scan(&text), &text, None, "a.md", Comments::Sent);
        }
    }

    proptest! {
        #[test]
        fn findings_are_ordered_runs_of_the_text(
            text in "([a-z]|<!--|-->|[\u{200b}-\u{200f}]|[\u{e0000}-\u{e007f}]|\\PC|\\p{Cf}){0,60}"
        ) {
            let found = scan(&text);
            prop_assert!(found.is_sorted_by_key(|hidden| hidden.range.start));
            for hidden in found {
                prop_assert!(!text[hidden.range].is_empty());
            }
        }

        #[test]
        fn escaped_text_hides_nothing(text in any::<String>()) {
            let shown = escape_hidden(&text);
            prop_assert!(!shown.contains(unshowable));
            prop_assert!(scan(&shown).iter().all(|hidden| hidden.kind == Kind::Comment));
            prop_assert_eq!(escape_hidden(&shown), shown.as_ref());
        }
    }
}
