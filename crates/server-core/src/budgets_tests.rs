//! Tests of the budgets that users share.

use std::sync::Arc;

use super::*;

const KIB: usize = 1024;

fn user(n: i64) -> Principal {
    Principal::User(UserKey(n))
}

#[tokio::test]
async fn nobody_can_use_up_a_budget_alone() {
    let pool = ByteBudget::new((8 * KIB, 4 * KIB), Duration::from_millis(20));
    let mut reservations = vec![pool.reserve(Principal::Anonymous, 4 * KIB).await.unwrap()];
    assert_eq!(pool.reserve(Principal::Anonymous, 1).await.err().unwrap().code, Code::Unavailable);
    reservations.push(pool.reserve(user(1), 3 * KIB).await.unwrap());
    reservations.push(pool.reserve(user(2), KIB).await.unwrap());
    assert_eq!(pool.free(), 0);
    assert_eq!(pool.reserve(user(3), 1).await.err().unwrap().code, Code::Unavailable);
    if let Some(reservation) = reservations.first_mut() {
        reservation.shrink(KIB);
    }
    assert_eq!(pool.free(), 3 * KIB);
    reservations.clear();
    assert_eq!(pool.free(), 8 * KIB);
    assert!(pool.shares.lock().is_empty(), "nobody is remembered");
}

#[tokio::test]
async fn what_can_not_wait_is_refused_at_once_and_nobody_is_remembered() {
    let pool = ByteBudget::new((6 * KIB, 4 * KIB), Duration::from_secs(3_600));
    assert!(pool.try_reserve(user(1), 5 * KIB).is_none(), "more than a share");
    let own = pool.try_reserve(user(1), 4 * KIB).unwrap();
    assert!(pool.try_reserve(user(1), 1).is_none() && pool.try_reserve(user(2), 3 * KIB).is_none());
    drop((own, pool.try_reserve(user(2), 2 * KIB).unwrap()));
    assert_eq!(pool.free(), 6 * KIB);
    assert!(pool.shares.lock().is_empty());
}

#[tokio::test]
async fn whoever_waits_gets_its_turn() {
    let pool = Arc::new(ByteBudget::new((4 * KIB, 4 * KIB), Duration::from_secs(30)));
    let first = pool.reserve(user(1), 4 * KIB).await.unwrap();
    let second = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.reserve(user(2), 2 * KIB).await.map(drop) }
    });
    tokio::task::yield_now().await;
    assert!(!second.is_finished());
    drop(first);
    second.await.unwrap().unwrap();
    assert_eq!(pool.free(), 4 * KIB);
}

#[tokio::test]
async fn whoever_waits_for_its_own_share_takes_no_room_from_the_others() {
    let pool = Arc::new(ByteBudget::new((8 * KIB, 4 * KIB), Duration::from_secs(3_600)));
    let _its_share = pool.reserve(Principal::Anonymous, 4 * KIB).await.unwrap();
    for _ in 0..4 {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { pool.reserve(Principal::Anonymous, 4 * KIB).await.map(drop) });
    }
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.free(), 4 * KIB);
    drop(pool.reserve(user(1), 4 * KIB).await.unwrap());
}
