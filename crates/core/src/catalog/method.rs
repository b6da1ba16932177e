//! The methods of texts, lists and numbers, and the functions that every expression can use.

use super::{
    binding::Binding,
    evaluate::{Machine, Stop, fault},
    value::{Rope, Value},
};
use std::{borrow::Cow, rc::Rc};

/// Calls a method of a value.
pub(super) fn method<'a>(
    machine: &Machine<'a, '_>,
    of: &Value<'a>,
    name: &str,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    match of {
        Value::Text(rope) => of_text(machine, rope, name, arguments),
        Value::List(items) => of_list(machine, items, name, arguments),
        Value::Bound(bound, Binding::Tools) => match name {
            "has" | "includes" => {
                let asked = match arguments.first() {
                    Some(Value::Text(text)) => text.flat().into_owned(),
                    _ => return Ok(Value::Bool(false)),
                };
                Ok(Value::Bool(machine.has_tool(&asked)))
            }
            _ => of_list(machine, &machine.tools(bound)?, name, arguments),
        },
        Value::Global(global) => global_method(machine, global, name, arguments),
        Value::Number(number) if name == "toFixed" => {
            let digits = arguments.first().map_or(0.0, Value::number).clamp(0.0, 20.0);
            Ok(Value::Text(Rope::written(format!("{number:.*}", digits as usize))))
        }
        Value::Number(_) | Value::Bool(_) if name == "toString" => machine.text(of.clone()).map(Value::Text),
        _ => fault(format!("a {} has no `{name}` here", of.kind())),
    }
}

