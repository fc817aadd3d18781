//! For tests: documents with random changes, the same in each run.
//!
//! Owns: a generator with a fixed seed.
//! Never: part of the component.

/// A generator of random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns a number less than `below`; 0 when there is none.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(below.max(1)).unwrap()).unwrap()
    }

    pub(crate) fn choose<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        let index = self.below(of.len());
        &of[index]
    }

    /// Changes a few places of a document: bytes, and pieces that mean something in its format.
    pub(crate) fn mutate(&mut self, document: &mut Vec<u8>, pieces: &[&[u8]]) {
        for _ in 0..=self.below(4) {
            let at = self.below(document.len());
            match self.below(5) {
                0 if !document.is_empty() => document[at] = u8::try_from(self.below(256)).unwrap(),
                1 => drop(document.drain(at..(at + 1 + self.below(8)).min(document.len()))),
                2 => {
                    let piece = document[at..(at + self.below(20)).min(document.len())].to_vec();
                    let to = self.below(document.len());
                    document.splice(to..to, piece);
                }
                _ => {
                    let piece = self.choose(pieces).to_vec();
                    document.splice(at..at, piece);
                }
            }
        }
    }
}
