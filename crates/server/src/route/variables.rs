//! `/system-prompt/variables`: the available variables. The list itself needs neither a store nor a disk.

use crate::{App, HandlerResult, Identity, Problem, QueryValues};
use axum::{Json, extract::State};
use preface_engine::{BuildOptions, Variable, store::TokenRole};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The context of the values. Without it no values are returned.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VariablesQuery {
    /// The working directory, absolute, at or below a root. Without it no values of a directory are read.
    #[param(max_length = 4096, pattern = r"^/[^\x00]*$")]
    pub cwd: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The conversation's id.
    pub conversation_id: Option<String>,
}

/// The available variables.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct VariablesReply {
    /// The variables, always in the same order.
    pub variables: Vec<VariableEntry>,
    /// The directories below which `cwd` may lie, for a caller whose role includes `analyze`.
    pub roots: Vec<String>,
}

/// A variable, with its value if requested.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct VariableEntry {
    /// The description.
    #[serde(flatten)]
    pub variable: Variable,
    /// True if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// The value; null if it does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub value: Option<Option<String>>,
}

/// Lists the available variables. With a query, also their values. With `cwd`, which reads files, the role of an access
/// token must include `analyze`.
#[utoipa::path(
    get, path = "/system-prompt/variables", tag = "system-prompt",
    operation_id = "variables",
    params(VariablesQuery),
    responses(
        (status = 200, description = "The variables.", body = VariablesReply),
        (status = 403, description = "The directory does not lie below a root, or the token's role does not include `analyze`.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn variables(
    State(app): State<Arc<App>>,
    identity: Identity,
    QueryValues(query): QueryValues<VariablesQuery>,
) -> HandlerResult<Json<VariablesReply>> {
    let VariablesQuery { cwd, model, conversation_id } = query;
    let may_read = identity.require(TokenRole::Analyze).is_ok();
    let roots =
        app.settings.roots.iter().filter(|_| may_read).map(|root| root.display().to_string()).collect();
    if cwd.is_none() && model.is_none() && conversation_id.is_none() {
        let plain = |variable| VariableEntry { variable, exists: None, value: None };
        return Ok(Json(VariablesReply {
            variables: preface_engine::variables().into_iter().map(plain).collect(),
            roots,
        }));
    }
    let cwd = match cwd {
        Some(cwd) => Some({
            identity.require(TokenRole::Analyze)?;
            app.below_a_root(&cwd).await?
        }),
        None => None,
    };
    let request = BuildOptions {
        cwd,
        model,
        conversation: conversation_id,
        preset: Some(app.settings.preset.clone()),
        home_trust: app.settings.home_trust,
        ..BuildOptions::default()
    };
    let below = app.settings.roots.clone();
    let values = app.work(move |engine| engine.variable_values(&request, &below)).await?;
    let entry =
        |(variable, recorded): (Variable, Option<preface_core::variable::RecordedVariable>)| VariableEntry {
            variable,
            exists: recorded.as_ref().map(|recorded| recorded.value.is_some()),
            value: recorded.map(|recorded| recorded.value),
        };
    Ok(Json(VariablesReply { variables: values.into_iter().map(entry).collect(), roots }))
}
