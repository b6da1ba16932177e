//! The metrics of one route, looked up once per route.

use super::metrics::Metrics;
use axum::http::{Method, StatusCode};
use prometheus_client::metrics::{counter::Counter, histogram::Histogram};
use std::{borrow::Cow, sync::OnceLock, time::Duration};

const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "other"];
const CLASSES: [&str; 6] = ["1xx", "2xx", "3xx", "4xx", "5xx", "499"];

/// The numbers of one route.
#[derive(Debug, Default)]
pub(crate) struct Series {
    seconds: OnceLock<Histogram>,
    requests: [[OnceLock<Counter>; CLASSES.len()]; METHODS.len()],
}

impl Series {
    /// Counts a response.
    pub fn count_response(
        &self,
        metrics: &Metrics,
        route: &str,
        method: &Method,
        status: StatusCode,
        took: Duration,
    ) {
        let route = || Cow::from(route.to_owned());
        let other = METHODS.len() - 1;
        let method = METHODS.iter().position(|known| *known == method.as_str()).unwrap_or(other);
        let class = match status.as_u16() {
            499 => CLASSES.len() - 1,
            status => usize::from(status / 100).clamp(1, CLASSES.len() - 1) - 1,
        };
        let counter = self.requests[method][class].get_or_init(|| {
            let labels =
                [("route", route()), ("method", METHODS[method].into()), ("status", CLASSES[class].into())];
            metrics.requests.get_or_create_owned(&labels)
        });
        counter.inc();
        let seconds = self.seconds.get_or_init(|| metrics.seconds.get_or_create_owned(&[("route", route())]));
        seconds.observe(took.as_secs_f64());
    }
}
