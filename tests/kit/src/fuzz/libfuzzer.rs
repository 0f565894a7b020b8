//! libFuzzer, in a build with `--cfg fuzzing`. Its own start is called, because the program is that of the tests.
#![allow(unsafe_code, reason = "libFuzzer is a library of C++")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

// Links the library.
use libfuzzer_sys as _;

/// The variable with libFuzzer's arguments, a line each.
const ARGUMENTS: &str = "TIDINGS_FUZZ_ARGUMENTS";

/// The check that is run: a pointer to a reference to it.
static CHECK: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

unsafe extern "C" {
    // FuzzerInterface.h
    fn LLVMFuzzerRunDriver(
        count: *mut c_int,
        arguments: *mut *mut *mut c_char,
        one_input: extern "C" fn(*const u8, usize) -> c_int,
    ) -> c_int;
}

/// What the wrapper's own macro would define; nothing calls it.
#[unsafe(no_mangle)]
extern "C" fn rust_fuzzer_test_input(_input: &[u8]) -> c_int {
    0
}

/// Lets libFuzzer call the check until it ends the process.
pub(super) fn run(check: &dyn Fn(&[u8])) {
    let given = std::env::var(ARGUMENTS).unwrap_or_default();
    let all = ["fuzz"].into_iter().chain(given.lines());
    let texts: Vec<CString> = all.map(|text| CString::new(text).expect("an argument has no zero")).collect();
    let mut pointers: Vec<*mut c_char> = texts.iter().map(|text| text.as_ptr().cast_mut()).collect();
    let mut count = c_int::try_from(pointers.len()).expect("the arguments are few");
    pointers.push(null_mut());
    let mut arguments = pointers.as_mut_ptr();
    CHECK.store(std::ptr::from_ref(&check).cast_mut().cast(), Ordering::Release);
    // The check, the texts and the list of them stay where they are until this returns.
    let status = unsafe { LLVMFuzzerRunDriver(&raw mut count, &raw mut arguments, one_input) };
    std::process::exit(status);
}

extern "C" fn one_input(at: *const u8, length: usize) -> c_int {
    // `run` has stored the check, and libFuzzer calls this on the thread of `run`.
    let check = unsafe { &*CHECK.load(Ordering::Acquire).cast::<&dyn Fn(&[u8])>() };
    let input = if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, length) } };
    // A panic can't cross C++; the test's own report of it stands above libFuzzer's.
    if catch_unwind(AssertUnwindSafe(|| check(input))).is_err() {
        std::process::abort();
    }
    0
}
