//! Evaluates expressions to texts. Evaluation is total: depth, work and size are limited, and only bindings,
//! variables and the turn's tools can be read.

use super::{
    binding::{Binding, Bindings},
    expression::{Binary, Expression, GLOBALS, Statement, Unary},
    method,
    value::{ExpressionValue, Fragment, FragmentSource, Rope, named, shown},
};
use crate::{
    lint::character::floor_char_boundary, lint::forged::neutralise, turn::Tool, variable::VariableKey,
    variable_source::MissingVariable,
};
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

/// The deepest nesting of an expression.
pub const MOST_DEPTH: usize = 128;
/// The most steps that an expression may take.
pub const MOST_STEPS: u32 = 100_000;
/// The most bytes that an expression may result in.
pub const MOST_BYTES: usize = 1 << 20;

/// The most bytes of all intermediate texts together.
const MOST_BYTES_IN_ALL: usize = 8 << 20;
/// The number of bytes that one step processes.
const BYTES_A_STEP: usize = 256;
/// The longest name of a constant.
const LONGEST_CONSTANT: usize = 64;

/// The values that an expression can read, besides variables.
pub struct EvaluationScope<'a> {
    /// The values that replace names.
    pub bindings: &'a Bindings,
    /// The active tools.
    pub tools: &'a [Tool],
}

/// Looks up the value and the source of a variable; `None` if it does not exist.
pub type VariableLookup<'l> =
    dyn FnMut(&VariableKey) -> Result<Option<(String, Arc<str>)>, MissingVariable> + 'l;

/// The reason why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// An unknown variable.
    Missing(MissingVariable),
    /// An expression that cannot be evaluated, with the reason.
    Fault(String),
}

pub(super) fn fault<T>(why: impl Into<String>) -> Result<T, EvaluationError> {
    Err(EvaluationError::Fault(why.into()))
}

/// Evaluates an expression to a text.
///
/// # Errors
/// See [`EvaluationError`].
pub fn evaluate<'a>(
    expression: &'a Expression,
    sight: &'a EvaluationScope<'a>,
    look: &mut VariableLookup<'_>,
) -> Result<Vec<Fragment<'a>>, EvaluationError> {
    let machine = Evaluator::new(sight, look);
    let value = machine.value(expression)?;
    if let ExpressionValue::Undefined = value {
        return fault(format!("`{}` has no value", named(expression)));
    }
    machine.text(value).map(|rope| rope.0)
}

/// The parameters in scope, the innermost last.
type ParameterFrames<'a> = Vec<(&'a str, ExpressionValue<'a>)>;

pub(super) struct Evaluator<'a, 'l> {
    sight: &'a EvaluationScope<'a>,
    look: RefCell<&'l mut VariableLookup<'l>>,
    frames: RefCell<ParameterFrames<'a>>,
    steps: Cell<u32>,
    /// The bytes of all intermediate texts.
    bytes: Cell<usize>,
    depth: Cell<usize>,
}

impl<'a, 'l> Evaluator<'a, 'l> {
    fn new(sight: &'a EvaluationScope<'a>, look: &'l mut VariableLookup<'l>) -> Self {
        Evaluator {
            sight,
            look: RefCell::new(look),
            frames: RefCell::default(),
            steps: Cell::new(0),
            bytes: Cell::new(0),
            depth: Cell::new(0),
        }
    }

    pub(super) fn step(&self) -> Result<(), EvaluationError> {
        self.steps.set(self.steps.get() + 1);
        match self.steps.get() > MOST_STEPS {
            true => fault(format!("it takes more than {MOST_STEPS} steps")),
            false => Ok(()),
        }
    }

    /// Adds several steps at once: one for each item of a list or run of a text.
    pub(super) fn steps(&self, many: usize) -> Result<(), EvaluationError> {
        self.steps.set(self.steps.get().saturating_add(u32::try_from(many).unwrap_or(u32::MAX)));
        self.step()
    }

    /// Fails if a text, or all intermediate texts together, are too large.
    pub(super) fn room(&self, bytes: usize) -> Result<(), EvaluationError> {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        match bytes > MOST_BYTES || self.bytes.get() > MOST_BYTES_IN_ALL {
            true => fault(format!("it comes to more than {MOST_BYTES} bytes, or to many such texts")),
            false => Ok(()),
        }
    }

