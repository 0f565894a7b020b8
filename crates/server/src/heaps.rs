//! The heaps of the C library's allocator, which divides them among threads.

use std::time::Duration;

/// The interval between two returns of freed memory.
const TRIM_INTERVAL: Duration = Duration::from_secs(30);

/// Bounds the number of heaps. Each keeps what its largest request or pull needed, and by default there are eight for
/// each core: a long backlog takes half as much memory again. To be called before the first thread starts.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code, reason = "the allocator's own call; it takes two numbers, and no other thread runs yet")]
pub fn share_heaps(most: u8) {
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, libc::c_int::from(most));
    }
}

/// Does nothing: only the GNU C library has several heaps.
#[cfg(not(target_env = "gnu"))]
pub const fn share_heaps(_most: u8) {}

/// Returns freed memory to the system. The allocator would keep what a burst of requests or a large pull needed for as
/// long as the program runs. Meanwhile nothing can be allocated: some 0.1 ms for each MiB that is returned.
#[cfg(target_env = "gnu")]
#[allow(
    unsafe_code,
    reason = "the allocator's own call; it takes a number, touches no memory in use, and may be called anywhere"
)]
pub fn trim_heaps() {
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Does nothing: only the GNU C library keeps so much.
#[cfg(not(target_env = "gnu"))]
pub const fn trim_heaps() {}

/// Returns freed memory at intervals, until it is dropped.
pub async fn trim_heaps_periodically() {
    loop {
        tokio::time::sleep(TRIM_INTERVAL).await;
        trim_heaps();
    }
}
