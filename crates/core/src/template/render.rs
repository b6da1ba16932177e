//! Runs the operations of a template: lazily and without recursion.

use super::ops::Op;
use super::{Options, Template, TemplateError};
use crate::fact::FactKey;
use std::{collections::BTreeMap, convert::Infallible, ops::Range};

/// The receiver of a render: it looks variables up and takes the output, in order.
pub trait Output {
    /// The reason why a variable cannot be looked up or written.
    type Error;

    /// Returns true where the variable exists; an empty text exists.
    ///
    /// # Errors
    /// Ends the render.
    fn exists(&mut self, key: &FactKey) -> Result<bool, Self::Error>;

    /// Takes bytes of the template; `range` is never empty.
    fn literal(&mut self, range: Range<usize>);

    /// Writes the value of a variable in place of the tag at `tag`; nothing, if it does not exist.
    ///
    /// # Errors
    /// Ends the render.
    fn value(&mut self, tag: Range<usize>, key: &FactKey) -> Result<(), Self::Error>;
}

impl Template {
    /// Renders the template. Only variables that the output depends on are asked for: not those of a branch that is not
    /// taken.
    ///
    /// # Errors
    /// The first error of `output`; nothing is written after it.
    ///
    /// # Example
    /// ```
    /// use preface_core::{fact::FactKey, template::{Options, Output, Template}};
    /// use std::{convert::Infallible, ops::Range};
    ///
    /// struct Text<'t>(&'t str, String);
    /// impl Output for Text<'_> {
    ///     type Error = Infallible;
    ///     fn exists(&mut self, key: &FactKey) -> Result<bool, Infallible> {
    ///         Ok(key.kind() == "git")
    ///     }
    ///     fn literal(&mut self, range: Range<usize>) {
    ///         self.1 += &self.0[range];
    ///     }
    ///     fn value(&mut self, _tag: Range<usize>, _key: &FactKey) -> Result<(), Infallible> {
    ///         self.1 += "main";
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let template = Template::parse("On [git:branch][if tool:bash] with bash[endif]!", &Options::default()).unwrap();
    /// let mut text = Text(template.text(), String::new());
    /// template.render(&mut text).unwrap();
    /// assert_eq!(text.1, "On main!");
    /// ```
    pub fn render<O: Output>(&self, output: &mut O) -> Result<(), O::Error> {
        let mut at = 0;
        while let Some(op) = self.ops.get(at) {
            at += 1;
            match op {
                Op::Literal(range) => output.literal(range.clone()),
                Op::Value { tag, key } => output.value(tag.clone(), &self.keys[*key])?,
                Op::Test { key, negated, otherwise } => {
                    if output.exists(&self.keys[*key])? == *negated {
                        at = *otherwise;
                    }
                }
                Op::Jump(to) => at = *to,
            }
        }
        Ok(())
    }
}

/// Renders `template` with `values`: the seed's pure function, with its default [`Options`].
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
    values: &BTreeMap<FactKey, Option<String>>,
) -> Result<String, TemplateError> {
    let template = Template::parse(template, &Options::default())?;
    let mut output =
        Text { template: template.text(), values, text: String::with_capacity(template.text().len()) };
    let Ok(()) = template.render(&mut output);
    Ok(output.text)
}

/// An output that keeps only the text.
struct Text<'t> {
    template: &'t str,
    values: &'t BTreeMap<FactKey, Option<String>>,
    text: String,
}

impl Output for Text<'_> {
    type Error = Infallible;

    fn exists(&mut self, key: &FactKey) -> Result<bool, Infallible> {
        Ok(matches!(self.values.get(key), Some(Some(_))))
    }

    fn literal(&mut self, range: Range<usize>) {
        self.text.push_str(&self.template[range]);
    }

    fn value(&mut self, _tag: Range<usize>, key: &FactKey) -> Result<(), Infallible> {
        if let Some(Some(value)) = self.values.get(key) {
            self.text.push_str(value);
        }
        Ok(())
    }
}
