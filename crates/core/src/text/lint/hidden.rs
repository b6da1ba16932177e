//! Text that a model reads and a person does not see (`security.md` §1).
//!
//! [`scan`] reports and never alters: what a user wrote is sent as written. [`visible`] and [`escape_hidden`] are for what
//! is shown to a person.

pub use super::character::{HiddenKind, escape_hidden};

use super::{
    character::{BLANK_BRAILLE, excerpt, floor_char_boundary, is_unusual_space},
    finding::{FindingLimiter, OmittedFindings, TextFinding},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    markdown_code,
    skill::frontmatter,
};
use memchr::memmem;
use std::{borrow::Cow, cell::OnceCell, fmt::Write, ops::Range};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

impl HiddenKind {
    /// Returns true if the code points of a run determine its kind.
    #[must_use]
    pub fn is_of_characters(self) -> bool {
        !matches!(self, HiddenKind::Comment | HiddenKind::OffScreen)
    }

    /// Returns the stable code.
    ///
    /// ```
    /// assert_eq!(preface_core::lint::hidden::HiddenKind::SelectorRun.code().as_str(), "hidden/character");
    /// ```
    #[must_use]
    pub fn code(self) -> DiagnosticCode {
        match self {
            HiddenKind::Comment => DiagnosticCode::HiddenComment,
            HiddenKind::Filler | HiddenKind::Separator | HiddenKind::OffScreen | HiddenKind::Space => {
                DiagnosticCode::HiddenBlank
            }
            _ => DiagnosticCode::HiddenCharacter,
        }
    }
}

/// A run of hidden text.
///
/// ```
/// use preface_core::lint::{finding::TextFinding, hidden::{scan, HiddenKind}};
/// let found = &scan("fine\u{e0068}\u{e0069}")[0];
/// assert_eq!((found.kind, found.range.clone()), (HiddenKind::Tag, 4..12));
/// assert_eq!(found.payload.as_deref(), Some("hi"));
/// assert_eq!(found.message(), "tag characters hide the text `hi`: U+E0068 U+E0069");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenSpan {
    /// The bytes of the run.
    pub range: Range<usize>,
    /// The way in which the run is hidden.
    pub kind: HiddenKind,
    /// The ordinary use in words, where it has one: the run is reported as an info.
    pub usual: Option<&'static str>,
    /// The code points as `U+XXXX`, equal neighbours counted, long runs shortened. Empty for comments.
    pub code_points: String,
    /// The ASCII text that tag characters stand for.
    pub payload: Option<String>,
}

impl TextFinding for HiddenSpan {
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    fn diagnostic(&self) -> Diagnostic {
        let code = self.kind.code();
        let help = code.help().filter(|_| self.usual.is_none()).map(|help| match self.kind {
            HiddenKind::Comment => format!("the model sees it; {help}").into(),
            _ => help,
        });
        Diagnostic { help, ..Diagnostic::new(severity(self.kind, self.usual), code, self.words()) }
    }
}

impl HiddenSpan {
    /// Returns the message.
    fn words(&self) -> String {
        let what = match (self.kind, self.usual) {
            (HiddenKind::Tag, _) => {
                let text = excerpt(self.payload.as_deref().unwrap_or_default(), SHOWN_PAYLOAD);
                return format!("tag characters hide the text `{text}`: {}", self.code_points);
            }
            (HiddenKind::Comment, _) => {
                return format!("HTML comment of {} bytes: absent from the rendered page", self.range.len());
            }
            (_, Some(usual)) => usual,
            (HiddenKind::OffScreen, _) => {
                return format!(
                    "{} bytes of blanks or empty lines push the text behind them off-screen",
                    self.range.len()
                );
            }
            (HiddenKind::Pile, _) => "combining marks piled on one letter",
            (HiddenKind::Space, _) => "unusual blanks in a row",
            (HiddenKind::Control, _) => "control characters",
            (HiddenKind::Selector, _) => "variation selector that can carry data",
            (HiddenKind::PrivateUse, _) => {
                "private-use or unassigned characters: what they look like depends on the font"
            }
            (HiddenKind::Separator, _) => "line separator that most editors do not show",
            (HiddenKind::Bidi, _) => "characters that change the order of text on a screen",
            (HiddenKind::ZeroWidth, _) => "zero-width characters",
            (HiddenKind::Bom, _) => "byte order mark inside the text",
            (HiddenKind::SelectorRun, _) => "variation selectors in a row",
            (HiddenKind::Filler, _) => "characters that show nothing",
            (HiddenKind::Mark, _) => "direction mark",
        };
        format!("{what}: {}", self.code_points)
    }
}

