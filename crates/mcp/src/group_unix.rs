//! A program with all that it starts: a process group of its own.
//!
//! The end of the program is looked at without being collected, so that the number of the group stays ours until everything in
//! it is gone.

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions},
};
use std::{
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus},
};

/// A program with all that it starts, but for what leaves the group.
pub(crate) struct Group {
    child: Child,
    id: Option<Pid>,
    collected: Option<ExitStatus>,
}

impl Group {
    /// Makes a program lead a group of its own.
    pub(crate) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    /// Takes a program that leads a group.
    pub(crate) fn of(child: Child) -> Self {
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        Group { child, id, collected: None }
    }

    /// Whether the program ended. What it started may be there still.
    pub(crate) fn has_ended(&mut self) -> bool {
        let Some(id) = self.id.filter(|_| self.collected.is_none()) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(id), look) {
            Ok(status) => status.is_some(),
            Err(Errno::INTR) => false,
            // Somebody else collected it; there is nothing to wait for.
            Err(_) => true,
        }
    }

    /// Asks all of it to end.
    pub(crate) fn ask_to_end(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of it.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// Collects the program, if it ended.
    pub(crate) fn collect(&mut self) -> Option<ExitStatus> {
        if self.collected.is_none() {
            self.collected = self.child.try_wait().ok().flatten();
        }
        self.collected
    }

    fn signal(&self, signal: Signal) {
        // Not once it was collected: the number may belong to somebody else by then.
        if let Some(id) = self.id.filter(|_| self.collected.is_none()) {
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }
}
