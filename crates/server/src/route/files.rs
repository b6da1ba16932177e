//! `/system-prompt/files`: the files that a template can name.

use crate::{App, HandlerResult, Problem, QueryValues, work::shown};
use axum::{Json, extract::State, http::StatusCode};
use preface_engine::{
    BuildOptions,
    host::{provider::file_listing::ListingEntry, system::ReadError},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The directory to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FilesQuery {
    /// The working directory, absolute, at or below a root.
    #[param(max_length = 4096, pattern = r"^/[^\x00]*$")]
    pub cwd: String,
    /// The directory, as `[file:…]` names it: relative to the working directory, or absolute; default: the working directory.
    #[param(max_length = 4096, pattern = r"^[^\x00]*$")]
    pub path: Option<String>,
    /// Characters that a name must have in this order, in any letter case; default: all names are listed.
    #[param(max_length = 256, pattern = r"^[^\x00]*$")]
    pub search: Option<String>,
}

/// The entries of a directory.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FilesReply {
    /// The entries that `[file:…]` can read or lead through, by name; directories that tools fill, such as `node_modules`, come last.
    pub entries: Vec<ListedFile>,
    /// True if there are more entries. Of a directory with more than 20,000 none are listed.
    pub truncated: bool,
}

/// A file or directory.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ListedFile {
    /// The name.
    pub name: String,
    /// The kind; of a link, that of its target.
    pub kind: ListedKind,
}

/// The kind of an entry.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListedKind {
    /// A directory.
    Directory,
    /// A text file.
    File,
}

impl From<ListingEntry> for ListedFile {
    fn from(ListingEntry { name, is_directory }: ListingEntry) -> Self {
        ListedFile { name, kind: if is_directory { ListedKind::Directory } else { ListedKind::File } }
    }
}

/// The most characters of a path, and of a search.
const LONGEST_PATH: usize = 4096;
const LONGEST_SEARCH: usize = 256;

/// Lists the files of a directory that a template can name with `[file:…]`.
///
/// Files that `[file:…]` does not read are left out: those outside of the working directory's project, also where a link leads to
/// them, those with a NUL byte or over 1 MiB, and names that are not UTF-8 or cannot be written in a tag.
#[utoipa::path(
    get, path = "/system-prompt/files", tag = "system-prompt",
    operation_id = "files",
    params(FilesQuery),
    responses(
        (status = 200, description = "The entries.", body = FilesReply),
        (status = 403, description = "The working directory is outside of the roots, or the path leads to where `[file:…]` does not read.", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The path is no directory.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn files(
    State(app): State<Arc<App>>,
    QueryValues(query): QueryValues<FilesQuery>,
) -> HandlerResult<Json<FilesReply>> {
    let (path, search) = (query.path.unwrap_or_default(), query.search.unwrap_or_default());
    for (name, text, most) in [("path", &path, LONGEST_PATH), ("search", &search, LONGEST_SEARCH)] {
        if text.contains('\0') || text.chars().count() > most {
            let detail = format!("`{name}` has a NUL, or more than {most} characters");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "query", detail));
        }
    }
    let request = BuildOptions {
        cwd: Some(app.below_a_root(&query.cwd).await?),
        preset: Some(app.settings.preset.clone()),
        home_trust: app.settings.home_trust,
        ..BuildOptions::default()
    };
    let (roots, dir) = (app.settings.roots.clone(), path.clone());
    let listed =
        app.work_at(&app.analyzing, move |engine| engine.list_files(&request, &roots, &dir, &search)).await?;
    let listing = listed.map_err(|error| refused(&path, &error))?;
    Ok(Json(FilesReply {
        entries: listing.entries.into_iter().map(ListedFile::from).collect(),
        truncated: listing.truncated,
    }))
}

/// Returns the problem for a directory that cannot be listed. It does not contain where a link leads.
fn refused(path: &str, error: &ReadError) -> Problem {
    let path = shown(path);
    match error {
        ReadError::Outside { .. } => {
            let detail = format!("outside of what `[file:…]` reads: `{path}`");
            Problem::new(StatusCode::FORBIDDEN, "outside-roots", detail)
                .help("name a directory below the working directory, or an absolute one below a root")
        }
        _ => Problem::new(StatusCode::NOT_FOUND, "no-file", format!("cannot list `{path}`: {error}")),
    }
}
