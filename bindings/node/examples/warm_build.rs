//! Builds the prompt of a directory several times and prints the shortest time in microseconds, which depends least on what
//! else the machine does, for the comparison with Node:
//! `warm_build HOME DIRECTORY TIMES`.

use preface::{Preface, Trust};
use std::{env, io::Write, time::Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [home, directory, times] = &words[..] else {
        return Err("usage: warm_build HOME DIRECTORY TIMES".into());
    };
    let engine = Preface::with_home(home);
    let mut shortest = None;
    for _ in 0..times.parse()? {
        let start = Instant::now();
        let prompt = engine.prompt(directory).preset("claude-code").trust(Trust::Once).build()?;
        let taken = start.elapsed().as_micros();
        drop(prompt);
        shortest = Some(shortest.map_or(taken, |shortest: u128| shortest.min(taken)));
    }
    writeln!(std::io::stdout(), "{}", shortest.ok_or("TIMES is 0")?)?;
    Ok(())
}
