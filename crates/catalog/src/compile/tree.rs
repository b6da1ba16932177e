//! From the parser's tree to the core's: what is worked out there, and nothing else.
//!
//! A construct that the core has no tree for is refused by its name. So is one that is nested too deep: the tree is kept as
//! JSON, and readers of JSON have a limit of their own.

use super::function;
use oxc_ast::ast;
use preface_core::catalog::{Binary, Expression, Number, Unary};

/// The most levels of JSON in the tree of an expression. Readers stop at 128, and a text has levels around
/// it.
pub(super) const MAX_LEVELS: usize = 112;

/// The name of a construct that has no tree.
pub(super) type UnsupportedConstruct = String;

/// Makes a tree of an expression that has `room` levels of JSON left.
pub(super) fn tree(from: &ast::Expression, room: usize) -> Result<Expression, UnsupportedConstruct> {
    let Some(room) = room.checked_sub(2) else {
        return Err(format!("more than {MAX_LEVELS} levels of nesting"));
    };
    let boxed = |from: &ast::Expression| tree(from, room).map(Box::new);
    Ok(match from {
        ast::Expression::BooleanLiteral(literal) => Expression::Bool(literal.value),
        ast::Expression::NullLiteral(_) => Expression::Null,
        ast::Expression::NumericLiteral(literal) if literal.value.is_finite() => {
            Expression::Number(Number(literal.value))
        }
        ast::Expression::NumericLiteral(_) => return refuse("a number that is too large"),
        ast::Expression::StringLiteral(literal) if !literal.lone_surrogates => {
            Expression::Text(literal.value.to_string())
        }
        ast::Expression::StringLiteral(_) => return refuse("half of a character"),
        ast::Expression::TemplateLiteral(literal) => template(literal, room)?,
        ast::Expression::Identifier(name) if name.name == "undefined" => Expression::Undefined,
        ast::Expression::Identifier(name) => Expression::Name(name.name.to_string()),
        ast::Expression::ParenthesizedExpression(inside) => return tree(&inside.expression, room),
        ast::Expression::StaticMemberExpression(member) => Expression::Member {
            of: boxed(&member.object)?,
            name: member.property.name.to_string(),
            optional: member.optional,
        },
        ast::Expression::ComputedMemberExpression(member) if !member.optional => {
            Expression::Index { of: boxed(&member.object)?, index: boxed(&member.expression)? }
        }
        ast::Expression::ComputedMemberExpression(_) => return refuse("`?.[…]`"),
        ast::Expression::ChainExpression(chain) => {
            let mut made = element(&chain.expression, room)?;
            cut_short(&mut made);
            return Ok(made);
        }
        ast::Expression::CallExpression(called) => call(called, room)?,
        ast::Expression::UnaryExpression(unary) => return one_value(unary, room),
        ast::Expression::BinaryExpression(binary) => Expression::Binary {
            operator: operator(binary.operator)?,
            left: boxed(&binary.left)?,
            right: boxed(&binary.right)?,
        },
        ast::Expression::LogicalExpression(logical) => Expression::Binary {
            operator: match logical.operator {
                ast::LogicalOperator::And => Binary::And,
                ast::LogicalOperator::Or => Binary::Or,
                ast::LogicalOperator::Coalesce => Binary::Coalesce,
            },
            left: boxed(&logical.left)?,
            right: boxed(&logical.right)?,
        },
        ast::Expression::ConditionalExpression(choice) => Expression::Choose {
            test: boxed(&choice.test)?,
            then: boxed(&choice.consequent)?,
            other: boxed(&choice.alternate)?,
        },
        ast::Expression::ArrayExpression(list) => {
            let items = list.elements.iter().map(|item| match item {
                ast::ArrayExpressionElement::SpreadElement(_) => refuse("`...`"),
                ast::ArrayExpressionElement::Elision(_) => refuse("a list with a hole"),
                item => tree(item.to_expression(), room),
            });
            Expression::List(items.collect::<Result<_, _>>()?)
        }
        ast::Expression::ObjectExpression(object) => Expression::Object(
            object
                .properties
                .iter()
                .map(|member| entry(member, room.saturating_sub(1)))
                .collect::<Result<_, _>>()?,
        ),
        ast::Expression::ArrowFunctionExpression(arrow) => function::arrow(arrow, room.saturating_sub(1))?,
        other => return refuse(name_of(other)),
    })
}

pub(super) fn refuse<T>(what: &str) -> Result<T, UnsupportedConstruct> {
    Err(what.to_owned())
}

/// A template literal; one without values is a text.
fn template(literal: &ast::TemplateLiteral, room: usize) -> Result<Expression, UnsupportedConstruct> {
    let mut parts = Vec::new();
    for (place, words) in literal.quasis.iter().enumerate() {
        match words.value.cooked {
            Some(text) if !words.lone_surrogates => {
                if !text.is_empty() {
                    parts.push(Expression::Text(text.to_string()));
                }
            }
            _ => return refuse("half of a character"),
        }
        if let Some(value) = literal.expressions.get(place) {
            parts.push(tree(value, room)?);
        }
    }
    if literal.expressions.is_empty() {
        return Ok(parts.pop().unwrap_or_else(|| Expression::Text(String::new())));
    }
    Ok(Expression::Template(parts))
}

