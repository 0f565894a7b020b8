//! Numbers drawn by lot, the same for the same seed.

use std::fmt::Debug;

/// The variable of the environment with the seed of all bounds that tests draw, to play a run again.
pub const BOUNDS: &str = "TIDINGS_BOUNDS";

/// A generator of numbers.
#[derive(Debug, Clone)]
pub struct Lot(u64);

impl Lot {
    /// The numbers of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// A number below `bound`, which is at least 1: an index.
    pub fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).expect("it is below a usize")
    }

    /// True once in `bound` times.
    pub fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    /// A bound of a page, a portion or a queue: the smallest, one that is a little larger, or the usual one.
    pub fn bound(&mut self, least: usize, usual: usize) -> usize {
        match self.below(3) {
            0 => least,
            1 => (least + 1 + self.index(7)).min(usual),
            _ => usual,
        }
    }
}

/// Bounds of the seed that [`BOUNDS`] names; `None` if it names none, so that the usual ones hold.
pub fn asked_for<B: Debug>(draw: impl FnOnce(&mut Lot) -> B) -> Option<B> {
    std::env::var_os(BOUNDS).map(|_| drawn(0, draw))
}

/// The bounds of a run, which `draw` makes of their lot: that of `seed`, unless [`BOUNDS`] names another. They are printed, so
/// that the output of a test that fails has them.
pub fn drawn<B: Debug>(seed: u64, draw: impl FnOnce(&mut Lot) -> B) -> B {
    let asked_for = std::env::var(BOUNDS).ok().and_then(|seed| seed.parse().ok());
    let seed = asked_for.unwrap_or(seed);
    let bounds = draw(&mut Lot::new(seed));
    println!("{BOUNDS}={seed}: {bounds:?}");
    bounds
}