/// Returns how bad a run of this kind is.
fn severity(kind: HiddenKind, usual: Option<&'static str>) -> Severity {
    match kind {
        _ if usual.is_some() => Severity::Info,
        HiddenKind::Tag | HiddenKind::Bidi => Severity::Error,
        HiddenKind::Comment => Severity::Info,
        _ => Severity::Warning,
    }
}

const SHOWN_PAYLOAD: usize = 200;

/// Writes hidden characters out as `\u{…}` that have no ordinary use in their place. For texts from outside that a model
/// reads.
///
/// ```
/// use preface_core::lint::hidden::write_out;
/// assert_eq!(write_out("fine\u{e0041}\n"), "fine\\u{e0041}\n");
/// assert_eq!(write_out("👩\u{200d}🚀"), "👩\u{200d}🚀");
/// ```
#[must_use]
pub fn write_out(text: &str) -> Cow<'_, str> {
    let mut tricks = scan(text);
    tricks.retain(|found| found.kind.is_of_characters() && found.usual.is_none());
    if tricks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for HiddenSpan { range, .. } in tricks {
        out.push_str(&text[at..range.start]);
        text[range.clone()].chars().for_each(|c| out.extend(c.escape_unicode()));
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

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
pub fn scan(text: &str) -> Vec<HiddenSpan> {
    scan_few(text, usize::MAX).0
}

/// Finds hidden text as [`scan`] does, but at most so many findings of each code, and returns what the rest was. The cost
/// in memory does not grow with the number of findings.
///
/// ```
/// use preface_core::lint::hidden::scan_few;
/// let (found, rest) = scan_few(&"a\u{200b}".repeat(1_000), 2);
/// assert_eq!((found.len(), rest[0].count), (2, 998));
/// ```
#[must_use]
pub fn scan_few(text: &str, most: usize) -> (Vec<HiddenSpan>, Vec<OmittedFindings>) {
    let mut few = FindingLimiter::new(most);
    let mut found = Vec::new();
    runs(text, &mut |HiddenRun { range, kind, usual }| {
        if few.keeps(kind.code(), severity(kind, usual), &range) {
            let run = &text[range.clone()];
            found.push(HiddenSpan {
                kind,
                usual,
                code_points: if kind.is_of_characters() { code_points(run) } else { String::new() },
                payload: (kind == HiddenKind::Tag).then(|| run.chars().map(ascii_of_tag).collect()),
                range,
            });
        }
    });
    found.sort_by_key(|hidden| hidden.range.start);
    (found, few.rest())
}

/// Shows a text of several lines: line ends and tabs stay, characters that hide and have no ordinary use become `\u{…}`.
///
/// ```
/// use preface_core::lint::hidden::visible;
/// assert_eq!(visible("a\r\n\tb\u{1b}[8m👩\u{200d}👧\u{2028}"), "a\n\tb\\u{1b}[8m👩\u{200d}👧\\u{2028}");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !may_hide(text.as_bytes()) && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut at = 0;
    let mut push = |part: &str| shown.push_str(&part.replace("\r\n", "\n"));
    let escaped = |run: &str| run.chars().map(|c| c.escape_unicode().to_string()).collect::<String>();
    characters(text, &mut |HiddenRun { range, kind, usual }| {
        let whole = usual.is_none() && !matches!(kind, HiddenKind::Pile | HiddenKind::Space);
        if whole || kind == HiddenKind::Control {
            push(&text[at..range.start]);
            push(&escaped(&text[range.clone()]));
            at = range.end;
        }
    });
    push(&text[at..]);
    Cow::Owned(shown)
}

/// A run of hidden text, before anything is worked out for a message.
struct HiddenRun {
    range: Range<usize>,
    kind: HiddenKind,
    usual: Option<&'static str>,
}

/// Finds every run: comments, then characters, then blanks, each in the order of the text.
fn runs(text: &str, found: &mut dyn FnMut(HiddenRun)) {
    comments(text, found);
    if may_hide(text.as_bytes()) {
        characters(text, found);
    }
    off_screen(text, found);
}

/// Returns true if a text has anything but printable ASCII, tabs and line ends.
fn may_hide(text: &[u8]) -> bool {
    // Without a way out of the inner loop, which looks at many bytes at once.
    text.chunks(64).any(|bytes| bytes.iter().fold(false, |found, byte| found | is_special(*byte)))
}

