//! The methods of texts, lists and numbers, and the functions that every expression can use.

use super::{
    binding::Binding,
    evaluate::{EvaluationError, Evaluator, fault},
    value::{ExpressionValue, Rope},
};
use std::{borrow::Cow, rc::Rc};

/// Calls a method of a value.
pub(super) fn method<'a>(
    machine: &Evaluator<'a, '_>,
    of: &ExpressionValue<'a>,
    name: &str,
    arguments: &[ExpressionValue<'a>],
) -> Result<ExpressionValue<'a>, EvaluationError> {
    match of {
        ExpressionValue::Text(rope) => of_text(machine, rope, name, arguments),
        ExpressionValue::List(items) => of_list(machine, items, name, arguments),
        ExpressionValue::Bound(bound, Binding::Tools) => match name {
            "has" | "includes" => {
                let name_of_tool = match arguments.first() {
                    Some(ExpressionValue::Text(text)) => text.flat().into_owned(),
                    _ => return Ok(ExpressionValue::Bool(false)),
                };
                Ok(ExpressionValue::Bool(machine.has_tool(&name_of_tool)))
            }
            _ => of_list(machine, &machine.tools(bound)?, name, arguments),
        },
        ExpressionValue::Global(global) => global_method(machine, global, name, arguments),
        ExpressionValue::Number(number) if name == "toFixed" => {
            let digits = arguments.first().map_or(0.0, ExpressionValue::number).clamp(0.0, 20.0);
            Ok(ExpressionValue::Text(Rope::written(format!("{number:.*}", digits as usize))))
        }
        ExpressionValue::Number(_) | ExpressionValue::Bool(_) if name == "toString" => {
            machine.text(of.clone()).map(ExpressionValue::Text)
        }
        _ => fault(format!("a {} has no `{name}` here", of.kind())),
    }
}

fn of_text<'a>(
    machine: &Evaluator<'a, '_>,
    rope: &Rope<'a>,
    name: &str,
    arguments: &[ExpressionValue<'a>],
) -> Result<ExpressionValue<'a>, EvaluationError> {
    machine.steps(rope.0.len() + rope.len() / 256)?;
    let flat = rope.flat();
    let argument = |at: usize| -> Result<Cow<'_, str>, EvaluationError> {
        match arguments.get(at) {
            Some(ExpressionValue::Text(text)) => Ok(text.flat()),
            _ => fault(format!("`{name}` wants a text")),
        }
    };
    let made = |text: String| Ok(ExpressionValue::Text(rope.made(text)));
    match name {
        "toString" => Ok(ExpressionValue::Text(rope.clone())),
        "trim" => made(flat.trim().to_owned()),
        "trimStart" => made(flat.trim_start().to_owned()),
        "trimEnd" => made(flat.trim_end().to_owned()),
        "toLowerCase" => made(flat.to_lowercase()),
        "toUpperCase" => made(flat.to_uppercase()),
        "includes" => Ok(ExpressionValue::Bool(flat.contains(argument(0)?.as_ref()))),
        "startsWith" => Ok(ExpressionValue::Bool(flat.starts_with(argument(0)?.as_ref()))),
        "endsWith" => Ok(ExpressionValue::Bool(flat.ends_with(argument(0)?.as_ref()))),
        "split" => {
            let by = argument(0)?;
            let most = if by.is_empty() { flat.len() } else { flat.matches(by.as_ref()).count() + 1 };
            machine.steps(most)?;
            let parts: Vec<ExpressionValue<'a>> = match by.is_empty() {
                true => flat.chars().map(|c| ExpressionValue::Text(rope.made(c.to_string()))).collect(),
                false => flat
                    .split(by.as_ref())
                    .map(|part| ExpressionValue::Text(rope.made(part.to_owned())))
                    .collect(),
            };
            Ok(ExpressionValue::List(Rc::new(parts)))
        }
        "replace" | "replaceAll" => {
            let (from, to) = (argument(0)?, argument(1)?);
            let found = if name == "replace" { 1 } else { flat.matches(from.as_ref()).count() };
            machine.room(flat.len().saturating_add(found.saturating_mul(to.len())))?;
            made(match name {
                "replace" => flat.replacen(from.as_ref(), &to, 1),
                _ => flat.replace(from.as_ref(), &to),
            })
        }
        "repeat" => {
            let times = arguments.first().map_or(0.0, ExpressionValue::number);
            if !(0.0..=1e6).contains(&times) {
                return fault("`repeat` wants a number of times");
            }
            machine.room(flat.len().saturating_mul(times as usize))?;
            made(flat.repeat(times as usize))
        }
        "slice" | "substring" => {
            let units: Vec<char> = flat.chars().collect();
            let range = bounds(units.len(), arguments);
            made(units[range].iter().collect())
        }
        _ => {
            machine.step()?;
            fault(format!("a text has no `{name}` here"))
        }
    }
}

