//! The pool of worker threads.

use std::sync::Arc;

use shuttle::future::block_on;

use crate::domain::account::UserKey;
use crate::threads::{AtomicUsize, JoinHandle, Ordering, thread};
use crate::worker_pool::WorkerPool;

const THREADS: usize = 2;

/// Three users ask for two jobs each; every job is done once, and its caller gets its result.
pub fn every_job_is_done_once() {
    let (pool, done) = (Arc::new(WorkerPool::new("test", THREADS)), Arc::new(AtomicUsize::new(0)));
    let ask = |user| {
        let (pool, done) = (Arc::clone(&pool), Arc::clone(&done));
        thread::spawn(move || {
            for nth in 0..2 {
                let done = Arc::clone(&done);
                let job = move || {
                    done.fetch_add(1, Ordering::SeqCst);
                    nth
                };
                assert_eq!(block_on(pool.run(UserKey(user), job)), Ok(nth));
            }
        })
    };
    let asking: Vec<JoinHandle<()>> = (0..3).map(ask).collect();
    for one in asking {
        one.join().unwrap();
    }
    assert_eq!(done.load(Ordering::SeqCst), 6);
}

/// One user never has all threads at once, however many jobs of theirs wait.
pub fn nobody_has_all_threads() {
    let (pool, running) = (Arc::new(WorkerPool::new("test", THREADS)), Arc::new(AtomicUsize::new(0)));
    let ask = |_| {
        let (pool, running) = (Arc::clone(&pool), Arc::clone(&running));
        thread::spawn(move || {
            let most = block_on(pool.run(UserKey(1), move || {
                let most = running.fetch_add(1, Ordering::SeqCst) + 1;
                thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                most
            }));
            assert_eq!(most, Ok(THREADS - 1));
        })
    };
    let asking: Vec<JoinHandle<()>> = (0..3).map(ask).collect();
    for one in asking {
        one.join().unwrap();
    }
}
