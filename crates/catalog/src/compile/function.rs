//! Arrow functions: the ones that are given to `map`, `filter` and the like.

use super::tree::{UnsupportedConstruct, refuse, tree};
use oxc_ast::ast;
use preface_core::catalog::{Expression, Statement};

/// Makes a tree of an arrow function that has `room` levels of JSON left inside.
pub(super) fn arrow(
    arrow: &ast::ArrowFunctionExpression,
    room: usize,
) -> Result<Expression, UnsupportedConstruct> {
    if arrow.r#async {
        return refuse("an `async` function");
    }
    if arrow.params.rest.is_some() {
        return refuse("`...`");
    }
    let parameters = arrow.params.items.iter().map(parameter).collect::<Result<_, _>>()?;
    let body = match &arrow.body {
        ast::ArrowFunctionBody::FunctionBody(body) if body.directives.is_empty() => {
            statements(&body.statements, room)?
        }
        ast::ArrowFunctionBody::FunctionBody(_) => return refuse("a statement that is only a text"),
        value => vec![Statement::Return(tree(value.to_expression(), room.saturating_sub(1))?)],
    };
    Ok(Expression::Function { parameters, body })
}

/// A parameter: a name, or several that take a list apart.
fn parameter(parameter: &ast::FormalParameter) -> Result<Vec<String>, UnsupportedConstruct> {
    if parameter.initializer.is_some() {
        return refuse("a parameter with a default");
    }
    match &parameter.pattern {
        ast::BindingPattern::BindingIdentifier(name) => Ok(vec![name.name.to_string()]),
        // One name would look like a parameter that takes nothing apart.
        ast::BindingPattern::ArrayPattern(list) if list.rest.is_none() && list.elements.len() > 1 => {
            let names = list.elements.iter().map(|element| match element {
                Some(ast::BindingPattern::BindingIdentifier(name)) => Ok(name.name.to_string()),
                _ => refuse("a parameter that takes more than a list of names apart"),
            });
            names.collect()
        }
        _ => refuse("a parameter that takes more than a list of names apart"),
    }
}

fn statements(list: &[ast::Statement], room: usize) -> Result<Vec<Statement>, UnsupportedConstruct> {
    let mut done = Vec::new();
    for statement in list {
        add(statement, room, &mut done)?;
    }
    Ok(done)
}

fn add(
    statement: &ast::Statement,
    room: usize,
    done: &mut Vec<Statement>,
) -> Result<(), UnsupportedConstruct> {
    let Some(room) = room.checked_sub(3) else { return refuse("statements that are nested too deep") };
    match statement {
        ast::Statement::EmptyStatement(_) => {}
        ast::Statement::VariableDeclaration(declaration)
            if matches!(
                declaration.kind,
                ast::VariableDeclarationKind::Let | ast::VariableDeclarationKind::Const
            ) =>
        {
            for declared in &declaration.declarations {
                let (ast::BindingPattern::BindingIdentifier(name), Some(value)) =
                    (&declared.id, &declared.init)
                else {
                    return refuse("`let` with anything but a name and a value");
                };
                done.push(Statement::Let(name.name.to_string(), tree(value, room)?));
            }
        }
        ast::Statement::IfStatement(choice) => done.push(Statement::If {
            test: tree(&choice.test, room)?,
            then: branch(&choice.consequent, room)?,
            other: choice.alternate.as_ref().map_or(Ok(Vec::new()), |other| branch(other, room))?,
        }),
        ast::Statement::ReturnStatement(back) => {
            let value =
                back.argument.as_ref().map_or(Ok(Expression::Undefined), |value| tree(value, room))?;
            done.push(Statement::Return(value));
        }
        ast::Statement::VariableDeclaration(_) => return refuse("`var`"),
        ast::Statement::ExpressionStatement(_) => return refuse("a statement that is only a value"),
        ast::Statement::BlockStatement(_) => return refuse("a block"),
        ast::Statement::ThrowStatement(_) | ast::Statement::TryStatement(_) => {
            return refuse("`throw` and `try`");
        }
        ast::Statement::SwitchStatement(_) => return refuse("`switch`"),
        ast::Statement::ForStatement(_)
        | ast::Statement::ForInStatement(_)
        | ast::Statement::ForOfStatement(_)
        | ast::Statement::WhileStatement(_)
        | ast::Statement::DoWhileStatement(_) => return refuse("a loop"),
        _ => return refuse("another statement than `let`, `if` and `return`"),
    }
    Ok(())
}

/// Converts a branch of an `if`: a block, or one statement.
fn branch(statement: &ast::Statement, room: usize) -> Result<Vec<Statement>, UnsupportedConstruct> {
    match statement {
        ast::Statement::BlockStatement(block) => statements(&block.body, room),
        other => statements(std::slice::from_ref(other), room),
    }
}
