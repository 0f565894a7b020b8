//! Bends kept inputs by lot: the same seed gives the same inputs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::lot::Lot;
use crate::report::tried;

/// The seed without `TIDINGS_SEED`.
const SEED: u64 = 20_261_128;
/// The longest input, in bytes.
const MAX_BYTES: usize = 32 << 10;
/// The bytes of an input that are printed if it fails.
const MAX_SHOWN_BYTES: usize = 4 << 10;
/// The longest that one input may take, on a machine that does much else.
const MAX_TIME: Duration = Duration::from_secs(20);
/// The most memory that the process of a target may have had.
const MAX_PEAK_KIB: u64 = 1 << 20;
/// What is put into inputs: what has a meaning in many languages, and what is at the edge of what a value can be.
const PIECES: [&[u8]; 24] = [
    b"0",
    b"-1",
    b"9223372036854775808",
    b"1e999",
    b"\0",
    b"\n",
    b"\r\n\r\n",
    b"\t",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\\u0000",
    b"&#xD800;",
    b"%00",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x87\xa9",
    b"\"",
    b"'",
    b"{{",
    b"[[[[",
    b"<!--",
    b"]]>",
    b"null",
    b"../",
];

/// An input that is kept.
struct Kept {
    name: String,
    bytes: Vec<u8>,
}

/// The inputs of a target, in the order of their names.
fn kept(target: &str) -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let kept = paths.into_iter().map(|path| Kept {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        bytes: fs::read(&path).unwrap(),
    });
    kept.collect()
}

/// The number in an environment variable.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

pub(super) fn run(target: &str, count: u64, check: &dyn Fn(&[u8])) {
    let kept = kept(target);
    for input in &kept {
        attempt(&format!("{target}/{}", input.name), &input.bytes, check);
    }
    let seed = number("TIDINGS_SEED").unwrap_or(SEED);
    let times = number("TIDINGS_TIMES").unwrap_or(1);
    let count = number("TIDINGS_STEPS").unwrap_or(count * times);
    println!("TIDINGS_SEED={seed} TIDINGS_STEPS={count}: {target}");
    let mut lot = Lot::new(seed);
    for step in 0..count {
        attempt(&format!("{target}, input {step} of seed {seed}"), &bent(&kept, &mut lot), check);
    }
    tried("inputs of parsers, bent by lot", &[("parsers", 1), ("inputs", count)], &[seed]);
}

/// The most memory that this process has had so far; 0 if the system doesn't tell.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
}

/// Checks an input within the bounds of time and memory; if it fails, it is printed.
fn attempt(what: &str, input: &[u8], check: &dyn Fn(&[u8])) {
    let bounded = || {
        let start = Instant::now();
        check(input);
        let (took, peak) = (start.elapsed(), peak_kib());
        assert!(took < MAX_TIME, "it took {took:?}");
        assert!(peak < MAX_PEAK_KIB, "it took {peak} KiB of memory");
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(bounded)) {
        let shown = input.get(..MAX_SHOWN_BYTES).unwrap_or(input).escape_ascii();
        eprintln!("{what}, {} bytes: {shown}", input.len());
        resume_unwind(panic);
    }
}

/// One of the kept inputs, bent.
fn bent(kept: &[Kept], lot: &mut Lot) -> Vec<u8> {
    let mut bytes = kept[lot.index(kept.len())].bytes.clone();
    for _ in 0..=lot.below(5) {
        bend(&mut bytes, kept, lot);
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

fn bend(bytes: &mut Vec<u8>, kept: &[Kept], lot: &mut Lot) {
    let (at, end) = part(bytes, lot);
    let mut random = |bound: u64| u8::try_from(lot.below(bound)).expect("it is below 256");
    match random(8) {
        0 => drop(bytes.drain(at..end)),
        1 => bytes.truncate(at),
        2 => {
            let repeated = bytes[at..end].repeat(usize::from(random(200)));
            drop(bytes.splice(at..at, repeated));
        }
        3 => bytes[at..end].iter_mut().for_each(|byte| *byte = random(256)),
        4 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1_u8 << random(8)),
        5 => {
            let piece = PIECES[lot.index(PIECES.len())];
            drop(bytes.splice(at..end, piece.iter().copied()));
        }
        6 => {
            let other = &kept[lot.index(kept.len())].bytes;
            let (from, to) = part(other, lot);
            drop(bytes.splice(at..at, other[from..to].iter().copied()));
        }
        _ => {
            let moved: Vec<u8> = bytes.drain(at..end).collect();
            let to = lot.index(bytes.len() + 1);
            drop(bytes.splice(to..to, moved));
        }
    }
}

/// The beginning and the end of a part of some bytes.
fn part(bytes: &[u8], lot: &mut Lot) -> (usize, usize) {
    let at = lot.index(bytes.len() + 1);
    (at, (at + lot.index(60)).min(bytes.len()))
}
