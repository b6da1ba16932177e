//! The options of a template beyond the plain language, and its limits.

use crate::{
    declaration::{Declarations, GivenVariables},
    lint::template::VariableTypes,
    profile::Profile,
    variable::Stability,
};
use std::sync::Arc;

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
    /// The types whose keys are tags: what else is in brackets is text. `None`: each key is a tag.
    pub types: Option<Arc<VariableTypes>>,
    /// The declared variables, where tests compare and lists repeat; `None`: `elif`, `each` and `endeach` are text.
    pub inputs: Option<Arc<Declarations>>,
}

impl TemplateOptions {
    /// Returns the options of the texts of a profile, where the caller gives these variables.
    #[must_use]
    pub fn of(profile: &Profile, given: &GivenVariables) -> Self {
        let limits = &profile.template;
        let some = |limit: usize| (limit > 0).then_some(limit);
        TemplateOptions {
            raw: limits.raw,
            trim_tag_lines: limits.trim_tag_lines,
            max_depth: some(limits.max_depth),
            max_bytes: some(limits.max_bytes),
            types: (!limits.blank_unknown).then(|| Arc::new(VariableTypes::of(profile, given))),
            inputs: limits.inputs.then(|| Arc::new(profile.variables.clone())),
        }
    }

    /// Adds a type of variables that only some texts have.
    pub(crate) fn with_type(&self, kind: &str) -> Self {
        let with =
            |types: &Arc<VariableTypes>| Arc::new(VariableTypes::clone(types).words(kind, Stability::Static));
        TemplateOptions { types: self.types.as_ref().map(with), ..self.clone() }
    }
}

impl Default for TemplateOptions {
    fn default() -> Self {
        TemplateOptions {
            raw: false,
            trim_tag_lines: false,
            max_depth: Some(1_000),
            max_bytes: Some(1 << 20),
            types: None,
            inputs: None,
        }
    }
}
