//! An MCP server that behaves as its argument selects, well or badly, over its input and output.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it is for")]

mod manners;
mod misbehaviour;

use std::{
    env,
    io::{self, BufRead, Write},
    path::PathBuf,
};

fn main() {
    let mut args = env::args().skip(1);
    let manners = args.next().unwrap_or_default();
    let place = args.next().map(PathBuf::from);
    misbehaviour::at_start(&manners, place.as_deref());
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str(&line) else { continue };
        misbehaviour::at_message(&manners, &message, place.as_deref());
        for mut answer in manners::answers(&manners, &message) {
            answer.push(b'\n');
            // Nobody listens any more where this fails.
            if output.write_all(&answer).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    }
    misbehaviour::at_end(&manners);
}