    /// Adds the cost of copying a value.
    fn handed(&self, value: &ExpressionValue<'a>) -> Result<(), EvaluationError> {
        match value {
            ExpressionValue::Text(rope) => self.steps(rope.0.len() + rope.len() / BYTES_A_STEP),
            _ => Ok(()),
        }
    }

    pub(super) fn value(&self, expression: &'a Expression) -> Result<ExpressionValue<'a>, EvaluationError> {
        self.step()?;
        let depth = self.depth.get();
        if depth == MOST_DEPTH {
            return fault(format!("it is nested deeper than {MOST_DEPTH}"));
        }
        self.depth.set(depth + 1);
        let value = self.worked_out(expression);
        self.depth.set(depth);
        value
    }

    fn worked_out(&self, expression: &'a Expression) -> Result<ExpressionValue<'a>, EvaluationError> {
        Ok(match expression {
            Expression::Text(text) => ExpressionValue::Text(self.constants(text)?),
            Expression::Number(number) => ExpressionValue::Number(number.0),
            Expression::Bool(truth) => ExpressionValue::Bool(*truth),
            Expression::Null => ExpressionValue::Null,
            Expression::Undefined => ExpressionValue::Undefined,
            Expression::Name(name) => self.name(name)?,
            Expression::Template(parts) => {
                let mut rope = Rope::default();
                for part in parts {
                    let value = self.value(part)?;
                    if let ExpressionValue::Undefined = value {
                        return fault(format!("`{}` has no value", named(part)));
                    }
                    rope.push(self.text(value)?);
                    self.room(rope.len())?;
                }
                ExpressionValue::Text(rope)
            }
            Expression::Member { of, name, optional } => {
                let object = self.value(of)?;
                match object {
                    ExpressionValue::Undefined | ExpressionValue::Null if *optional => {
                        ExpressionValue::Undefined
                    }
                    ExpressionValue::Undefined | ExpressionValue::Null => {
                        return fault(format!("`{}` has no value, and so no `{name}`", named(of)));
                    }
                    object => self.member(object, name)?,
                }
            }
            Expression::Index { of, index } => {
                let object = self.value(of)?;
                let index = self.value(index)?;
                self.indexed(&object, &index)?
            }
            Expression::Call { function, arguments } => {
                let called = self.value(function)?;
                let arguments =
                    arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
                match called {
                    ExpressionValue::Undefined | ExpressionValue::Null => {
                        return fault(format!("`{}` is no function", named(function)));
                    }
                    called => self.call(&called, arguments)?,
                }
            }
            Expression::Unary { operator, value } => {
                let value = self.value(value)?;
                match operator {
                    Unary::Not => ExpressionValue::Bool(!value.is_truthy()),
                    Unary::Minus => ExpressionValue::Number(-value.number()),
                    Unary::Typeof => ExpressionValue::Text(Rope::written(value.kind())),
                }
            }
            Expression::Binary { operator, left, right } => self.binary(*operator, left, right)?,
            Expression::Choose { test, then, other } => match self.value(test)?.is_truthy() {
                true => self.value(then)?,
                false => self.value(other)?,
            },
            Expression::List(items) => {
                let items = items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, _>>()?;
                ExpressionValue::List(Rc::new(items))
            }
            Expression::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| Ok((Cow::Borrowed(name.as_str()), self.value(value)?)))
                    .collect::<Result<Vec<_>, EvaluationError>>()?;
                ExpressionValue::Object(Rc::new(members))
            }
            Expression::Function { parameters, body } => {
                ExpressionValue::Function(parameters, body, Rc::new(self.frames.borrow().clone()))
            }
        })
    }