fn of_list<'a>(
    machine: &Evaluator<'a, '_>,
    items: &[ExpressionValue<'a>],
    name: &str,
    arguments: &[ExpressionValue<'a>],
) -> Result<ExpressionValue<'a>, EvaluationError> {
    machine.steps(items.len())?;
    let function = || arguments.first().cloned().unwrap_or(ExpressionValue::Undefined);
    let called = |function: &ExpressionValue<'a>, at: usize| {
        machine.call(function, vec![items[at].clone(), ExpressionValue::Number(at as f64)])
    };
    let list = |items: Vec<ExpressionValue<'a>>| Ok(ExpressionValue::List(Rc::new(items)));
    match name {
        "map" => {
            let function = function();
            list((0..items.len()).map(|at| called(&function, at)).collect::<Result<_, _>>()?)
        }
        "filter" | "find" | "some" | "every" => {
            let function = function();
            let mut kept = Vec::new();
            for (at, item) in items.iter().enumerate() {
                if called(&function, at)?.is_truthy() {
                    kept.push(item.clone());
                }
            }
            match name {
                "filter" => list(kept),
                "find" => Ok(kept.into_iter().next().unwrap_or(ExpressionValue::Undefined)),
                "some" => Ok(ExpressionValue::Bool(!kept.is_empty())),
                _ => Ok(ExpressionValue::Bool(kept.len() == items.len())),
            }
        }
        "join" => {
            let comma = Rope::written(",");
            let between = match arguments.first() {
                Some(ExpressionValue::Text(between)) => between,
                None | Some(ExpressionValue::Undefined) => &comma,
                Some(_) => return fault("`join` wants a text"),
            };
            joined(machine, items, between).map(ExpressionValue::Text)
        }
        "includes" | "has" => {
            let wanted = function();
            Ok(ExpressionValue::Bool(items.iter().any(|item| item.is_same(&wanted))))
        }
        "slice" => list(items[bounds(items.len(), arguments)].to_vec()),
        "concat" => {
            let mut all = items.to_vec();
            for argument in arguments {
                match argument {
                    ExpressionValue::List(more) => {
                        machine.steps(more.len())?;
                        all.extend(more.iter().cloned());
                    }
                    one => all.push(one.clone()),
                }
            }
            list(all)
        }
        "flat" => {
            let mut all = Vec::new();
            for item in items {
                match item {
                    ExpressionValue::List(more) => {
                        machine.steps(more.len())?;
                        all.extend(more.iter().cloned());
                    }
                    one => all.push(one.clone()),
                }
            }
            list(all)
        }
        _ => fault(format!("a list has no `{name}` here")),
    }
}

/// Returns the texts of items, joined by a separator.
pub(super) fn joined<'a>(
    machine: &Evaluator<'a, '_>,
    items: &[ExpressionValue<'a>],
    between: &Rope<'a>,
) -> Result<Rope<'a>, EvaluationError> {
    let mut rope = Rope::default();
    for (at, item) in items.iter().enumerate() {
        machine.step()?;
        if at > 0 {
            rope.push(between.clone());
        }
        rope.push(machine.text(item.clone())?);
        machine.room(rope.len())?;
    }
    Ok(rope)
}

/// Returns the range of a slice; a negative `start` or `end` is relative to the end.
fn bounds(len: usize, arguments: &[ExpressionValue<'_>]) -> std::ops::Range<usize> {
    let place = |at: usize, otherwise: usize| match arguments.get(at) {
        None | Some(ExpressionValue::Undefined) => otherwise,
        Some(value) => match value.number() {
            number if number.is_nan() => 0,
            number if number < 0.0 => (len as f64 + number).max(0.0) as usize,
            number => (number as usize).min(len),
        },
    };
    let (start, end) = (place(0, 0), place(1, len));
    start..end.max(start)
}

/// Calls a function that every expression knows.
pub(super) fn global<'a>(
    machine: &Evaluator<'a, '_>,
    name: &str,
    arguments: &[ExpressionValue<'a>],
) -> Result<ExpressionValue<'a>, EvaluationError> {
    let first = arguments.first().cloned().unwrap_or(ExpressionValue::Undefined);
    match name {
        "Boolean" => Ok(ExpressionValue::Bool(first.is_truthy())),
        "Number" => Ok(ExpressionValue::Number(first.number())),
        "String" => machine.text(first).map(ExpressionValue::Text),
        _ => fault(format!("`{name}` cannot be called")),
    }
}

