//! A way to end asking before it is done. Who listens for signals, or has a button, is the caller.

use tokio::sync::watch;

/// Ends asking before it is done: all programs that were started are killed, with all that they started.
///
/// Clones are one and the same. One that was stopped stays so.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Stop(watch::Sender::new(false))
    }
}

impl Stop {
    /// Stops. Returns at once; asking ends soon after.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is stopped.
    pub(crate) async fn stopped(&self) {
        let mut stopped = self.0.subscribe();
        // The sender is here: it cannot be gone.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    }
}
