//! The query parameters of each operation, as the description has them. Any other is refused: a misspelled `dry_run` would do
//! what it was to show.

use super::operations;
use crate::Problem;
use axum::{
    extract::Query,
    http::{Method, StatusCode, Uri},
};
use preface_core::{lint::character::excerpt, suggestion::did_you_mean};
use std::collections::HashMap;
use utoipa::openapi::{OpenApi, RefOr, path::ParameterIn};

/// The names of the query parameters, by path and method.
#[derive(Debug)]
pub(crate) struct QueryParameters(HashMap<(String, Method), Vec<String>>);

impl QueryParameters {
    /// Reads them from a description.
    pub fn of(mut api: OpenApi) -> Self {
        let mut known = HashMap::new();
        for (path, item) in &mut api.paths.paths {
            for (method, operation) in operations(item) {
                let names = operation.parameters.iter().flatten().filter_map(|parameter| match parameter {
                    RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => {
                        Some(parameter.name.clone())
                    }
                    _ => None,
                });
                known.insert((path.clone(), method), names.collect());
            }
        }
        QueryParameters(known)
    }

    /// Refuses a query that has a parameter of another name.
    pub fn check(&self, method: &Method, route: &str, uri: &Uri) -> Result<(), Problem> {
        if uri.query().is_none_or(str::is_empty) {
            return Ok(());
        }
        let method = if *method == Method::HEAD { Method::GET } else { method.clone() };
        let Some(known) = self.0.get(&(route.to_owned(), method)) else { return Ok(()) };
        // Invalid queries are refused by the handler.
        let Ok(Query(sent)) = Query::<Vec<(String, String)>>::try_from_uri(uri) else { return Ok(()) };
        let Some((name, _)) = sent.iter().find(|(name, _)| !known.contains(name)) else { return Ok(()) };
        let detail = format!("unknown parameter: `{}`", excerpt(name, 80));
        let problem = Problem::new(StatusCode::BAD_REQUEST, "query", detail);
        Err(match did_you_mean(name, known.iter().map(String::as_str)) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None if known.is_empty() => problem.help("this address has no parameters"),
            None => problem.help(format!("valid parameters: `{}`", known.join("`, `"))),
        })
    }
}
