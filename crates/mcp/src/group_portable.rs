//! A program, where there are no process groups: what it starts is left to itself.

use std::process::{Child, Command, ExitStatus};

/// A program.
pub(crate) struct Group {
    child: Child,
    collected: Option<ExitStatus>,
}

impl Group {
    /// Does nothing here.
    pub(crate) fn lead(_: &mut Command) {}

    /// Takes a program.
    pub(crate) fn of(child: Child) -> Self {
        Group { child, collected: None }
    }

    /// Whether the program ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.collect().is_some()
    }

    /// Does nothing here: its input is closed, and that is all that can be said.
    pub(crate) fn ask_to_end(&mut self) {}

    /// Ends the program.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Collects the program, if it ended.
    pub(crate) fn collect(&mut self) -> Option<ExitStatus> {
        if self.collected.is_none() {
            self.collected = self.child.try_wait().ok().flatten();
        }
        self.collected
    }
}
