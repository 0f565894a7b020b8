//! Tests of who is online, and of the most channels of a user.

use super::*;
use crate::domain::limits;

#[test]
fn a_user_is_online_from_the_first_channel_to_the_end_of_the_last() {
    let hub = Hub::default();
    let first = hub.listen(UserKey(1)).unwrap();
    let (second, other) = (hub.listen(UserKey(1)).unwrap(), hub.listen(UserKey(2)).unwrap());
    assert_eq!(hub.channel_count(), 3);
    drop((first, other));
    assert_eq!((hub.online(), hub.channel_count()), (vec![UserKey(1)], 1));
    hub.hint(UserKey(1), Stamp::from_micros(7));
    assert_eq!(second.borrow().stamp, Stamp::from_micros(7));
    drop(second);
    assert!(hub.inner.online.lock().is_empty(), "nothing is kept of who went");
    assert_eq!(hub.channel_count(), 0);
}

#[test]
fn a_user_has_a_bounded_number_of_channels_and_others_have_their_own() {
    let hub = Hub::default();
    let mut open: Vec<_> = (0..limits::USER_CHANNELS).map(|_| hub.listen(UserKey(1)).unwrap()).collect();
    assert!(hub.listen(UserKey(1)).is_err() && hub.listen(UserKey(2)).is_ok());
    open.pop();
    assert!(hub.listen(UserKey(1)).is_ok());
}

#[test]
fn channels_that_open_and_close_at_the_same_time_leave_nothing_and_miss_nothing() {
    let hub = Hub::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 1..=2_000 {
                    let mine = hub.listen(UserKey(1)).unwrap();
                    hub.hint(UserKey(1), Stamp::from_micros(n));
                    assert!(mine.borrow().stamp >= Stamp::from_micros(n));
                }
            });
        }
    });
    assert!(hub.inner.online.lock().is_empty());
    assert_eq!(hub.channel_count(), 0);
}