fn of_text<'a>(
    machine: &Machine<'a, '_>,
    rope: &Rope<'a>,
    name: &str,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    machine.steps(rope.0.len() + rope.len() / 256)?;
    let flat = rope.flat();
    let argument = |at: usize| -> Result<Cow<'_, str>, Stop> {
        match arguments.get(at) {
            Some(Value::Text(text)) => Ok(text.flat()),
            _ => fault(format!("`{name}` wants a text")),
        }
    };
    let made = |text: String| Ok(Value::Text(rope.made(text)));
    match name {
        "toString" => Ok(Value::Text(rope.clone())),
        "trim" => made(flat.trim().to_owned()),
        "trimStart" => made(flat.trim_start().to_owned()),
        "trimEnd" => made(flat.trim_end().to_owned()),
        "toLowerCase" => made(flat.to_lowercase()),
        "toUpperCase" => made(flat.to_uppercase()),
        "includes" => Ok(Value::Bool(flat.contains(argument(0)?.as_ref()))),
        "startsWith" => Ok(Value::Bool(flat.starts_with(argument(0)?.as_ref()))),
        "endsWith" => Ok(Value::Bool(flat.ends_with(argument(0)?.as_ref()))),
        "split" => {
            let by = argument(0)?;
            let most = if by.is_empty() { flat.len() } else { flat.matches(by.as_ref()).count() + 1 };
            machine.steps(most)?;
            let parts: Vec<Value<'a>> = match by.is_empty() {
                true => flat.chars().map(|c| Value::Text(rope.made(c.to_string()))).collect(),
                false => {
                    flat.split(by.as_ref()).map(|part| Value::Text(rope.made(part.to_owned()))).collect()
                }
            };
            Ok(Value::List(Rc::new(parts)))
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
            let times = arguments.first().map_or(0.0, Value::number);
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
    machine: &Machine<'a, '_>,
    items: &[Value<'a>],
    name: &str,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    machine.steps(items.len())?;
    let function = || arguments.first().cloned().unwrap_or(Value::Undefined);
    let called = |function: &Value<'a>, at: usize| {
        machine.call(function, vec![items[at].clone(), Value::Number(at as f64)])
    };
    let list = |items: Vec<Value<'a>>| Ok(Value::List(Rc::new(items)));
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
                "find" => Ok(kept.into_iter().next().unwrap_or(Value::Undefined)),
                "some" => Ok(Value::Bool(!kept.is_empty())),
                _ => Ok(Value::Bool(kept.len() == items.len())),
            }
        }
        "join" => {
            let comma = Rope::written(",");
            let between = match arguments.first() {
                Some(Value::Text(between)) => between,
                None | Some(Value::Undefined) => &comma,
                Some(_) => return fault("`join` wants a text"),
            };
            joined(machine, items, between).map(Value::Text)
        }
        "includes" | "has" => {
            let wanted = function();
            Ok(Value::Bool(items.iter().any(|item| item.is_same(&wanted))))
        }
        "slice" => list(items[bounds(items.len(), arguments)].to_vec()),
        "concat" => {
            let mut all = items.to_vec();
            for argument in arguments {
                match argument {
                    Value::List(more) => {
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
                    Value::List(more) => {
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
    machine: &Machine<'a, '_>,
    items: &[Value<'a>],
    between: &Rope<'a>,
) -> Result<Rope<'a>, Stop> {
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
fn bounds(len: usize, arguments: &[Value<'_>]) -> std::ops::Range<usize> {
    let place = |at: usize, otherwise: usize| match arguments.get(at) {
        None | Some(Value::Undefined) => otherwise,
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
    machine: &Machine<'a, '_>,
    name: &str,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    let first = arguments.first().cloned().unwrap_or(Value::Undefined);
    match name {
        "Boolean" => Ok(Value::Bool(first.is_truthy())),
        "Number" => Ok(Value::Number(first.number())),
        "String" => machine.text(first).map(Value::Text),
        _ => fault(format!("`{name}` cannot be called")),
    }
}

fn global_method<'a>(
    machine: &Machine<'a, '_>,
    global: &str,
    name: &str,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Stop> {
    match (global, name) {
        ("JSON", "stringify") => json(machine, arguments),
        ("Array", "isArray") => Ok(Value::Bool(matches!(arguments.first(), Some(Value::List(_))))),
        ("Object", "entries" | "keys" | "values") => {
            let members = members(machine, arguments.first().unwrap_or(&Value::Undefined))?;
            let named = |name: Cow<'a, str>| Value::Text(Rope::written(name));
            let items = members.into_iter().map(|(member, value)| match name {
                "keys" => named(member),
                "values" => value,
                _ => Value::List(Rc::new(vec![named(member), value])),
            });
            Ok(Value::List(Rc::new(items.collect())))
        }
        _ => fault(format!("`{global}.{name}` is not known here")),
    }
}

/// Returns the members of an object, in order.
fn members<'a>(
    machine: &Machine<'a, '_>,
    object: &Value<'a>,
) -> Result<Vec<(Cow<'a, str>, Value<'a>)>, Stop> {
    match object {
        Value::Object(members) => Ok(members.as_ref().clone()),
        Value::Bound(bound, Binding::Object(members)) => members
            .iter()
            .map(|(name, member)| Ok((Cow::Borrowed(name.as_str()), machine.bound(bound, member)?)))
            .collect(),
        _ => fault("it is no object with members"),
    }
}

/// Writes a value as JSON, with the indentation of the third argument.
pub(super) fn json<'a>(machine: &Machine<'a, '_>, arguments: &[Value<'a>]) -> Result<Value<'a>, Stop> {
    let first = arguments.first().cloned().unwrap_or(Value::Undefined);
    let tree = tree(machine, &first)?;
    let indented = arguments.get(2).is_some_and(|indent| indent.is_truthy());
    let text = match indented {
        true => serde_json::to_string_pretty(&tree),
        false => serde_json::to_string(&tree),
    };
    let text = text.map_err(|error| Stop::Fault(error.to_string()))?;
    machine.room(text.len())?;
    // The JSON of a value has the origins of the value's parts.
    let mut said = Rope::default();
    texts(machine, &first, &mut said)?;
    Ok(Value::Text(said.made(text)))
}

/// Collects the texts in a value, for their origins.
fn texts<'a>(machine: &Machine<'a, '_>, value: &Value<'a>, into: &mut Rope<'a>) -> Result<(), Stop> {
    machine.step()?;
    match value {
        Value::Text(rope) => into.push(rope.clone()),
        Value::List(items) => items.iter().try_for_each(|item| texts(machine, item, into))?,
        Value::Object(_) | Value::Bound(_, Binding::Object(_)) => {
            members(machine, value)?.iter().try_for_each(|(_, member)| texts(machine, member, into))?;
        }
        _ => {}
    }
    Ok(())
}

fn tree<'a>(machine: &Machine<'a, '_>, value: &Value<'a>) -> Result<serde_json::Value, Stop> {
    use serde_json::Value as Json;
    machine.step()?;
    Ok(match value {
        Value::Undefined | Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => Json::from(*number as i64),
        Value::Number(number) => Json::from(*number),
        Value::Text(text) => Json::String(text.flat().into_owned()),
        Value::List(items) => {
            Json::Array(items.iter().map(|item| tree(machine, item)).collect::<Result<_, _>>()?)
        }
        Value::Object(_) | Value::Bound(_, Binding::Object(_)) => {
            let members = members(machine, value)?;
            Json::Object(
                members
                    .into_iter()
                    .map(|(name, value)| Ok((name.into_owned(), tree(machine, &value)?)))
                    .collect::<Result<_, Stop>>()?,
            )
        }
        Value::Bound(bound, Binding::Tools) => Json::Array(
            machine.tools(bound)?.iter().map(|tool| tree(machine, tool)).collect::<Result<_, _>>()?,
        ),
        _ => return fault("a function has no JSON"),
    })
}
