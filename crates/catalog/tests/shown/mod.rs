//! Trees in a short form, for expectations that are written by hand: `(. A name)` is `A.name`, `(? t a b)` is `t?a:b`.

use preface_core::catalog::{Binary, Expression, Statement, Unary};

/// Shows a tree.
pub fn shown(tree: &Expression) -> String {
    let list =
        |items: &[Expression]| items.iter().map(|item| format!(" {}", shown(item))).collect::<String>();
    match tree {
        Expression::Text(text) => format!("{text:?}"),
        Expression::Number(number) => number.0.to_string(),
        Expression::Bool(truth) => truth.to_string(),
        Expression::Null => "null".to_owned(),
        Expression::Undefined => "undefined".to_owned(),
        Expression::Name(name) => name.clone(),
        Expression::Template(parts) => format!("(template{})", list(parts)),
        Expression::Member { of, name, optional } => {
            format!("({} {} {name})", if *optional { "?." } else { "." }, shown(of))
        }
        Expression::Index { of, index } => format!("(at {} {})", shown(of), shown(index)),
        Expression::Call { function, arguments } => format!("(call {}{})", shown(function), list(arguments)),
        Expression::Unary { operator, value } => {
            let operator = match operator {
                Unary::Not => "!",
                Unary::Minus => "-",
                Unary::Typeof => "typeof",
            };
            format!("({operator} {})", shown(value))
        }
        Expression::Binary { operator: which, left, right } => {
            format!("({} {} {})", operator(*which), shown(left), shown(right))
        }
        Expression::Choose { test, then, other } => {
            format!("(? {} {} {})", shown(test), shown(then), shown(other))
        }
        Expression::List(items) => format!("(list{})", list(items)),
        Expression::Object(members) => {
            let members: String =
                members.iter().map(|(key, value)| format!(" {key}:{}", shown(value))).collect();
            format!("(object{members})")
        }
        Expression::Function { parameters, body } => {
            let parameters: Vec<String> = parameters.iter().map(|names| names.join("+")).collect();
            format!("(function [{}]{})", parameters.join(" "), statements(body))
        }
    }
}

fn statements(body: &[Statement]) -> String {
    let statement = |statement: &Statement| match statement {
        Statement::Let(name, value) => format!(" (let {name} {})", shown(value)),
        Statement::If { test, then, other } => {
            format!(" (if {} [{}] [{}])", shown(test), statements(then).trim(), statements(other).trim())
        }
        Statement::Return(value) => format!(" (return {})", shown(value)),
    };
    body.iter().map(statement).collect()
}

fn operator(operator: Binary) -> &'static str {
    match operator {
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Coalesce => "??",
        Binary::Same => "===",
        Binary::NotSame => "!==",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::More => ">",
        Binary::MoreOrEqual => ">=",
        Binary::Plus => "+",
        Binary::Minus => "-",
        Binary::Times => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
    }
}
