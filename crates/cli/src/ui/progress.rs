//! The progress line on a terminal, for work that takes longer than a second.

use super::Ui;
use std::{
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

/// The time before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two updates of the text.
const TICK: Duration = Duration::from_millis(200);

/// Hears what is being done.
#[derive(Debug, Default)]
pub struct Progress {
    words: Mutex<String>,
}

impl Progress {
    /// Shows what is being done now, in a few words.
    pub fn at(&self, words: impl Into<String>) {
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = words.into();
    }

    fn words(&self) -> String {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Ui {
    /// Does some work; if it takes longer than a second, shows its progress on a terminal.
    pub fn progress<T>(&self, work: impl FnOnce(&Progress) -> T) -> T {
        let progress = Progress::default();
        if !self.err_is_terminal {
            return work(&progress);
        }
        let (done, is_done) = mpsc::channel::<()>();
        let heard = &progress;
        thread::scope(move |scope| {
            scope.spawn(move || {
                let mut wait = PATIENCE;
                let mut shown = false;
                // The channel ends with the work, whichever way that ends.
                while is_done.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
                    self.eprint(&format!("\r\u{1b}[2K{} …", heard.words()));
                    (shown, wait) = (true, TICK);
                }
                if shown {
                    self.eprint("\r\u{1b}[2K");
                }
            });
            let result = work(heard);
            drop(done);
            result
        })
    }
}
