//! Numbers that look random and are the same in each run: what is done next, and to whom.

/// A generator (xorshift64).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts a row of numbers.
    pub fn new(seed: usize) -> Self {
        Dice((seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }
}
