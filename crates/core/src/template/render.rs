//! Runs the operations of a template: lazily and without recursion.

use super::ops::Op;
use super::{Template, TemplateError, TemplateOptions};
use crate::{declaration::alternatives, variable::VariableKey};
use std::{collections::BTreeMap, convert::Infallible, ops::Range};

/// The receiver of a render: it looks variables up and takes the output, in order.
pub trait Output {
    /// The reason why a variable cannot be looked up or written.
    type Error;

    /// Returns true if the variable exists; an empty text exists.
    ///
    /// # Errors
    /// Ends the render.
    fn exists(&mut self, key: &VariableKey) -> Result<bool, Self::Error>;

    /// Takes bytes of the template; `range` is never empty.
    fn literal(&mut self, range: Range<usize>);

    /// Writes the value of a variable in place of the tag at `tag`; nothing, if it does not exist.
    ///
    /// # Errors
    /// Ends the render.
    fn value(&mut self, tag: Range<usize>, key: &VariableKey) -> Result<(), Self::Error>;

    /// Returns true if the variable exists and its value is one of these, byte for byte.
    ///
    /// # Errors
    /// Ends the render.
    fn is_one_of(&mut self, _key: &VariableKey, _words: &[&str]) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Goes on with an entry of a list, from 0: until the list is left, `item:` is of it. Returns false, and leaves the list, if
    /// it has no such entry. `tag` is that of the `each`.
    ///
    /// # Errors
    /// Ends the render.
    fn entry(&mut self, _tag: Range<usize>, _list: &VariableKey, _at: usize) -> Result<bool, Self::Error> {
        Ok(false)
    }
}

impl Template {
    /// Renders the template. Only variables that the output depends on are read: not those of a branch that is not
    /// taken.
    ///
    /// # Errors
    /// The first error of `output`; nothing is written after it.
    ///
    /// # Example
    /// ```
    /// use preface_core::{variable::VariableKey, template::{TemplateOptions, Output, Template}};
    /// use std::{convert::Infallible, ops::Range};
    ///
    /// struct TextOutput<'t>(&'t str, String);
    /// impl Output for TextOutput<'_> {
    ///     type Error = Infallible;
    ///     fn exists(&mut self, key: &VariableKey) -> Result<bool, Infallible> {
    ///         Ok(key.kind() == "git")
    ///     }
    ///     fn literal(&mut self, range: Range<usize>) {
    ///         self.1 += &self.0[range];
    ///     }
    ///     fn value(&mut self, _tag: Range<usize>, _key: &VariableKey) -> Result<(), Infallible> {
    ///         self.1 += "main";
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let template = Template::parse("On [git:branch][if tool:bash] with bash[endif]!", &TemplateOptions::default()).unwrap();
    /// let mut text = TextOutput(template.text(), String::new());
    /// template.render(&mut text).unwrap();
    /// assert_eq!(text.1, "On main!");
    /// ```
    pub fn render<O: Output>(&self, output: &mut O) -> Result<(), O::Error> {
        let mut at = 0;
        // The entry of each open list.
        let mut entries: Vec<usize> = Vec::new();
        while let Some(op) = self.ops.get(at) {
            at += 1;
            match op {
                Op::Literal(range) => output.literal(range.clone()),
                Op::Value { tag, key } => output.value(tag.clone(), &self.keys[*key])?,
                Op::Test { test, otherwise } => {
                    let key = &self.keys[test.key];
                    let holds = match &test.words {
                        None => output.exists(key)?,
                        Some(words) => {
                            let words: Vec<&str> = alternatives(&self.text()[words.clone()]).collect();
                            output.is_one_of(key, &words)?
                        }
                    };
                    if holds == test.negated {
                        at = *otherwise;
                    }
                }
                Op::Jump(to) => at = *to,
                Op::Each { tag, list, end } => {
                    if output.entry(tag.clone(), &self.keys[*list], 0)? {
                        entries.push(0);
                    } else {
                        at = *end;
                    }
                }
                Op::Next(each) => {
                    let (Some(Op::Each { tag, list, .. }), Some(entry)) =
                        (self.ops.get(*each), entries.last_mut())
                    else {
                        continue;
                    };
                    *entry += 1;
                    if output.entry(tag.clone(), &self.keys[*list], *entry)? {
                        at = each + 1;
                    } else {
                        entries.pop();
                    }
                }
            }
        }
        Ok(())
    }
}

/// Renders `template` with `values`: the seed's pure function, with its default [`TemplateOptions`].
///
/// A key that is missing from the map does not exist, like one that maps to `None`.
///
/// # Errors
/// Those of [`Template::parse`].
///
/// # Example
/// ```
/// use preface_core::template::parse_template;
/// use std::collections::BTreeMap;
/// let values = BTreeMap::from([("git:branch".parse().unwrap(), Some("main".to_owned()))]);
/// assert_eq!(parse_template("[if git:branch]On [git:branch].[endif]", &values).unwrap(), "On main.");
/// ```
pub fn parse_template(
    template: &str,
    values: &BTreeMap<VariableKey, Option<String>>,
) -> Result<String, TemplateError> {
    let template = Template::parse(template, &TemplateOptions::default())?;
    let mut output =
        TextOutput { template: template.text(), values, text: String::with_capacity(template.text().len()) };
    let Ok(()) = template.render(&mut output);
    Ok(output.text)
}

/// An output that keeps only the text.
struct TextOutput<'t> {
    template: &'t str,
    values: &'t BTreeMap<VariableKey, Option<String>>,
    text: String,
}

impl Output for TextOutput<'_> {
    type Error = Infallible;

    fn exists(&mut self, key: &VariableKey) -> Result<bool, Infallible> {
        Ok(matches!(self.values.get(key), Some(Some(_))))
    }

    fn literal(&mut self, range: Range<usize>) {
        self.text.push_str(&self.template[range]);
    }

    fn value(&mut self, _tag: Range<usize>, key: &VariableKey) -> Result<(), Infallible> {
        if let Some(Some(value)) = self.values.get(key) {
            self.text.push_str(value);
        }
        Ok(())
    }
}
