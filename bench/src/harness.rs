//! Takes samples in turns, so that both sides of a ratio see the same machine.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// One side of a comparison.
pub struct Contestant<'c> {
    /// The name in the table.
    pub name: String,
    /// Takes one sample: how long one run takes.
    pub sample: Box<dyn FnMut() -> Duration + 'c>,
}

/// A sample should last at least this long, so that reading the clock does not matter.
const SAMPLE: Duration = Duration::from_micros(40);

/// Makes a contestant of a closure. Short ones are run many times for each sample.
pub fn closure<'c, R>(name: impl Into<String>, mut run: impl FnMut() -> R + 'c) -> Contestant<'c> {
    let mut batch: u32 = 1;
    let mut timed = move |batch: u32| {
        let began = Instant::now();
        for _ in 0..batch {
            black_box(run());
        }
        began.elapsed()
    };
    while batch < 1 << 20 && timed(batch) < SAMPLE {
        batch *= 2;
    }
    Contestant { name: name.into(), sample: Box::new(move || timed(batch) / batch) }
}

/// Makes a contestant of a closure that uses up its input. Neither making the input nor dropping the result is timed.
pub fn prepared<'c, T, R>(
    name: impl Into<String>,
    mut prepare: impl FnMut() -> T + 'c,
    mut run: impl FnMut(T) -> R + 'c,
) -> Contestant<'c> {
    let sample = move || {
        let input = black_box(prepare());
        let began = Instant::now();
        let result = black_box(run(input));
        let took = began.elapsed();
        drop(result);
        took
    };
    Contestant { name: name.into(), sample: Box::new(sample) }
}

/// Makes room in the heap and keeps it: while the returned block lives, memory that one sample frees is there for the
/// next one. Without this, some allocators hand it back and fetch it again, and that is all one would measure.
#[must_use]
pub fn warm_heap() -> Vec<u8> {
    const BLOCK: usize = 64 << 10;
    let mut blocks = vec![vec![1; BLOCK]; 512];
    // The block at the end of the heap is the one that keeps the rest from being handed back.
    blocks.pop().unwrap_or_default()
}

/// The measurements of one contestant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The name of the contestant.
    pub name: String,
    /// The samples, the shortest first; at least one.
    samples: Vec<Duration>,
}

impl Measured {
    /// Sorts the samples of a contestant.
    pub fn new(name: String, mut samples: Vec<Duration>) -> Self {
        assert!(!samples.is_empty(), "nothing was measured of {name}");
        samples.sort();
        Measured { name, samples }
    }

    /// Takes a single figure of an external measurement.
    pub fn of(name: impl Into<String>, took: Duration) -> Self {
        Measured { name: name.into(), samples: vec![took] }
    }

    /// Returns the sample below which this part of all samples lies, in percent.
    pub fn percentile(&self, percent: usize) -> Duration {
        self.samples[(self.samples.len() - 1) * percent / 100]
    }

    /// Returns the sample in the middle.
    pub fn median(&self) -> Duration {
        self.percentile(50)
    }
}

/// Lets the contestants take turns, `rounds` times, after one round that does not count. Each round starts with
/// another one.
pub fn interleave(mut contestants: Vec<Contestant<'_>>, rounds: usize) -> Vec<Measured> {
    let count = contestants.len();
    let mut samples = vec![Vec::with_capacity(rounds); count];
    for contestant in &mut contestants {
        (contestant.sample)();
    }
    for round in 0..rounds {
        for turn in 0..count {
            let number = (round + turn) % count;
            samples[number].push((contestants[number].sample)());
        }
    }
    let names = contestants.into_iter().map(|contestant| contestant.name);
    names.zip(samples).map(|(name, samples)| Measured::new(name, samples)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn everyone_gets_as_many_turns_and_nobody_is_always_first() {
        let turns = RefCell::new(String::new());
        let contestant = |name: &'static str| Contestant {
            name: name.into(),
            sample: Box::new(|| {
                turns.borrow_mut().push_str(name);
                Duration::from_secs(1)
            }),
        };
        let measured = interleave(vec![contestant("a"), contestant("b")], 3);
        assert_eq!(*turns.borrow(), "abABBAab".to_lowercase(), "one round to warm up, then turns");
        assert_eq!(measured[1].name, "b");
        assert_eq!(measured[1].samples.len(), 3);
    }

    #[test]
    fn percentiles_are_samples() {
        let samples = (0..=100).rev().map(Duration::from_millis).collect();
        let measured = Measured::new("x".into(), samples);
        assert_eq!([10, 50, 90].map(|p| measured.percentile(p).as_millis()), [10, 50, 90]);
        assert_eq!(Measured::new("x".into(), vec![Duration::ZERO]).percentile(90), Duration::ZERO);
    }

    #[test]
    fn input_and_result_are_not_timed() {
        let slow = Duration::from_millis(20);
        let mut contestant = prepared("x", || std::thread::sleep(slow), |()| ());
        assert!((contestant.sample)() < slow, "preparing takes its time, and that time does not count");
    }
}
