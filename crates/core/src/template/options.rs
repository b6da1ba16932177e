//! What a template may do beyond the seed's language, and how large it may get.

/// How a template is read. The default is the seed's language exactly, with the usual limits.
///
/// ```
/// use preface_core::template::Options;
/// let options = Options { raw: true, ..Options::default() };
/// assert_eq!((options.trim_tag_lines, options.max_depth), (false, Some(1_000)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether `[raw]…[endraw]` keeps what it holds as it is. Off, both are plain text.
    pub raw: bool,
    /// Whether a line that holds only working control tags and blanks goes, with its line end.
    pub trim_tag_lines: bool,
    /// How many `if` blocks may stand inside each other; `None` means any number.
    pub max_depth: Option<usize>,
    /// How many bytes a template may have; `None` means any number.
    pub max_bytes: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Options { raw: false, trim_tag_lines: false, max_depth: Some(1_000), max_bytes: Some(1 << 20) }
    }
}
