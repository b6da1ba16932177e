//! The HTTP service of `preface`: templates with versions, a prompt for each conversation that is built once, a page to
//! edit the template in (seed 002 §§4 and 6).
//!
//! [`router`] is a function from an [`App`] to a router that a test can call; [`serve`] listens with it. All routes stand
//! in `router.rs`, the handlers of one resource in one file of `route/`, and whatever goes wrong leaves as one
//! [`Problem`]. The handlers are thin: what a request means is decided by `preface::keep`, where the prompt is kept by a
//! `Store`.

#![allow(unused_qualifications, reason = "the code that utoipa writes has whole paths")]

mod app;
mod caller;
mod extract;
mod kept;
mod page;
mod precondition;
mod reply;
mod route;
mod router;
mod threads;

pub use app::{App, Settings};
pub use reply::Problem;
pub use router::{api, router};
