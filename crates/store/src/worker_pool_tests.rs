//! Tests of the lines in which work waits, and of the threads that do it.

use std::sync::mpsc;

use super::*;

/// Occupies a thread until the returned sender is dropped.
async fn occupy_worker(worker_pool: &WorkerPool, user: UserKey) -> mpsc::Sender<()> {
    let (go, wait) = mpsc::channel::<()>();
    let (on_start, started) = oneshot::channel();
    // The result is not used, but its receiver has to live, or the work would not be run.
    let on_start = move || on_start.send(()).unwrap();
    let answer = worker_pool.start(user, on_start, move || {
        let _ = wait.recv();
    });
    tokio::spawn(answer);
    started.await.unwrap();
    go
}

#[tokio::test]
async fn whoever_asks_for_much_waits_in_a_line_of_its_own() {
    let worker_pool = WorkerPool::new("test", 1);
    let go = occupy_worker(&worker_pool, UserKey(1)).await;
    let done: Arc<Mutex<Vec<&str>>> = Arc::default();
    let start_job = |user, what| {
        let done = Arc::clone(&done);
        worker_pool.start(UserKey(user), || {}, move || done.lock().push(what))
    };
    let receivers = [
        start_job(1, "1a"),
        start_job(1, "1b"),
        start_job(1, "1c"),
        start_job(2, "2a"),
        start_job(3, "3a"),
        start_job(2, "2b"),
    ];
    drop(go);
    for receiver in receivers {
        receiver.await.unwrap();
    }
    assert_eq!(*done.lock(), ["1a", "2a", "3a", "1b", "2b", "1c"]);
    assert!(worker_pool.shared.queues().waiting.is_empty() && worker_pool.shared.queues().count == 0);
}

#[tokio::test]
async fn work_that_nobody_waits_for_any_more_is_not_done() {
    let worker_pool = WorkerPool::new("test", 1);
    let go = occupy_worker(&worker_pool, UserKey(1)).await;
    let done: Arc<Mutex<Vec<&str>>> = Arc::default();
    let log = |what| {
        let done = Arc::clone(&done);
        move || done.lock().push(what)
    };
    let late = worker_pool.run_within(Duration::from_millis(1), UserKey(2), log("late")).await;
    assert_eq!(late, Err(RunError::Busy));
    drop(worker_pool.start(UserKey(2), || {}, log("left")));
    let waited_for = worker_pool.start(UserKey(2), || {}, log("kept"));
    drop(go);
    waited_for.await.unwrap();
    assert_eq!(*done.lock(), ["kept"]);
}

#[tokio::test]
async fn as_many_threads_work_as_there_is_work_and_no_more() {
    let worker_pool = WorkerPool::new("test", 3);
    let first = [
        occupy_worker(&worker_pool, UserKey(1)).await,
        occupy_worker(&worker_pool, UserKey(1)).await,
        occupy_worker(&worker_pool, UserKey(2)).await,
    ];
    let late = worker_pool.run_within(Duration::from_millis(1), UserKey(3), || ()).await;
    assert_eq!(late, Err(RunError::Busy), "there is no fourth");
    drop(first);
    assert_eq!(worker_pool.run(UserKey(3), || 5).await, Ok(5));
    assert_eq!(worker_pool.shared.queues().threads, 3);
}

#[tokio::test]
async fn whoever_has_much_work_leaves_a_thread_to_others() {
    let worker_pool = WorkerPool::new("test", 2);
    let go = occupy_worker(&worker_pool, UserKey(1)).await;
    let second = worker_pool.start(UserKey(1), || {}, || "second");
    assert_eq!(worker_pool.run(UserKey(2), || "other").await, Ok("other"));
    assert_eq!(worker_pool.shared.queues().count, 1, "the second waits for the first");
    drop(go);
    assert_eq!(second.await, Ok("second"));
    assert_eq!(worker_pool.run(UserKey(2), || 5).await, Ok(5));
}

#[tokio::test]
async fn a_panic_is_an_answer_and_its_thread_goes_on() {
    let worker_pool = WorkerPool::new("test", 1);
    assert_eq!(worker_pool.run(UserKey(1), || panic!("on purpose")).await, Err::<(), _>(RunError::Failed));
    assert_eq!(worker_pool.run(UserKey(1), || 5).await, Ok(5));
    assert_eq!(worker_pool.shared.queues().threads, 1);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn its_threads_give_way_to_those_that_serve_connections() {
    let priority = || rustix::process::getpriority_process(None).unwrap();
    let (here, there) = (priority(), WorkerPool::new("test", 1).run(UserKey(1), priority).await.unwrap());
    assert_eq!(there, (here + crate::threads::NICENESS).min(19));
    assert_eq!(priority(), here, "nobody else's priority changed");
}