    fn binary(
        &self,
        operator: Binary,
        left: &'a Expression,
        right: &'a Expression,
    ) -> Result<ExpressionValue<'a>, EvaluationError> {
        let first = self.value(left)?;
        let decided = match operator {
            Binary::And => !first.is_truthy(),
            Binary::Or => first.is_truthy(),
            Binary::Coalesce => !matches!(first, ExpressionValue::Undefined | ExpressionValue::Null),
            _ => false,
        };
        if decided {
            return Ok(first);
        }
        let second = self.value(right)?;
        let number =
            |work: fn(f64, f64) -> f64| ExpressionValue::Number(work(first.number(), second.number()));
        Ok(match operator {
            Binary::And | Binary::Or | Binary::Coalesce => second,
            Binary::Same => ExpressionValue::Bool(first.is_same(&second)),
            Binary::NotSame => ExpressionValue::Bool(!first.is_same(&second)),
            Binary::Equal => ExpressionValue::Bool(first.is_equal(&second)),
            Binary::NotEqual => ExpressionValue::Bool(!first.is_equal(&second)),
            Binary::Less => ExpressionValue::Bool(first.number() < second.number()),
            Binary::LessOrEqual => ExpressionValue::Bool(first.number() <= second.number()),
            Binary::More => ExpressionValue::Bool(first.number() > second.number()),
            Binary::MoreOrEqual => ExpressionValue::Bool(first.number() >= second.number()),
            Binary::Plus => match (&first, &second) {
                (
                    ExpressionValue::Number(_) | ExpressionValue::Bool(_),
                    ExpressionValue::Number(_) | ExpressionValue::Bool(_),
                ) => number(|a, b| a + b),
                _ => {
                    let mut rope = self.text(first)?;
                    rope.push(self.text(second)?);
                    self.room(rope.len())?;
                    ExpressionValue::Text(rope)
                }
            },
            Binary::Minus => number(|a, b| a - b),
            Binary::Times => number(|a, b| a * b),
            Binary::Divide => number(|a, b| a / b),
            Binary::Remainder => number(|a, b| a % b),
        })
    }

    fn name(&self, name: &'a str) -> Result<ExpressionValue<'a>, EvaluationError> {
        let parameter = self.frames.borrow().iter().rev().find(|(known, _)| *known == name).cloned();
        if let Some((_, value)) = parameter {
            self.handed(&value)?;
            return Ok(value);
        }
        match self.sight.bindings.0.get_key_value(name) {
            Some((name, binding)) => self.bound(name, binding),
            None if GLOBALS.contains(&name) => Ok(ExpressionValue::Global(name)),
            None => fault(format!("`{name}` is not bound")),
        }
    }

    pub(super) fn bound(
        &self,
        name: &'a str,
        binding: &'a Binding,
    ) -> Result<ExpressionValue<'a>, EvaluationError> {
        self.step()?;
        Ok(match binding {
            Binding::Text(text) => {
                ExpressionValue::Text(Rope::of(text.as_str(), FragmentSource::Bound(name)))
            }
            Binding::Number(number) => ExpressionValue::Number(*number as f64),
            Binding::Bool(truth) => ExpressionValue::Bool(*truth),
            Binding::Null => ExpressionValue::Null,
            Binding::Variable(key) => match self.variable(key)? {
                Some((text, source)) => {
                    ExpressionValue::Text(Rope::of(text, FragmentSource::Variable(key, source)))
                }
                None => ExpressionValue::Null,
            },
            Binding::Count(key) => {
                match self.variable(key)?.and_then(|(text, _)| text.trim().parse::<f64>().ok()) {
                    Some(number) if number.is_finite() => ExpressionValue::Number(number),
                    _ => ExpressionValue::Null,
                }
            }
            Binding::Has(key) => ExpressionValue::Bool(self.variable(key)?.is_some()),
            Binding::Given(key, then) => match self.variable(key)? {
                Some(_) => self.bound(name, then)?,
                None => ExpressionValue::Null,
            },
            Binding::List(items) => {
                let items = items.iter().map(|item| self.bound(name, item)).collect::<Result<Vec<_>, _>>()?;
                ExpressionValue::List(Rc::new(items))
            }
            Binding::Join(items) => {
                let mut rope = Rope::default();
                for item in items {
                    rope.push(self.text(self.bound(name, item)?)?);
                }
                ExpressionValue::Text(rope)
            }
            // Prompts are included before expressions are evaluated.
            Binding::Prompt(prompt) => {
                return fault(format!("`{name}` is the whole prompt `{prompt}`"));
            }
            Binding::Object(_)
            | Binding::Call(_)
            | Binding::Cases(_)
            | Binding::Same
            | Binding::Json
            | Binding::Tools => ExpressionValue::Bound(name, binding),
        })
    }

    fn variable(&self, key: &VariableKey) -> Result<Option<(String, Arc<str>)>, EvaluationError> {
        (self.look.borrow_mut())(key).map_err(EvaluationError::Missing)
    }

    fn member(
        &self,
        object: ExpressionValue<'a>,
        name: &'a str,
    ) -> Result<ExpressionValue<'a>, EvaluationError> {
        match &object {
            ExpressionValue::Object(members) => {
                let found = members.iter().find(|(known, _)| known == name);
                Ok(found.map_or(ExpressionValue::Undefined, |(_, value)| value.clone()))
            }
            ExpressionValue::Bound(bound, Binding::Object(members)) => match members.get(name) {
                Some(member) => self.bound(bound, member),
                None => fault(format!("`{bound}.{name}` is not bound")),
            },
            ExpressionValue::Bound(_, Binding::Tools) if name == "size" || name == "length" => {
                Ok(ExpressionValue::Number(self.sight.tools.len() as f64))
            }
            ExpressionValue::List(items) if name == "length" => {
                Ok(ExpressionValue::Number(items.len() as f64))
            }
            ExpressionValue::Text(text) if name == "length" => {
                self.steps(text.len() / BYTES_A_STEP)?;
                Ok(ExpressionValue::Number(text.flat().encode_utf16().count() as f64))
            }
            _ => Ok(ExpressionValue::Method(Box::new(object), name)),
        }
    }

    fn indexed(
        &self,
        object: &ExpressionValue<'a>,
        index: &ExpressionValue<'a>,
    ) -> Result<ExpressionValue<'a>, EvaluationError> {
        match (object, index) {
            (ExpressionValue::List(items), ExpressionValue::Number(at)) => {
                let at = (*at >= 0.0 && at.fract() == 0.0).then_some(*at as usize);
                Ok(at.and_then(|at| items.get(at)).cloned().unwrap_or(ExpressionValue::Undefined))
            }
            (ExpressionValue::Object(members), ExpressionValue::Text(name)) => {
                let name = name.flat();
                let found = members.iter().find(|(known, _)| *known == name);
                Ok(found.map_or(ExpressionValue::Undefined, |(_, value)| value.clone()))
            }
            (ExpressionValue::Bound(bound, Binding::Object(members)), ExpressionValue::Text(name)) => {
                match members.get(name.flat().as_ref()) {
                    Some(member) => self.bound(bound, member),
                    None => Ok(ExpressionValue::Undefined),
                }
            }
            _ => fault("it has no members by number or name"),
        }
    }

    pub(super) fn call(
        &self,
        called: &ExpressionValue<'a>,
        arguments: Vec<ExpressionValue<'a>>,
    ) -> Result<ExpressionValue<'a>, EvaluationError> {
        self.step()?;
        let first = || arguments.first().cloned().unwrap_or(ExpressionValue::Undefined);
        match called {
            ExpressionValue::Bound(name, Binding::Call(answer)) => self.bound(name, answer),
            ExpressionValue::Bound(name, Binding::Cases(cases)) => {
                let ExpressionValue::Text(case) = first() else {
                    return fault(format!("`{name}` wants a text"));
                };
                match cases.get(case.flat().as_ref()) {
                    Some(answer) => self.bound(name, answer),
                    None => fault(format!("`{name}({:?})` is not bound", case.flat())),
                }
            }
            ExpressionValue::Bound(_, Binding::Same) => Ok(first()),
            ExpressionValue::Bound(_, Binding::Json) => method::json(self, &arguments),
            ExpressionValue::Function(parameters, body, frames) => {
                self.function(parameters, body, frames, arguments)
            }
            ExpressionValue::Global(name) => method::global(self, name, &arguments),
            ExpressionValue::Method(of, name) => method::method(self, of, name, &arguments),
            ExpressionValue::Bound(name, _) => fault(format!("`{name}` is no function")),
            _ => fault("it calls what is no function"),
        }
    }

    fn function(
        &self,
        parameters: &'a [Vec<String>],
        body: &'a [Statement],
        frames: &Rc<ParameterFrames<'a>>,
        arguments: Vec<ExpressionValue<'a>>,
    ) -> Result<ExpressionValue<'a>, EvaluationError> {
        let depth = self.depth.get();
        if depth == MOST_DEPTH {
            return fault(format!("it is nested deeper than {MOST_DEPTH}"));
        }
        let mut inner = frames.as_ref().clone();
        let mut arguments = arguments.into_iter();
        for names in parameters {
            let argument = arguments.next().unwrap_or(ExpressionValue::Undefined);
            match (names.as_slice(), &argument) {
                ([name], _) => inner.push((name, argument)),
                (names, ExpressionValue::List(items)) => {
                    let items = items.iter().cloned().chain(std::iter::repeat(ExpressionValue::Undefined));
                    inner.extend(names.iter().map(String::as_str).zip(items));
                }
                _ => return fault("the value is not a list"),
            }
        }
        let outer = self.frames.replace(inner);
        self.depth.set(depth + 1);
        let answer = self.statements(body);
        self.depth.set(depth);
        self.frames.replace(outer);
        Ok(answer?.unwrap_or(ExpressionValue::Undefined))
    }

    fn statements(&self, body: &'a [Statement]) -> Result<Option<ExpressionValue<'a>>, EvaluationError> {
        for statement in body {
            self.step()?;
            match statement {
                Statement::Let(name, value) => {
                    let value = self.value(value)?;
                    self.frames.borrow_mut().push((name, value));
                }
                Statement::Return(value) => return self.value(value).map(Some),
                Statement::If { test, then, other } => {
                    let branch = if self.value(test)?.is_truthy() { then } else { other };
                    let depth = self.depth.get();
                    if depth == MOST_DEPTH {
                        return fault(format!("it is nested deeper than {MOST_DEPTH}"));
                    }
                    self.depth.set(depth + 1);
                    let seen = self.frames.borrow().len();
                    let answer = self.statements(branch);
                    self.frames.borrow_mut().truncate(seen);
                    self.depth.set(depth);
                    if let Some(answer) = answer? {
                        return Ok(Some(answer));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the turn's tools as objects.
    pub(super) fn tools(&self, name: &'a str) -> Result<Vec<ExpressionValue<'a>>, EvaluationError> {
        self.steps(self.sight.tools.len())?;
        // Names and descriptions of tools are text of third parties.
        let text =
            |text: &'a str| ExpressionValue::Text(Rope::of(neutralise(text), FragmentSource::Bound(name)));
        let object = |tool: &'a Tool| {
            let described = tool.description.as_deref().map_or(ExpressionValue::Null, text);
            ExpressionValue::Object(Rc::new(vec![
                ("name".into(), text(&tool.name)),
                ("description".into(), described),
            ]))
        };
        Ok(self.sight.tools.iter().map(object).collect())
    }

    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.sight.tools.iter().any(|tool| tool.name == name)
    }

    /// Returns the text of a value: none for `null` and `undefined`; the items of a list, joined by commas.
    pub(super) fn text(&self, value: ExpressionValue<'a>) -> Result<Rope<'a>, EvaluationError> {
        self.step()?;
        Ok(match value {
            ExpressionValue::Undefined | ExpressionValue::Null => Rope::default(),
            ExpressionValue::Bool(truth) => Rope::written(if truth { "true" } else { "false" }),
            ExpressionValue::Number(number) => Rope::written(shown(number)),
            ExpressionValue::Text(rope) => rope,
            ExpressionValue::List(items) => method::joined(self, &items, &Rope::written(","))?,
            ExpressionValue::Bound(
                name,
                Binding::Call(_) | Binding::Cases(_) | Binding::Same | Binding::Json,
            ) => {
                return fault(format!("`{name}` is a function, and no text"));
            }
            ExpressionValue::Bound(name, _) => return fault(format!("`{name}` is an object, and no text")),
            ExpressionValue::Object(_) => return fault("it is an object, and no text"),
            ExpressionValue::Function(..) | ExpressionValue::Global(_) | ExpressionValue::Method(..) => {
                return fault("it is a function, and no text");
            }
        })
    }

    /// Replaces each `<<NAME>>`, a constant of the build, by the text of its binding.
    fn constants(&self, text: &'a str) -> Result<Rope<'a>, EvaluationError> {
        let mut rope = Rope::default();
        let mut rest = text;
        while let Some((before, name, behind)) = constant(rest, self.sight.bindings) {
            if !before.is_empty() {
                rope.push(Rope::written(before));
            }
            let found = self.sight.bindings.0.get_key_value(name);
            if let Some((name, binding)) = found {
                let value = self.bound(name, binding)?;
                rope.push(self.text(value)?);
            }
            rest = behind;
        }
        rope.push(Rope::written(rest));
        Ok(rope)
    }
}

/// Finds the first `<<NAME>>` whose name is bound, and returns the text before it, the name, and the text
/// after it.
pub(super) fn constant<'t>(text: &'t str, bindings: &Bindings) -> Option<(&'t str, &'t str, &'t str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find("<<").map(|at| from + at) {
        let inner = &text[at + 2..];
        let near = floor_char_boundary(inner, LONGEST_CONSTANT + 2);
        if let Some(end) = inner[..near].find(">>")
            && bindings.get(&inner[..end]).is_some()
        {
            return Some((&text[..at], &inner[..end], &inner[end + 2..]));
        }
        from = at + 2;
    }
    None
}
