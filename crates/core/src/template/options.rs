//! The options of a template beyond the plain language, and its limits.

/// The options of the template parser. The default is the plain language, with the usual limits.
///
/// ```
/// use preface_core::template::TemplateOptions;
/// let options = TemplateOptions { raw: true, ..TemplateOptions::default() };
/// assert_eq!((options.trim_tag_lines, options.max_depth), (false, Some(1_000)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateOptions {
    /// True: text in `[raw]…[endraw]` is output as it is. False: both tags are plain text.
    pub raw: bool,
    /// True: a line with only working control tags and blanks is removed, with its line end.
    pub trim_tag_lines: bool,
    /// The most `if` blocks that may be nested; `None` means any number.
    pub max_depth: Option<usize>,
    /// The most bytes of a template; `None` means any number.
    pub max_bytes: Option<usize>,
}

impl Default for TemplateOptions {
    fn default() -> Self {
        TemplateOptions {
            raw: false,
            trim_tag_lines: false,
            max_depth: Some(1_000),
            max_bytes: Some(1 << 20),
        }
    }
}
