//! What an agent is really given: an endpoint on loopback records its requests, and each byte of them gets its source.
//!
//! [`endpoint`] answers in the place of a model's service. [`agent`] is what is known of each agent, as data; [`run`] starts one so that
//! its requests go there and nowhere else. [`body`] divides a request into items and rows, [`source`] finds the files that text is from,
//! [`files`] lists the files that an agent may read, [`repository`] looks at those of all agents in a work tree, and [`document`] is a capture as it is shown, saved and compared.

pub mod agent;
pub mod answer;
pub mod body;
pub mod document;
pub mod endpoint;
pub mod files;
pub mod json;
pub mod project;
pub mod repository;
pub mod run;
pub mod source;
