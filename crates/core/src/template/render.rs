//! Runs the operations of a template: lazily, without recursion, and from where it stopped.

use super::ops::Op;
use super::{Options, Template, TemplateError};
use crate::fact::FactKey;
use std::{collections::BTreeMap, ops::Range};

/// What is known of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked<V> {
    /// It exists, with this value. An empty text exists.
    Value(V),
    /// It is known not to exist.
    Absent,
    /// Nobody asked yet.
    Unknown,
}

/// The values that a template reads. Closures over `&FactKey` are lookups.
pub trait Lookup {
    /// What stands for a value; a reference or an index is best.
    type Value;

    /// Returns what is known of `key`. Within one render, a known answer stays the same.
    fn get(&self, key: &FactKey) -> Looked<Self::Value>;
}

impl<V, F> Lookup for F
where
    F: Fn(&FactKey) -> Looked<V>,
{
    type Value = V;

    fn get(&self, key: &FactKey) -> Looked<V> {
        self(key)
    }
}

/// The receiver of a render, in the order of the output.
pub trait Sink<V> {
    /// Takes bytes of the template; `range` is never empty.
    fn literal(&mut self, range: Range<usize>);

    /// Takes the value that stands in place of the tag at `tag`. Absent keys are not mentioned.
    fn value(&mut self, tag: Range<usize>, key: &FactKey, value: V);
}

/// How far a render has come. The default is the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    op: usize,
}

/// Why a render stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'t> {
    /// This key must be known before the render can go on.
    Need(&'t FactKey),
    /// Everything was emitted.
    Done,
}

impl Template {
    /// Renders from `at` on, until the end or until a key is unknown.
    ///
    /// Asks only for keys that the output depends on: not for those of a branch that is not taken. After
    /// [`Progress::Need`], a call with the same cursor goes on at the same tag, and nothing is emitted twice.
    ///
    /// # Example
    /// ```
    /// use preface_core::{fact::FactKey, template::{Cursor, Looked, Options, Progress, Sink, Template}};
    /// use std::ops::Range;
    ///
    /// struct Text<'t>(&'t str, String);
    /// impl<'v> Sink<&'v str> for Text<'_> {
    ///     fn literal(&mut self, range: Range<usize>) {
    ///         self.1 += &self.0[range];
    ///     }
    ///     fn value(&mut self, _tag: Range<usize>, _key: &FactKey, value: &'v str) {
    ///         self.1 += value;
    ///     }
    /// }
    ///
    /// let template = Template::parse("On [git:branch]!", &Options::default()).unwrap();
    /// let (mut at, mut text) = (Cursor::default(), Text(template.text(), String::new()));
    /// let unknown = |_: &FactKey| Looked::Unknown;
    /// let Progress::Need(key) = template.resume(&mut at, &unknown, &mut text) else { panic!() };
    /// assert_eq!((key.as_str(), text.1.as_str()), ("git:branch", "On "));
    /// let known = |_: &FactKey| Looked::Value("main");
    /// assert_eq!(template.resume(&mut at, &known, &mut text), Progress::Done);
    /// assert_eq!(text.1, "On main!");
    /// ```
    pub fn resume<L: Lookup>(
        &self,
        at: &mut Cursor,
        scope: &L,
        sink: &mut impl Sink<L::Value>,
    ) -> Progress<'_> {
        while let Some(op) = self.ops.get(at.op) {
            let mut next = at.op + 1;
            match op {
                Op::Literal(range) => sink.literal(range.clone()),
                Op::Value { tag, key } => match scope.get(&self.keys[*key]) {
                    Looked::Value(value) => sink.value(tag.clone(), &self.keys[*key], value),
                    Looked::Absent => {}
                    Looked::Unknown => return Progress::Need(&self.keys[*key]),
                },
                Op::Test { key, negated, otherwise } => {
                    let exists = match scope.get(&self.keys[*key]) {
                        Looked::Value(_) => true,
                        Looked::Absent => false,
                        Looked::Unknown => return Progress::Need(&self.keys[*key]),
                    };
                    if exists == *negated {
                        next = *otherwise;
                    }
                }
                Op::Jump(to) => next = *to,
            }
            at.op = next;
        }
        Progress::Done
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
    let lookup = |key: &FactKey| match values.get(key) {
        Some(Some(value)) => Looked::Value(value.as_str()),
        _ => Looked::Absent,
    };
    let mut text = Text { template: template.text(), text: String::with_capacity(template.text().len()) };
    // Nothing is unknown to this lookup, so one call reaches the end.
    template.resume(&mut Cursor::default(), &lookup, &mut text);
    Ok(text.text)
}

/// A sink that keeps only the text.
struct Text<'t> {
    template: &'t str,
    text: String,
}

impl<'v> Sink<&'v str> for Text<'_> {
    fn literal(&mut self, range: Range<usize>) {
        self.text.push_str(&self.template[range]);
    }

    fn value(&mut self, _tag: Range<usize>, _key: &FactKey, value: &'v str) {
        self.text.push_str(value);
    }
}
