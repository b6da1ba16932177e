//! Values of expressions, with the source of each run of text.

use super::{
    binding::Binding,
    expression::{Expression, Statement},
};
use crate::fact::FactKey;
use std::{borrow::Cow, rc::Rc, sync::Arc};

/// The source of a run of text.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// The expression itself.
    Written,
    /// The binding of this name.
    Bound(&'a str),
    /// A variable.
    Fact(&'a FactKey, Arc<str>),
}

/// A run of text with one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragment<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The source.
    pub said: Said<'a>,
}

/// A text in runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rope<'a>(pub Vec<Fragment<'a>>);

impl<'a> Rope<'a> {
    pub(super) fn of(text: impl Into<Cow<'a, str>>, said: Said<'a>) -> Self {
        Rope(vec![Fragment { text: text.into(), said }])
    }

    pub(super) fn written(text: impl Into<Cow<'a, str>>) -> Self {
        Rope::of(text, Said::Written)
    }

    pub(super) fn push(&mut self, other: Rope<'a>) {
        self.0.extend(other.0);
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|fragment| fragment.text.len()).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|fragment| fragment.text.is_empty())
    }

    /// Returns the whole text.
    pub(super) fn flat(&self) -> Cow<'_, str> {
        match self.0.as_slice() {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(&one.text),
            many => Cow::Owned(many.iter().map(|fragment| fragment.text.as_ref()).collect()),
        }
    }

    /// Returns a text that was computed from this one. Its source is the strongest one here: a variable, then
    /// a binding, then the expression.
    pub(super) fn made(&self, text: String) -> Rope<'a> {
        let rank = |said: &Said<'_>| match said {
            Said::Written => 0,
            Said::Bound(_) => 1,
            Said::Fact(..) => 2,
        };
        let said = self.0.iter().map(|fragment| &fragment.said).max_by_key(|said| rank(said));
        Rope::of(text, said.cloned().unwrap_or(Said::Written))
    }
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(Rope<'a>),
    List(Rc<Vec<Value<'a>>>),
    Object(Rc<Vec<(Cow<'a, str>, Value<'a>)>>),
    /// A bound object or function, not evaluated yet.
    Bound(&'a str, &'a Binding),
    /// A function in the expression, with the parameters in scope.
    Function(&'a [Vec<String>], &'a [Statement], Rc<Vec<(&'a str, Value<'a>)>>),
    /// A global function or object.
    Global(&'a str),
    /// A method of a value.
    Method(Box<Value<'a>>, &'a str),
}

impl<'a> Value<'a> {
    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Value::Undefined | Value::Null => false,
            Value::Bool(truth) => *truth,
            Value::Number(number) => *number != 0.0 && !number.is_nan(),
            Value::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// Returns the name of the type, as `typeof` does.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Undefined => "undefined",
            Value::Null | Value::List(_) | Value::Object(_) => "object",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::Bound(_, binding) => match binding {
                Binding::Call(_) | Binding::Cases(_) | Binding::Same | Binding::Json => "function",
                _ => "object",
            },
            Value::Function(..) | Value::Global(_) | Value::Method(..) => "function",
        }
    }

    /// `===`.
    pub(super) fn is_same(&self, other: &Value<'a>) -> bool {
        match (self, other) {
            (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a.flat() == b.flat(),
            (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
            (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
            (Value::Bound(a, _), Value::Bound(b, _)) => a == b,
            _ => false,
        }
    }

    /// Compares with `==`: `null` equals `undefined`, and a number is compared with a text as numbers.
    pub(super) fn is_equal(&self, other: &Value<'a>) -> bool {
        let missing = |value: &Value<'_>| matches!(value, Value::Undefined | Value::Null);
        match (self, other) {
            (Value::Number(_), Value::Text(_)) | (Value::Text(_), Value::Number(_)) => {
                self.number() == other.number()
            }
            _ => (missing(self) && missing(other)) || self.is_same(other),
        }
    }

    /// Converts to a number; NaN if that is not possible.
    pub(super) fn number(&self) -> f64 {
        match self {
            Value::Null | Value::Bool(false) => 0.0,
            Value::Bool(true) => 1.0,
            Value::Number(number) => *number,
            Value::Text(text) => {
                let text = text.flat();
                let text = text.trim();
                if text.is_empty() { 0.0 } else { text.parse().unwrap_or(f64::NAN) }
            }
            _ => f64::NAN,
        }
    }
}

/// Formats a number as JavaScript does, as far as prompts need it.
pub(super) fn shown(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let size = number.abs();
    match (1e-6..1e21).contains(&size) {
        true => format!("{number}"),
        false => {
            let text = format!("{number:e}");
            match text.split_once('e') {
                Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
                _ => text,
            }
        }
    }
}

/// Returns the source of an expression in short form, for error messages.
pub(super) fn named(expression: &Expression) -> String {
    match expression {
        Expression::Name(name) => name.clone(),
        Expression::Member { of, name, .. } => format!("{}.{name}", named(of)),
        Expression::Index { of, .. } => format!("{}[…]", named(of)),
        Expression::Call { function, .. } => format!("{}()", named(function)),
        Expression::Text(text) => format!("{text:?}"),
        _ => "it".to_owned(),
    }
}