fn is_special(byte: u8) -> bool {
    !(matches!(byte, b' '..=b'~' | b'\t' | b'\n'))
}

/// Returns the kind of a run of characters such as this one. Unusual blanks and combining marks hide something only where
/// there are many of them.
fn kind_of(c: char) -> Option<HiddenKind> {
    let kind = HiddenKind::of(c);
    if kind.is_some() || c.is_ascii() || matches!(c, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') {
        return kind;
    }
    if is_unusual_space(c) {
        return Some(HiddenKind::Space);
    }
    let is_mark =
        matches!(c.general_category(), GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
    is_mark.then_some(HiddenKind::Pile)
}

const BLACK_FLAG: char = '\u{1f3f4}';

/// The fewest combining marks in a row that are no orthography.
const PILE: usize = 8;
/// The fewest unusual blanks in a row that are reported: two no-break spaces indent a line here and there.
const SPACES: usize = 8;

/// The tags that follow a black flag in the flags of England, Scotland and Wales.
const REGIONS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

fn characters(text: &str, found: &mut dyn FnMut(HiddenRun)) {
    let habits = TextTraits::of(text);
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(|byte| is_special(*byte)) {
        let start = at + next;
        let rest = &text[start..];
        // `rest` is not empty.
        let first = rest.chars().next().unwrap_or_default();
        at = start + first.len_utf8();
        if first == '\r' && rest[1..].starts_with('\n') {
            continue;
        }
        if first == BLACK_FLAG {
            let region = REGIONS.iter().find(|region| text[at..].starts_with(**region));
            at += region.map_or(0, |region| region.len());
        }
        let Some(kind) = kind_of(first) else { continue };
        if start == 0 && kind == HiddenKind::Bom {
            continue;
        }
        let mut run = rest.find(|c| kind_of(c) != Some(kind)).map_or(rest, |end| &rest[..end]);
        if run.len() > 1 && run.ends_with('\r') && rest[run.len()..].starts_with('\n') {
            run = &run[..run.len() - 1];
        }
        at = start + run.len();
        let are_many = |count: usize| run.chars().nth(count - 1).is_some();
        let kind = match kind {
            HiddenKind::Space if !are_many(SPACES) || run.chars().all(|c| c == '\u{3000}') => continue,
            HiddenKind::Pile if !are_many(PILE) => continue,
            HiddenKind::Selector if are_many(2) => HiddenKind::SelectorRun,
            HiddenKind::Selector if habits.is_variant(&text[..start], first) => continue,
            kind => kind,
        };
        found(HiddenRun { range: start..at, kind, usual: usual(text, start, run, &habits) });
    }
}

/// The properties of the text as a whole.
struct TextTraits {
    /// Letters that are written from right to left.
    right_to_left: bool,
    /// More ideographic variation selectors than a text has rare names.
    many_variants: bool,
}

/// The most ideographic variation selectors that a text has without a warning.
const VARIANTS: usize = 8;

impl TextTraits {
    fn of(text: &str) -> Self {
        let right_to_left = |c: char| {
            matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
                && HiddenKind::of(c).is_none()
        };
        // The first bytes of U+E0100 to U+E01EF.
        let variants = memmem::find_iter(text.as_bytes(), b"\xf3\xa0").nth(VARIANTS).is_some();
        TextTraits { right_to_left: text.contains(right_to_left), many_variants: variants }
    }

    /// Returns true if a selector chooses one of the variants that the character before it has.
    fn is_variant(&self, before: &str, selector: char) -> bool {
        let Some(base) = before.chars().next_back() else { return false };
        let is_symbol = || base.general_category_group() == GeneralCategoryGroup::Symbol;
        match selector {
            '\u{fe0e}' | '\u{fe0f}' => base.is_emoji_char() || is_symbol() || is_ideographic(base),
            '\u{fe00}'..='\u{fe0d}' => {
                is_symbol()
                    || is_ideographic(base)
                    || matches!(base, '\u{1000}'..='\u{109f}' | '\u{a840}'..='\u{a87f}')
            }
            '\u{180b}'..='\u{180f}' => matches!(base, '\u{1800}'..='\u{18af}'),
            _ => is_ideographic(base) && !self.many_variants,
        }
    }
}

/// Returns true for the ideographs and their punctuation.
fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fdf}' | '\u{3001}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
        || matches!(c, '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// The numbers of blanks in a line, and of line ends in a row, that push text off-screen.
const WIDE: usize = 200;
const TALL: usize = 80;

/// Finds blanks that push text off-screen: many in one line, or many empty lines, with text behind them.
fn off_screen(text: &str, found: &mut dyn FnMut(HiddenRun)) {
    let blank = |c: char| c.is_whitespace() || c == BLANK_BRAILLE || is_unusual_space(c);
    let bytes = text.as_bytes();
    let mut table = TableFinder { text, block: 0..0, has_table: false };
    let mut at = 0;
    while at < bytes.len() {
        // A run that matters covers a byte at every so many.
        let step = TALL.min(WIDE);
        let probe = at + step - 1;
        if probe >= bytes.len() {
            return;
        }
        let byte = bytes[probe];
        if byte > b' ' && byte < 0x80 {
            at = probe + 1;
            continue;
        }
        let probe = floor_char_boundary(text, probe);
        if !text[probe..].starts_with(blank) {
            at = probe + text[probe..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let start = at + text[at..probe].trim_end_matches(blank).len();
        let run = &text[start..];
        let run = &run[..run.len() - run.trim_start_matches(blank).len()];
        let end = start + run.len();
        at = end;
        if end == bytes.len() {
            return;
        }
        let lines = run.matches('\n').count();
        let last = run.rsplit('\n').next().unwrap_or_default();
        let is_wide = last.chars().take(WIDE).count() == WIDE;
        let wide = is_wide && !(lines == 0 && table.is_padded(start, end));
        if wide || lines > TALL {
            found(HiddenRun { range: start..end, kind: HiddenKind::OffScreen, usual: None });
        }
    }
}

/// The search for Markdown tables. A block of lines is looked at once, however many of its cells are padded.
struct TableFinder<'t> {
    text: &'t str,
    /// The lines around the last place, up to the next empty ones.
    block: Range<usize>,
    /// True if the block has a delimiter row, as `|---|:--:|`.
    has_table: bool,
}

impl TableFinder<'_> {
    /// Returns true if blanks fill a cell of a table: they are next to a bar, in a block with a delimiter row. Tables in lists and
    /// quotes have marks before their rows.
    fn is_padded(&mut self, start: usize, end: usize) -> bool {
        let (before, after) = (&self.text[..start], &self.text[end..]);
        if !before.ends_with('|') && !after.starts_with('|') {
            return false;
        }
        let marks = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '>');
        if !self.block.contains(&start) {
            let is_text = |line: &&str| !line.trim_matches(marks).is_empty();
            let length = |lines: &mut dyn Iterator<Item = &str>| {
                lines.take_while(is_text).map(str::len).sum::<usize>()
            };
            let first = start - length(&mut before.split_inclusive('\n').rev());
            self.block = first..end + length(&mut after.split_inclusive('\n'));
            self.has_table = self.text[self.block.clone()].lines().any(|line| {
                let line = line.trim_matches(marks);
                line.contains('|') && line.contains('-') && line.bytes().all(|byte| b"|-: \t".contains(&byte))
            });
        }
        self.has_table
    }
}

