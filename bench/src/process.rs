//! Times whole processes: from the call that starts one to the end of it, its output to nowhere.

use crate::{BenchError, harness::Contestant};
use std::{
    process::{Command, Stdio},
    time::Instant,
};

/// Makes a contestant of a program. Checks first that it can be started and succeeds.
pub fn process(name: impl Into<String>, mut command: Command) -> Result<Contestant<'static>, BenchError> {
    let name = name.into();
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Err(_) => return Err(BenchError::Missing(format!("`{program}` is not on this machine"))),
        Ok(status) if !status.success() => {
            return Err(BenchError::Failed(format!("{name} failed: {status}\n{}", error_output(command))));
        }
        Ok(_) => {}
    }
    let sample = move || {
        let began = Instant::now();
        let status = command.status().expect("it could be started before");
        let took = began.elapsed();
        assert!(status.success(), "{program} succeeded before and does not now: {status}");
        took
    };
    Ok(Contestant { name, sample: Box::new(sample) })
}

/// Runs a program once more for its error output.
fn error_output(mut command: Command) -> String {
    let output = command.stderr(Stdio::piped()).output();
    output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_no_contestant() {
        assert!(matches!(process("x", Command::new("no-such-program")), Err(BenchError::Missing(_))));
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.arg("no-such-command-here");
        assert!(
            matches!(process("x", cargo), Err(BenchError::Failed(why)) if why.contains("no such command"))
        );
    }
}
