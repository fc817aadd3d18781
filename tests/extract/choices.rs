//! Where a generator's decisions come from: a seed, or the input of a fuzzer.
//!
//! Owns: the two sources.
//! Never: ends. A fuzzer's input that is used up decides for the first of the possibilities.

/// A source of decisions.
#[derive(Debug)]
pub enum Choices<'a> {
    Seeded(u64),
    Bytes(&'a [u8]),
}

impl Choices<'_> {
    /// Returns a number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        let drawn = match self {
            Self::Seeded(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                usize::try_from((mixed ^ (mixed >> 31)) & 0xffff_ffff).unwrap_or(0)
            }
            Self::Bytes(bytes) => {
                let (first, rest) = bytes.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
                *bytes = rest;
                usize::from(first)
            }
        };
        drawn % count
    }

    /// Whether something happens that happens once in `count`.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        let index = self.below(texts.len());
        texts.get(index).copied().unwrap_or_default()
    }
}
