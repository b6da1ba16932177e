//! A program with all that it starts: a process group of its own, where the system has such groups.
//!
//! The end of the program is looked at without being collected (`WNOWAIT`), so that the number of the group stays ours until
//! everything in it is gone.

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions},
};
use std::{
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus},
};

/// A program with all that it starts, but for what leaves the group. Without process groups it is the program alone.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    collected: Option<ExitStatus>,
}

impl ProcessGroup {
    /// Takes a program that [`ProcessGroup::lead`] prepared.
    #[must_use]
    pub fn of(child: Child) -> Self {
        ProcessGroup { child, collected: None }
    }

    /// Collects the program, if it ended.
    pub fn collect(&mut self) -> Option<ExitStatus> {
        if self.collected.is_none() {
            self.collected = self.child.try_wait().ok().flatten();
        }
        self.collected
    }

    /// Makes a program lead a group of its own.
    pub fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub(crate) fn id(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Returns whether the program ended. What it started may be there still.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let Some(id) = self.id().filter(|_| self.collected.is_none()) else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(id), options) {
            Ok(status) => status.is_some(),
            Err(Errno::INTR) => false,
            // Somebody else collected it; there is nothing to wait for.
            Err(_) => true,
        }
    }

    /// Asks all of the group to end.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of the group.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // Not once it was collected: the number may belong to somebody else by then.
        if let Some(id) = self.id().filter(|_| self.collected.is_none()) {
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }
}
