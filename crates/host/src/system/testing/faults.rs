//! Failures on demand: the nth step of a write goes wrong.

use crate::system::WriteError;

/// The failure of an injected step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteFault {
    /// The step fails with this error, and the write cleans up behind itself.
    Fail(WriteError),
    /// The process dies at this step: nothing is cleaned up, and every later step fails too, until
    /// [`restart`](super::MemorySystem::restart).
    Crash,
}

/// Counts the steps of all writes.
#[derive(Debug, Default)]
pub(super) struct StepCounter {
    pub(super) taken: u64,
    pub(super) planned: Option<(u64, WriteFault)>,
    pub(super) crashed: bool,
}

impl StepCounter {
    /// Takes one step, unless it is the planned one.
    pub(super) fn take(&mut self) -> Result<(), WriteError> {
        if self.crashed {
            return Err(crash_error());
        }
        let number = self.taken;
        self.taken += 1;
        let Some((_, fault)) = self.planned.take_if(|(planned, _)| *planned == number) else { return Ok(()) };
        match fault {
            WriteFault::Fail(error) => Err(error),
            WriteFault::Crash => {
                self.crashed = true;
                Err(crash_error())
            }
        }
    }
}

fn crash_error() -> WriteError {
    WriteError::Other("the process has crashed".into())
}
