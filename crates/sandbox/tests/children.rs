//! A program with parsers that misbehave in each way, and the outcome of each. Of each kind of end its parent learns
//! the reason, and the next input has a child that answers. It is its own program, because children are started from
//! it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "all of it is a test, which has its own main"
)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tidings_sandbox::{Failure, Limits, Parser, enter_if_child, run};

const LIMITS: Limits =
    Limits { input: 1 << 20, output: 1 << 10, memory: 48 << 20, time: Duration::from_secs(1) };

static ECHO: Parser = Parser { name: "echo", limits: LIMITS, run: |input| input };
static PROCESS: Parser =
    Parser { name: "process", limits: LIMITS, run: |_| std::process::id().to_string().into() };
static PANICS: Parser = Parser { name: "panics", limits: LIMITS, run: |_| panic!("a word of the input") };
static ABORTS: Parser = Parser { name: "aborts", limits: LIMITS, run: |_| std::process::abort() };
static RECURSES: Parser = Parser { name: "recurses", limits: LIMITS, run: |_| vec![recurse(0)] };
static GROWS: Parser = Parser { name: "grows", limits: LIMITS, run: |_| grow() };
static LOOPS: Parser = Parser {
    name: "loops",
    limits: LIMITS,
    run: |_| loop {
        std::hint::spin_loop();
    },
};
static SLEEPS: Parser = Parser {
    name: "sleeps",
    limits: Limits { time: Duration::from_millis(100), ..LIMITS },
    run: |_| {
        std::thread::sleep(Duration::from_secs(3_600));
        Vec::new()
    },
};
static TALKS: Parser = Parser { name: "talks", limits: LIMITS, run: |_| vec![0; 2 << 10] };
static ENDS: Parser = Parser { name: "ends", limits: LIMITS, run: |_| std::process::exit(7) };
static SURROUNDINGS: Parser = Parser { name: "surroundings", limits: LIMITS, run: |_| surroundings() };

const PARSERS: [&Parser; 11] =
    [&ECHO, &PROCESS, &PANICS, &ABORTS, &RECURSES, &GROWS, &LOOPS, &SLEEPS, &TALKS, &ENDS, &SURROUNDINGS];

#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn recurse(depth: u8) -> u8 {
    let room = std::hint::black_box([depth; 1 << 10]);
    std::hint::black_box(recurse(depth.wrapping_add(1))).wrapping_add(room[0])
}

fn grow() -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        all.push(std::hint::black_box(vec![1_u8; 1 << 20]));
        if all.len() > 4_000 {
            return Vec::new();
        }
    }
}

/// What the child has: its open files, and its variables.
fn surroundings() -> Vec<u8> {
    let files = std::fs::read_dir("/proc/self/fd").map_or(0, |all| all.flatten().count());
    let variables: Vec<_> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    format!("{files} {}", variables.join(",")).into()
}

/// Runs a parser and an echo beside it, which answers whatever becomes of the parser.
async fn fails(parser: &'static Parser, with: Failure) {
    let beside = tokio::spawn(async {
        for round in 0..4_u8 {
            assert_eq!(run(&ECHO, "beside", vec![Bytes::from(vec![round])]).await, Ok(vec![round]));
        }
    });
    assert_eq!(run(parser, "bad", vec![Bytes::from_static(b"x")]).await, Err(with), "{}", parser.name);
    beside.await.unwrap();
    assert_eq!(run(&ECHO, "bad", vec![Bytes::from_static(b"good")]).await, Ok(b"good".to_vec()));
}

async fn every_end_of_a_child_is_the_failure_of_one_input() {
    fails(&PANICS, Failure::Crashed).await;
    fails(&ABORTS, Failure::Crashed).await;
    fails(&RECURSES, Failure::Crashed).await;
    fails(&LOOPS, Failure::Time).await;
    fails(&SLEEPS, Failure::Time).await;
    fails(&TALKS, Failure::Output).await;
    fails(&ENDS, Failure::NoChild).await;
    if cfg!(target_os = "linux") {
        fails(&GROWS, Failure::Memory).await;
    }
    let large = vec![Bytes::from(vec![0; LIMITS.input]), Bytes::from_static(b"x")];
    assert_eq!(run(&ECHO, "bad", large).await, Err(Failure::TooLarge));
}

async fn a_child_is_used_again_and_two_serve_many() {
    let mut processes = BTreeSet::new();
    let asked = (0..16).map(|n| tokio::spawn(async move { run(&PROCESS, &n.to_string(), Vec::new()).await }));
    for asked in asked.collect::<Vec<_>>() {
        processes.insert(asked.await.unwrap().unwrap());
    }
    assert!((1..=2).contains(&processes.len()), "{processes:?}");
}

async fn a_child_has_no_files_and_no_variables_of_its_parent() {
    let _file = std::fs::File::open("/proc/self/status");
    let _socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let found = String::from_utf8(run(&SURROUNDINGS, "x", Vec::new()).await.unwrap()).unwrap();
    let (files, variables) = found.split_once(' ').unwrap();
    // The three pipes, and the folder that is being read.
    assert_eq!(files, "4");
    assert!(variables.is_empty() || variables == "LD_LIBRARY_PATH", "{variables}");
}

async fn whoever_does_not_wait_any_more_ends_the_child() {
    let asked = run(&LOOPS, "gone", Vec::new());
    assert!(tokio::time::timeout(Duration::from_millis(200), asked).await.is_err());
    // Its place is free at once.
    assert_eq!(run(&ECHO, "gone", vec![Bytes::from_static(b"x")]).await, Ok(b"x".to_vec()));
}

async fn a_child_starts_quickly() {
    let began = Instant::now();
    fails(&ABORTS, Failure::Crashed).await;
    println!("a new child answered after at most {:?}", began.elapsed());
}

fn main() {
    enter_if_child(&PARSERS);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // The harness of other tests lists them first.
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let name = "every_end_of_a_child_is_the_failure_of_one_input_and_children_have_nothing";
    if arguments.iter().any(|argument| argument == "--list") {
        if !arguments.iter().any(|argument| argument == "--ignored") {
            println!("{name}: test");
        }
        return;
    }
    runtime.block_on(async {
        every_end_of_a_child_is_the_failure_of_one_input().await;
        a_child_is_used_again_and_two_serve_many().await;
        a_child_has_no_files_and_no_variables_of_its_parent().await;
        whoever_does_not_wait_any_more_ends_the_child().await;
        a_child_starts_quickly().await;
    });
}
