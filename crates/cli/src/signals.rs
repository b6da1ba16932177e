//! Signals while servers are queried or programs run. Both run in process groups of their own, so that Ctrl-C on a terminal
//! does not reach them: this process must end them before it ends.
//!
//! After the first use the handlers stay for the life of the process. A signal that comes when no server is queried any more
//! ends it at once, as without a handler.

use crate::failure::{CommandFailure, CommandResult, Exit};
use preface_engine::{OsSystem, mcp::CancellationToken};
use std::{
    io, process,
    sync::{Arc, Mutex, Once, PoisonError},
    thread,
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    signal::unix::{Signal, SignalKind, signal},
};

/// The time that asking may take to stop before the process ends anyhow.
const PATIENCE: Duration = Duration::from_secs(5);

/// The state that the asking and the listening thread share.
#[derive(Default)]
struct SignalState {
    is_watching: bool,
    signal: Option<Exit>,
}

/// Watches for signals while servers are queried.
pub struct Signals {
    stop: CancellationToken,
    state: Arc<Mutex<SignalState>>,
}

impl Signals {
    /// Starts to listen, if the system allows it; otherwise signals do what they always do.
    pub fn listen() -> Self {
        let signals = Signals {
            stop: CancellationToken::default(),
            state: Arc::new(Mutex::new(SignalState { is_watching: true, signal: None })),
        };
        let (stop, state) = (signals.stop.clone(), signals.state.clone());
        at_first(move |exit| {
            let is_watching = {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.signal = Some(exit);
                state.is_watching
            };
            if is_watching {
                stop.cancel();
                thread::sleep(PATIENCE);
            }
        });
        signals
    }

    /// Returns the handle that a signal stops.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Ends the watch. The error is a signal that arrived meanwhile.
    pub fn finish(&self) -> CommandResult<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_watching = false;
        state.signal.map_or(Ok(()), |exit| Err(CommandFailure::signalled(exit)))
    }
}

/// Starts to listen, once, for a process that starts programs: a signal ends them, and then the process.
pub fn end_programs() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| at_first(|_| OsSystem::end_programs()));
}

/// Does something at the first signal, then ends the process, if the system allows to listen.
fn at_first(act: impl FnOnce(Exit) + Send + 'static) {
    if let Ok((runtime, mut coming)) = begin() {
        thread::spawn(move || {
            let exit = runtime.block_on(coming.next());
            act(exit);
            process::exit(exit as i32);
        });
    }
}

fn begin() -> io::Result<(Runtime, SignalStreams)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let coming = SignalStreams::begin()?;
    drop(inside);
    Ok((runtime, coming))
}

/// The signals that end a process, from when they are first listened for.
pub struct SignalStreams {
    interrupt: Signal,
    terminate: Signal,
    /// `None` under `nohup`: who ignores it goes on ignoring it.
    hang_up: Option<Signal>,
}

impl SignalStreams {
    fn begin() -> io::Result<Self> {
        let hang_up = if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(SignalStreams { hang_up, ..SignalStreams::without_hang_up()? })
    }

    /// Listens for what ends a service; a terminal that goes away ends it as without a handler.
    pub fn without_hang_up() -> io::Result<Self> {
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(SignalStreams { interrupt, terminate, hang_up: None })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Exit {
        let hung_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
            _ = hung_up => Exit::HungUp,
        }
    }
}

/// Returns true if this process was started with SIGHUP ignored and the system reports it: the lowest bit
/// of a mask in hexadecimal digits.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