fn call(call: &ast::CallExpression, room: usize) -> Result<Expression, UnsupportedConstruct> {
    if call.optional {
        return refuse("`?.(…)`");
    }
    let arguments = call.arguments.iter().map(|argument| match argument {
        ast::Argument::SpreadElement(_) => refuse("`...`"),
        argument => tree(argument.to_expression(), room.saturating_sub(1)),
    });
    let arguments = arguments.collect::<Result<_, _>>()?;
    Ok(Expression::Call { function: Box::new(tree(&call.callee, room)?), arguments })
}

/// Converts the last element of a chain with `?.`.
fn element(element: &ast::ChainElement, room: usize) -> Result<Expression, UnsupportedConstruct> {
    match element {
        ast::ChainElement::CallExpression(called) => call(called, room),
        ast::ChainElement::StaticMemberExpression(member) => Ok(Expression::Member {
            of: Box::new(tree(&member.object, room)?),
            name: member.property.name.to_string(),
            optional: member.optional,
        }),
        ast::ChainElement::ComputedMemberExpression(member) if !member.optional => Ok(Expression::Index {
            of: Box::new(tree(&member.object, room)?),
            index: Box::new(tree(&member.expression, room)?),
        }),
        ast::ChainElement::ComputedMemberExpression(_) => refuse("`?.[…]`"),
        _ => refuse("a private member"),
    }
}

/// Marks what follows a `?.` in its chain: where that cuts the chain short, there is no member further on.
fn cut_short(link: &mut Expression) -> bool {
    match link {
        Expression::Member { of, optional, .. } => {
            *optional |= cut_short(of);
            *optional
        }
        Expression::Index { of, .. } => cut_short(of),
        Expression::Call { function, .. } => cut_short(function),
        _ => false,
    }
}

fn one_value(unary: &ast::UnaryExpression, room: usize) -> Result<Expression, UnsupportedConstruct> {
    let operator = match unary.operator {
        ast::UnaryOperator::LogicalNot => Unary::Not,
        ast::UnaryOperator::UnaryNegation => Unary::Minus,
        ast::UnaryOperator::Typeof => Unary::Typeof,
        ast::UnaryOperator::Void if unary.argument.is_number_literal() => return Ok(Expression::Undefined),
        other => return Err(format!("`{}` before a value", other.as_str())),
    };
    Ok(Expression::Unary { operator, value: Box::new(tree(&unary.argument, room)?) })
}

fn operator(operator: ast::BinaryOperator) -> Result<Binary, UnsupportedConstruct> {
    use ast::BinaryOperator as Theirs;
    Ok(match operator {
        Theirs::StrictEquality => Binary::Same,
        Theirs::StrictInequality => Binary::NotSame,
        Theirs::Equality => Binary::Equal,
        Theirs::Inequality => Binary::NotEqual,
        Theirs::LessThan => Binary::Less,
        Theirs::LessEqualThan => Binary::LessOrEqual,
        Theirs::GreaterThan => Binary::More,
        Theirs::GreaterEqualThan => Binary::MoreOrEqual,
        Theirs::Addition => Binary::Plus,
        Theirs::Subtraction => Binary::Minus,
        Theirs::Multiplication => Binary::Times,
        Theirs::Division => Binary::Divide,
        Theirs::Remainder => Binary::Remainder,
        other => return Err(format!("`{}` between values", other.as_str())),
    })
}

fn entry(
    member: &ast::ObjectPropertyKind,
    room: usize,
) -> Result<(String, Expression), UnsupportedConstruct> {
    let ast::ObjectPropertyKind::ObjectProperty(member) = member else { return refuse("`...`") };
    if member.method || member.kind != ast::PropertyKind::Init {
        return refuse("an object with a method");
    }
    let key = match &member.key {
        _ if member.computed => return refuse("an object with a computed key"),
        ast::PropertyKey::StaticIdentifier(name) => name.name.to_string(),
        ast::PropertyKey::StringLiteral(text) if !text.lone_surrogates => text.value.to_string(),
        _ => return refuse("an object with a key that is no name"),
    };
    if key == "__proto__" && !member.shorthand {
        return refuse("an object with `__proto__`");
    }
    Ok((key, tree(&member.value, room)?))
}

/// Returns the common name of a construct that has no tree.
fn name_of(construct: &ast::Expression) -> &'static str {
    match construct {
        ast::Expression::BigIntLiteral(_) => "a big integer",
        ast::Expression::RegExpLiteral(_) => "a regular expression",
        ast::Expression::Super(_) => "`super`",
        ast::Expression::AssignmentExpression(_) => "an assignment",
        ast::Expression::AwaitExpression(_) => "`await`",
        ast::Expression::ClassExpression(_) => "`class`",
        ast::Expression::FunctionExpression(_) => "`function`",
        ast::Expression::ImportExpression(_) | ast::Expression::ImportMeta(_) => "`import`",
        ast::Expression::NewExpression(_) | ast::Expression::NewTarget(_) => "`new`",
        ast::Expression::SequenceExpression(_) => "values with commas between them",
        ast::Expression::TaggedTemplateExpression(_) => "a template literal with a tag",
        ast::Expression::ThisExpression(_) => "`this`",
        ast::Expression::UpdateExpression(_) => "`++` or `--`",
        ast::Expression::YieldExpression(_) => "`yield`",
        ast::Expression::PrivateInExpression(_) | ast::Expression::PrivateFieldExpression(_) => {
            "a private member"
        }
        _ => "a construct of another language",
    }
}
