//! Inputs for the parsers of what strangers write. A target is a test that hands its check to [`run`].
//!
//! The inputs are those that are kept in `tests/fuzz/corpus/<target>`, and others that are bent from them by lot.
//! `TIDINGS_SEED` bends them otherwise, `TIDINGS_STEPS` says how many there are, and `TIDINGS_TIMES` multiplies them. The name
//! of each such test begins with `whatever_`, by which `make fuzz` finds them. In the build of
//! `scripts/fuzz-coverage.sh`, which has `--cfg fuzzing`, libFuzzer takes the place of the lot: it bends further what
//! reached code that no input had reached.

#[cfg(not(fuzzing))]
mod bending;
#[cfg(fuzzing)]
mod libfuzzer;

/// Checks the kept inputs of a target, and `count` that are bent from them. A check fails by a panic, or if an input takes
/// too long or too much memory.
#[cfg(not(fuzzing))]
pub fn run(target: &str, count: u64, check: impl Fn(&[u8])) {
    bending::run(target, count, &check);
}

/// Lets libFuzzer call the check, which does not return, if `TIDINGS_FUZZ` names this target.
#[cfg(fuzzing)]
pub fn run(target: &str, _count: u64, check: impl Fn(&[u8])) {
    if std::env::var("TIDINGS_FUZZ").as_deref() == Ok(target) {
        libfuzzer::run(&check);
    }
}

/// A file with the changes that an input names, for files that are too large to be inputs themselves. Each change has
/// three bytes for its place and one for what becomes of the byte there; 0 cuts the file off.
pub fn changed(file: &[u8], input: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for change in input.as_chunks::<4>().0 {
        let [low, middle, high, flipped] = *change;
        let at = u32::from_le_bytes([low, middle, high, 0]) as usize % file.len();
        if flipped == 0 {
            bytes.truncate(at);
        } else if let Some(byte) = bytes.get_mut(at) {
            *byte ^= flipped;
        }
    }
    bytes
}
