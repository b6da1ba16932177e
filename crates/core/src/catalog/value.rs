//! Values of expressions, with the source of each run of text.

use super::{
    binding::Binding,
    expression::{Expression, Statement},
};
use crate::variable::VariableKey;
use std::{borrow::Cow, rc::Rc, sync::Arc};

/// The source of a run of text.
#[derive(Clone, Debug, PartialEq)]
pub enum FragmentSource<'a> {
    /// The expression itself.
    Written,
    /// The binding of this name.
    Bound(&'a str),
    /// A variable.
    Variable(&'a VariableKey, Arc<str>),
}

/// A run of text with one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragment<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The source.
    pub source: FragmentSource<'a>,
}

/// A text in runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rope<'a>(pub Vec<Fragment<'a>>);

impl<'a> Rope<'a> {
    pub(super) fn of(text: impl Into<Cow<'a, str>>, source: FragmentSource<'a>) -> Self {
        Rope(vec![Fragment { text: text.into(), source }])
    }

    pub(super) fn written(text: impl Into<Cow<'a, str>>) -> Self {
        Rope::of(text, FragmentSource::Written)
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
        let rank = |source: &FragmentSource<'_>| match source {
            FragmentSource::Written => 0,
            FragmentSource::Bound(_) => 1,
            FragmentSource::Variable(..) => 2,
        };
        let source = self.0.iter().map(|fragment| &fragment.source).max_by_key(|source| rank(source));
        Rope::of(text, source.cloned().unwrap_or(FragmentSource::Written))
    }
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum ExpressionValue<'a> {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(Rope<'a>),
    List(Rc<Vec<ExpressionValue<'a>>>),
    Object(Rc<Vec<(Cow<'a, str>, ExpressionValue<'a>)>>),
    /// A bound object or function, not evaluated yet.
    Bound(&'a str, &'a Binding),
    /// A function in the expression, with the parameters in scope.
    Function(&'a [Vec<String>], &'a [Statement], Rc<Vec<(&'a str, ExpressionValue<'a>)>>),
    /// A global function or object.
    Global(&'a str),
    /// A method of a value.
    Method(Box<ExpressionValue<'a>>, &'a str),
}

impl<'a> ExpressionValue<'a> {
    pub(super) fn is_truthy(&self) -> bool {
        match self {
            ExpressionValue::Undefined | ExpressionValue::Null => false,
            ExpressionValue::Bool(truth) => *truth,
            ExpressionValue::Number(number) => *number != 0.0 && !number.is_nan(),
            ExpressionValue::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// Returns the name of the type, as `typeof` does.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            ExpressionValue::Undefined => "undefined",
            ExpressionValue::Null | ExpressionValue::List(_) | ExpressionValue::Object(_) => "object",
            ExpressionValue::Bool(_) => "boolean",
            ExpressionValue::Number(_) => "number",
            ExpressionValue::Text(_) => "string",
            ExpressionValue::Bound(_, binding) => match binding {
                Binding::Call(_) | Binding::Cases(_) | Binding::Same | Binding::Json => "function",
                _ => "object",
            },
            ExpressionValue::Function(..) | ExpressionValue::Global(_) | ExpressionValue::Method(..) => {
                "function"
            }
        }
    }

    /// `===`.
    pub(super) fn is_same(&self, other: &ExpressionValue<'a>) -> bool {
        match (self, other) {
            (ExpressionValue::Undefined, ExpressionValue::Undefined)
            | (ExpressionValue::Null, ExpressionValue::Null) => true,
            (ExpressionValue::Bool(a), ExpressionValue::Bool(b)) => a == b,
            (ExpressionValue::Number(a), ExpressionValue::Number(b)) => a == b,
            (ExpressionValue::Text(a), ExpressionValue::Text(b)) => a.flat() == b.flat(),
            (ExpressionValue::List(a), ExpressionValue::List(b)) => Rc::ptr_eq(a, b),
            (ExpressionValue::Object(a), ExpressionValue::Object(b)) => Rc::ptr_eq(a, b),
            (ExpressionValue::Bound(a, _), ExpressionValue::Bound(b, _)) => a == b,
            _ => false,
        }
    }

    /// Compares with `==`: `null` equals `undefined`, and a number is compared with a text as numbers.
    pub(super) fn is_equal(&self, other: &ExpressionValue<'a>) -> bool {
        let missing =
            |value: &ExpressionValue<'_>| matches!(value, ExpressionValue::Undefined | ExpressionValue::Null);
        match (self, other) {
            (ExpressionValue::Number(_), ExpressionValue::Text(_))
            | (ExpressionValue::Text(_), ExpressionValue::Number(_)) => self.number() == other.number(),
            _ => (missing(self) && missing(other)) || self.is_same(other),
        }
    }

    /// Converts to a number; NaN if that is not possible.
    pub(super) fn number(&self) -> f64 {
        match self {
            ExpressionValue::Null | ExpressionValue::Bool(false) => 0.0,
            ExpressionValue::Bool(true) => 1.0,
            ExpressionValue::Number(number) => *number,
            ExpressionValue::Text(text) => {
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
