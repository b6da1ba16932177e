//! One expression: its source in, its tree out.

use super::tree::{MAX_LEVELS, tree};
use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use preface_core::catalog::{Expression, UncompiledReason};

/// Makes a tree of the source of an expression, of which [`super::extent`] found the end.
pub(super) fn read(source: &str, allocator: &Allocator) -> Result<Expression, UncompiledReason> {
    match parser(source, allocator).parse_expression() {
        Ok(parsed) => tree(&parsed, MAX_LEVELS).map_err(UncompiledReason::Unsupported),
        Err(errors) => {
            let first = errors.iter().next().map_or_else(|| "no expression".to_owned(), ToString::to_string);
            Err(UncompiledReason::Unparsed(first))
        }
    }
}

fn parser<'a>(source: &'a str, allocator: &'a Allocator) -> Parser<'a> {
    let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
    Parser::new(allocator, source, SourceType::mjs()).with_options(options)
}

/// Returns true if the parser accepts this as an expression.
#[cfg(test)]
pub(super) fn parses(source: &str, allocator: &Allocator) -> bool {
    parser(source, allocator).parse_expression().is_ok()
}
