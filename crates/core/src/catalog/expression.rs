//! Expressions: the small tree that an import compiles `${…}` to.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
};

/// A number whose equality and hash are those of its bits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(pub f64);

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// The functions and objects that every expression can use. They only work on values.
pub const GLOBALS: [&str; 6] = ["Array", "Boolean", "JSON", "Number", "Object", "String"];

/// The expression between `${` and `}`. It can only read names that are bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expression {
    /// A text, its escapes decoded.
    Text(String),
    /// A number.
    Number(Number),
    /// A Boolean.
    Bool(bool),
    /// `null`.
    Null,
    /// `undefined`, and `void 0`.
    Undefined,
    /// A name: one that is bound, or a parameter.
    Name(String),
    /// A template literal: its texts and values in order.
    Template(Vec<Expression>),
    /// `of.name`; `optional` is `of?.name`.
    Member {
        /// The object.
        of: Box<Expression>,
        /// The name of the member.
        name: String,
        /// True for `?.`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
    },
    /// `of[index]`.
    Index {
        /// The object or list.
        of: Box<Expression>,
        /// The name or position of the member.
        index: Box<Expression>,
    },
    /// `function(arguments)`, methods included.
    Call {
        /// The function to call.
        function: Box<Expression>,
        /// The arguments of the call.
        arguments: Vec<Expression>,
    },
    /// An operator before one value.
    Unary {
        /// The operator.
        operator: Unary,
        /// The value.
        value: Box<Expression>,
    },
    /// An operator between two values.
    Binary {
        /// The operator.
        operator: Binary,
        /// The first value.
        left: Box<Expression>,
        /// The second value; not evaluated if the first one decides the result.
        right: Box<Expression>,
    },
    /// `test ? then : other`.
    Choose {
        /// The condition.
        test: Box<Expression>,
        /// The value if the condition is truthy.
        then: Box<Expression>,
        /// The value if the condition is falsy.
        other: Box<Expression>,
    },
    /// `[…]`.
    List(Vec<Expression>),
    /// `{…}`, in the order as written.
    Object(Vec<(String, Expression)>),
    /// A function that is passed to `map`, `filter` and the like.
    Function {
        /// The parameters; one with several names destructures a list.
        parameters: Vec<Vec<String>>,
        /// The body of the function.
        body: Vec<Statement>,
    },
}

/// A statement in a function's body.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statement {
    /// `let name = value`.
    Let(String, Expression),
    /// `if (test) { … } else { … }`.
    If {
        /// The condition.
        test: Expression,
        /// The statements to run if the condition is truthy.
        then: Vec<Statement>,
        /// The statements to run if the condition is falsy.
        other: Vec<Statement>,
    },
    /// `return value`.
    Return(Expression),
}

/// Operators before one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unary {
    /// `!`.
    Not,
    /// `-`.
    Minus,
    /// `typeof`.
    Typeof,
}

/// Operators between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Binary {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `??`.
    Coalesce,
    /// `===`.
    Same,
    /// `!==`.
    NotSame,
    /// `==`, which is also true between `null` and `undefined`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    More,
    /// `>=`.
    MoreOrEqual,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `*`.
    Times,
    /// `/`.
    Divide,
    /// `%`.
    Remainder,
}

impl Expression {
    /// Adds the names that must be bound to evaluate this expression. Parameters are not among them.
    pub fn free_names<'e>(&'e self, bound: &mut Vec<&'e str>, names: &mut BTreeSet<&'e str>) {
        match self {
            Expression::Text(_)
            | Expression::Number(_)
            | Expression::Bool(_)
            | Expression::Null
            | Expression::Undefined => {}
            Expression::Name(name) => {
                if !bound.contains(&name.as_str()) && !GLOBALS.contains(&name.as_str()) {
                    names.insert(name);
                }
            }
            Expression::Template(parts) | Expression::List(parts) => {
                parts.iter().for_each(|part| part.free_names(bound, names));
            }
            Expression::Object(members) => {
                members.iter().for_each(|(_, value)| value.free_names(bound, names));
            }
            Expression::Member { of, .. } => of.free_names(bound, names),
            Expression::Index { of, index } => {
                of.free_names(bound, names);
                index.free_names(bound, names);
            }
            Expression::Call { function, arguments } => {
                function.free_names(bound, names);
                arguments.iter().for_each(|argument| argument.free_names(bound, names));
            }
            Expression::Unary { value, .. } => value.free_names(bound, names),
            Expression::Binary { left, right, .. } => {
                left.free_names(bound, names);
                right.free_names(bound, names);
            }
            Expression::Choose { test, then, other } => {
                [test, then, other].into_iter().for_each(|part| part.free_names(bound, names));
            }
            Expression::Function { parameters, body } => {
                let depth = bound.len();
                bound.extend(parameters.iter().flatten().map(String::as_str));
                Statement::free_names(body, bound, names);
                bound.truncate(depth);
            }
        }
    }
}

impl Expression {
    /// Calls `see` for every node of the tree, the root first.
    pub fn walk<'e>(&'e self, see: &mut dyn FnMut(&'e Expression)) {
        see(self);
        match self {
            Expression::Text(_)
            | Expression::Number(_)
            | Expression::Bool(_)
            | Expression::Null
            | Expression::Undefined
            | Expression::Name(_) => {}
            Expression::Template(parts) | Expression::List(parts) => {
                parts.iter().for_each(|part| part.walk(see));
            }
            Expression::Object(members) => members.iter().for_each(|(_, value)| value.walk(see)),
            Expression::Member { of, .. } => of.walk(see),
            Expression::Index { of, index } => [of, index].into_iter().for_each(|part| part.walk(see)),
            Expression::Call { function, arguments } => {
                function.walk(see);
                arguments.iter().for_each(|argument| argument.walk(see));
            }
            Expression::Unary { value, .. } => value.walk(see),
            Expression::Binary { left, right, .. } => {
                [left, right].into_iter().for_each(|part| part.walk(see));
            }
            Expression::Choose { test, then, other } => {
                [test, then, other].into_iter().for_each(|part| part.walk(see));
            }
            Expression::Function { body, .. } => Statement::walk(body, see),
        }
    }
}

impl Statement {
    fn walk<'e>(body: &'e [Statement], see: &mut dyn FnMut(&'e Expression)) {
        for statement in body {
            match statement {
                Statement::Let(_, value) | Statement::Return(value) => value.walk(see),
                Statement::If { test, then, other } => {
                    test.walk(see);
                    Statement::walk(then, see);
                    Statement::walk(other, see);
                }
            }
        }
    }

    fn free_names<'e>(body: &'e [Statement], bound: &mut Vec<&'e str>, names: &mut BTreeSet<&'e str>) {
        let depth = bound.len();
        for statement in body {
            match statement {
                Statement::Let(name, value) => {
                    value.free_names(bound, names);
                    bound.push(name);
                }
                Statement::If { test, then, other } => {
                    test.free_names(bound, names);
                    Statement::free_names(then, bound, names);
                    Statement::free_names(other, bound, names);
                }
                Statement::Return(value) => value.free_names(bound, names),
            }
        }
        bound.truncate(depth);
    }
}
