//! The HTTP service of `preface`: templates with versions, a prompt for each conversation that is built once, a page to
//! edit the template in.
//!
//! [`router`] is a function from an [`App`] to a router that a test can call; [`serve`] listens with it. All routes are
//! in `router.rs`, the handlers of one resource in one file of `route/`, and every error is returned as one
//! [`Problem`]. The handlers are thin: what a request means is decided by `preface_engine::conversation`, where the prompt is kept by a
//! `Store`. What every request passes before and after its handler is `layers.rs`; who may come in is decided in `guard/`.

#![allow(unused_qualifications, reason = "the code that utoipa writes has whole paths")]

mod app;
mod caller;
mod compress;
mod describe;
mod extract;
mod guard;
mod headers;
mod layers;
mod log_line;
mod options;
mod page;
mod precondition;
mod prompt_reply;
mod receive;
mod reply;
mod route;
mod router;
mod serve;
mod stored;
mod telemetry;
mod threads;
mod tls;
mod web;
mod work;
mod write_probe;
mod write_timeout;

pub use app::{App, SERVICE_PRESET, ServiceLimits, ServiceSettings};
pub use caller::Caller;
pub use guard::{RequestGuard, TokenRule, is_host, new_token};
pub use layers::layered;
pub use options::{NOT_OVER_HTTP, SETTINGS_OVER_HTTP};
pub use reply::Problem;
pub use router::{api, router};
pub use serve::{listen, serve};
pub use telemetry::{CacheAnswer, ConstructOutcome, LogFormat, Metrics, TRACE, Telemetry, TelemetryError};
pub use tls::{TlsError, TlsFiles};

// What most handlers need.
use caller::Identity;
use extract::{JsonBody, MaybeBody, PathValues, QueryValues};
use page::{PageQuery, Paged};
use reply::HandlerResult;