/// Returns the character of a tag character.
fn ascii_of_tag(tag: char) -> char {
    (tag as u32 & 0x7f) as u8 as char
}

fn usual(text: &str, start: usize, run: &str, habits: &TextTraits) -> Option<&'static str> {
    let before = text[..start].chars().next_back();
    let after = text[start + run.len()..].chars().next();
    let braille = |c: Option<char>| matches!(c, Some('\u{2801}'..='\u{28ff}'));
    let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    match run {
        "\u{200d}" if before_is_emoji(&text[..start]) && after.is_some_and(is_emoji) => {
            Some("zero-width joiner inside an emoji sequence")
        }
        "\u{200c}" | "\u{200d}" if before.is_some_and(is_joiner) && after.is_some_and(is_joiner) => {
            Some("joiner between letters of a script that uses it")
        }
        "\u{200c}" | "\u{200d}" if before.is_some_and(is_virama) => {
            Some("joiner between letters of a script that uses it")
        }
        "\u{200b}" if before.is_some_and(has_no_spaces) && after.is_some_and(has_no_spaces) => {
            Some("joiner between letters of a script that uses it")
        }
        "\u{ad}" if letter(before) && letter(after) => Some("soft hyphen"),
        "\u{c}" if matches!(before, None | Some('\n')) && !matches!(after, Some('\r')) => Some("page break"),
        "\u{200e}" | "\u{200f}" | "\u{61c}" if habits.right_to_left => Some("direction mark"),
        _ if run.chars().all(|c| c == BLANK_BRAILLE) => {
            (braille(before) || braille(after)).then_some("blank among Braille patterns")
        }
        _ => None,
    }
}