fn global_method<'a>(
    machine: &Evaluator<'a, '_>,
    global: &str,
    name: &str,
    arguments: &[ExpressionValue<'a>],
) -> Result<ExpressionValue<'a>, EvaluationError> {
    match (global, name) {
        ("JSON", "stringify") => json(machine, arguments),
        ("Array", "isArray") => {
            Ok(ExpressionValue::Bool(matches!(arguments.first(), Some(ExpressionValue::List(_)))))
        }
        ("Object", "entries" | "keys" | "values") => {
            let members = members(machine, arguments.first().unwrap_or(&ExpressionValue::Undefined))?;
            let named = |name: Cow<'a, str>| ExpressionValue::Text(Rope::written(name));
            let items = members.into_iter().map(|(member, value)| match name {
                "keys" => named(member),
                "values" => value,
                _ => ExpressionValue::List(Rc::new(vec![named(member), value])),
            });
            Ok(ExpressionValue::List(Rc::new(items.collect())))
        }
        _ => fault(format!("`{global}.{name}` is not known here")),
    }
}

/// Returns the members of an object, in order.
fn members<'a>(
    machine: &Evaluator<'a, '_>,
    object: &ExpressionValue<'a>,
) -> Result<Vec<(Cow<'a, str>, ExpressionValue<'a>)>, EvaluationError> {
    match object {
        ExpressionValue::Object(members) => Ok(members.as_ref().clone()),
        ExpressionValue::Bound(bound, Binding::Object(members)) => members
            .iter()
            .map(|(name, member)| Ok((Cow::Borrowed(name.as_str()), machine.bound(bound, member)?)))
            .collect(),
        _ => fault("it is no object with members"),
    }
}

/// Writes a value as JSON, with the indentation of the third argument.
pub(super) fn json<'a>(
    machine: &Evaluator<'a, '_>,
    arguments: &[ExpressionValue<'a>],
) -> Result<ExpressionValue<'a>, EvaluationError> {
    let first = arguments.first().cloned().unwrap_or(ExpressionValue::Undefined);
    let tree = tree(machine, &first)?;
    let indented = arguments.get(2).is_some_and(|indent| indent.is_truthy());
    let text = match indented {
        true => serde_json::to_string_pretty(&tree),
        false => serde_json::to_string(&tree),
    };
    let text = text.map_err(|error| EvaluationError::Fault(error.to_string()))?;
    machine.room(text.len())?;
    // The JSON of a value has the origins of the value's parts.
    let mut parts = Rope::default();
    texts(machine, &first, &mut parts)?;
    Ok(ExpressionValue::Text(parts.made(text)))
}

/// Collects the texts in a value, for their origins.
fn texts<'a>(
    machine: &Evaluator<'a, '_>,
    value: &ExpressionValue<'a>,
    into: &mut Rope<'a>,
) -> Result<(), EvaluationError> {
    machine.step()?;
    match value {
        ExpressionValue::Text(rope) => into.push(rope.clone()),
        ExpressionValue::List(items) => items.iter().try_for_each(|item| texts(machine, item, into))?,
        ExpressionValue::Object(_) | ExpressionValue::Bound(_, Binding::Object(_)) => {
            members(machine, value)?.iter().try_for_each(|(_, member)| texts(machine, member, into))?;
        }
        _ => {}
    }
    Ok(())
}

fn tree<'a>(
    machine: &Evaluator<'a, '_>,
    value: &ExpressionValue<'a>,
) -> Result<serde_json::Value, EvaluationError> {
    use serde_json::Value as Json;
    machine.step()?;
    Ok(match value {
        ExpressionValue::Undefined | ExpressionValue::Null => Json::Null,
        ExpressionValue::Bool(truth) => Json::Bool(*truth),
        ExpressionValue::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Json::from(*number as i64)
        }
        ExpressionValue::Number(number) => Json::from(*number),
        ExpressionValue::Text(text) => Json::String(text.flat().into_owned()),
        ExpressionValue::List(items) => {
            Json::Array(items.iter().map(|item| tree(machine, item)).collect::<Result<_, _>>()?)
        }
        ExpressionValue::Object(_) | ExpressionValue::Bound(_, Binding::Object(_)) => {
            let members = members(machine, value)?;
            Json::Object(
                members
                    .into_iter()
                    .map(|(name, value)| Ok((name.into_owned(), tree(machine, &value)?)))
                    .collect::<Result<_, EvaluationError>>()?,
            )
        }
        ExpressionValue::Bound(bound, Binding::Tools) => Json::Array(
            machine.tools(bound)?.iter().map(|tool| tree(machine, tool)).collect::<Result<_, _>>()?,
        ),
        _ => return fault("a function has no JSON"),
    })
}
