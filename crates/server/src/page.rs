//! Lists in pages, as the service shows them.

use crate::{Problem, reply::HandlerResult};
use axum::http::StatusCode;
use preface_engine::store::{List, Page, PageRequest};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// The maximum number of entries, 1 to 500; default: 50.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Where the page before ended: its `next`.
    after: Option<String>,
}

impl PageQuery {
    /// Returns the page to read from the store.
    pub(crate) fn request(self, list: List) -> HandlerResult<PageRequest> {
        let limit = self.limit.unwrap_or(50);
        if !(1..=PageRequest::MOST).contains(&limit) {
            let detail = format!("`limit` is between 1 and {}", PageRequest::MOST);
            return Err(Problem::new(StatusCode::BAD_REQUEST, "query", detail));
        }
        let request = PageRequest { limit, after: self.after };
        if !request.fits(list) {
            let detail = "`after` is no `next` of this list";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "query", detail)
                .help("give the `next` of the page before as it was given, percent-encoded"));
        }
        Ok(request)
    }
}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Paged<T> {
    /// The entries.
    items: Vec<T>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required)]
    next: Option<String>,
}

impl<T> Paged<T> {
    pub(crate) fn of<S>(page: Page<S>, show: impl FnMut(S) -> T) -> Self {
        Paged { items: page.items.into_iter().map(show).collect(), next: page.next }
    }
}