/// Returns true for the signs that take the vowel from a letter: a joiner behind one chooses its form at the end of a word,
/// too.
fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
    )
}

/// Returns true for letters of scripts that put no space between words, where a zero-width space may end a line.
fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}')
}

fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

fn before_is_emoji(before: &str) -> bool {
    let before = before.strip_suffix('\u{fe0f}').unwrap_or(before);
    before.chars().next_back().is_some_and(is_emoji)
}

/// Returns true if `c` is a letter or a mark of a script in which joiners and non-joiners choose letter forms.
fn is_joiner(c: char) -> bool {
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

fn comments(text: &str, found: &mut dyn FnMut(HiddenRun)) {
    // A page shows what is in code and in the head of the file; a mark of code in a comment is none.
    let code = OnceCell::new();
    let shown = || {
        let head = frontmatter::split(text).span;
        let code = markdown_code::code(text).into_iter().filter(|code| code.start >= head.end);
        [head.clone()].into_iter().chain(code).collect::<Vec<Range<usize>>>()
    };
    let mut at = 0;
    let mut end_of_comment = 0;
    while let Some(open) = memmem::find(&text.as_bytes()[at..], b"<!--") {
        let start = at + open;
        let code: &Vec<Range<usize>> = code.get_or_init(shown);
        let next = code.partition_point(|code| code.end <= start);
        if let Some(code) =
            code.get(next).filter(|code| code.contains(&start) && code.start >= end_of_comment)
        {
            at = code.end;
            continue;
        }
        // `<!-->` and `<!--->` are whole comments.
        let inside = start + 2;
        let close = memmem::find(&text.as_bytes()[inside..], b"-->");
        at = close.map_or(text.len(), |close| inside + close + 3);
        end_of_comment = at;
        found(HiddenRun { range: start..at, kind: HiddenKind::Comment, usual: None });
    }
}

#[cfg(test)]
mod tests {
    use super::{super::character::is_hidden, *};
    use proptest::prelude::*;

    #[test]
    fn a_comment_in_code_is_shown_and_a_mark_of_code_in_a_comment_is_none() {
        let comments = |text: &str| {
            let found = scan(text).into_iter().filter(|found| found.kind == HiddenKind::Comment);
            found.map(|found| text[found.range].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(comments("`<!--` a -->\n```html\n<!-- b -->\n```\n<!-- c -->"), ["<!-- c -->"]);
        assert_eq!(comments("```\n<!-- open\n"), ["<!-- open\n"], "a fence that is not closed is none");
        assert_eq!(comments("---\nname: <!-- a -->\n---\n<!-- b -->"), ["<!-- b -->"]);
        let text = "<!-- a\n```\n-->\n<!-- b -->\n<!--\n```\nc -->";
        assert_eq!(comments(text), ["<!-- a\n```\n-->", "<!-- b -->", "<!--\n```\nc -->"]);
    }

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
    fn a_block_is_searched_for_a_table_once() {
        let row = format!("> | {}| b |\n", " ".repeat(300));
        for (delimiter, findings) in [("> |---|---|\n", 0), ("", 5_000)] {
            assert_eq!(scan(&format!("> | a | b |\n{delimiter}{}", row.repeat(5_000))).len(), findings);
        }
    }

    #[test]
    fn of_many_findings_the_first_of_each_code_stay_and_the_rest_is_counted() {
        let cases = [
            ("<!---->", 1),
            ("می\u{200c}", 1),
            ("a\u{e0041}", 1),
            ("a\u{fe0f}", 1),
            ("漢字", 0),
            ("\u{200b}\n", 1),
            ("\u{1b}[8m", 1),
        ];
        for (text, findings) in cases {
            let (found, rest) = scan_few(&text.repeat(5_000), 100);
            let counted = found.len() + rest.iter().map(|rest| rest.count).sum::<usize>();
            assert_eq!(counted, findings * 5_000, "{text:?}");
            // One more where the last of them has nothing behind it and is worse.
            assert!(found.len() <= findings * 100 + 1, "{text:?}");
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
            prop_assert!(!shown.contains(is_hidden));
            let seen = [HiddenKind::Comment, HiddenKind::Pile, HiddenKind::Space, HiddenKind::OffScreen];
            prop_assert!(scan(&shown).iter().all(|hidden| seen.contains(&hidden.kind)));
            prop_assert_eq!(escape_hidden(&shown), shown.as_ref());
        }
    }
}
