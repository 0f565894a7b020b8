//! The open streams of all users, by their age. One user has a share of the slots for connections, and all streams
//! together leave some for requests. If there is no room, the oldest stream of the user with the most streams makes
//! way.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use tidings_store::domain::account::UserKey;

use crate::maps;

/// One user's streams take at most one in this many slots for connections.
const USER_SHARE: usize = 4;
/// One in this many slots is never for a stream, so that requests are answered, however many streams are open.
const REQUEST_SHARE: usize = 8;

/// The error of a user whose streams have their share of the slots already.
#[derive(Debug)]
pub struct TooManyStreams;

/// A stream among all of a server: it is older than those with larger numbers.
pub(super) type StreamNumber = u64;

/// The number of streams of a user, their oldest one, and the user: the last of them is whose stream makes way first.
type Rank = (usize, Reverse<StreamNumber>, UserKey);

/// The open streams, each with the number of its connection.
pub(super) struct Streams {
    /// The most streams that are allowed in all, and of one user.
    limit: usize,
    user_limit: usize,
    count: usize,
    by_user: HashMap<UserKey, BTreeMap<StreamNumber, u64>>,
    ranking: BTreeSet<Rank>,
}

impl Streams {
    /// None yet, if there are this many slots for connections.
    pub(super) fn new(max_connections: usize) -> Self {
        let for_requests = (max_connections / REQUEST_SHARE).max(1);
        Self {
            limit: max_connections.saturating_sub(for_requests).max(1),
            user_limit: (max_connections / USER_SHARE).max(1),
            count: 0,
            by_user: HashMap::new(),
            ranking: BTreeSet::new(),
        }
    }

    /// Adds a stream of a user. Gives the connection of the stream that makes way for it, if there are as many as
    /// allowed.
    pub(super) fn add(
        &mut self,
        user: UserKey,
        number: StreamNumber,
        connection: u64,
    ) -> Result<Option<u64>, TooManyStreams> {
        let own = self.by_user.get(&user).map_or(0, BTreeMap::len);
        if own >= self.user_limit {
            return Err(TooManyStreams);
        }
        let makes_way = if self.count < self.limit {
            None
        } else {
            // A user who has the most with the new one loses an own one.
            let most = self.ranking.last().filter(|(count, ..)| *count > own).map(|(.., who)| *who);
            self.pop_oldest_of(most.unwrap_or(user))
        };
        self.change(user, |streams| streams.insert(number, connection));
        Ok(makes_way)
    }

    /// Removes a stream, if it did not make way before.
    pub(super) fn remove(&mut self, user: UserKey, number: StreamNumber) {
        self.change(user, |streams| streams.remove(&number));
    }

    /// Removes the oldest stream of the user with the most streams; gives its connection.
    pub(super) fn pop_oldest_of_most(&mut self) -> Option<u64> {
        let (.., user) = *self.ranking.last()?;
        self.pop_oldest_of(user)
    }

    fn pop_oldest_of(&mut self, user: UserKey) -> Option<u64> {
        self.change(user, |streams| streams.pop_first().map(|(_, connection)| connection))
    }

    /// Changes the streams of a user, and what depends on their number.
    fn change<T>(&mut self, user: UserKey, change: impl FnOnce(&mut BTreeMap<StreamNumber, u64>) -> T) -> T {
        let streams = self.by_user.entry(user).or_default();
        if let Some(rank) = rank(user, streams) {
            self.ranking.remove(&rank);
        }
        self.count -= streams.len();
        let changed = change(streams);
        self.count += streams.len();
        if let Some(rank) = rank(user, streams) {
            self.ranking.insert(rank);
        } else {
            self.by_user.remove(&user);
        }
        maps::shrink(&mut self.by_user);
        changed
    }

    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.count == 0 && self.by_user.is_empty() && self.ranking.is_empty()
    }
}

fn rank(user: UserKey, streams: &BTreeMap<StreamNumber, u64>) -> Option<Rank> {
    streams.first_key_value().map(|(oldest, _)| (streams.len(), Reverse(*oldest), user))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_has_a_quarter_of_the_places_and_some_are_never_for_streams() {
        let mut streams = Streams::new(768);
        let open = |streams: &mut Streams, user, count| {
            (0..count).map_while(|n| streams.add(UserKey(user), n, n).ok()).filter(Option::is_none).count()
        };
        assert_eq!(open(&mut streams, 1, 900), 192);
        assert_eq!([open(&mut streams, 2, 900), open(&mut streams, 3, 900)], [192, 192]);
        assert_eq!(
            open(&mut streams, 4, 900),
            672 - 3 * 192,
            "for the last 96 of a quarter one of others ends each"
        );
        assert_eq!((streams.count, streams.limit), (672, 672));
    }

    #[test]
    fn the_oldest_stream_of_whoever_has_most_makes_way() {
        let mut streams = Streams::new(16);
        for (number, user) in [(1, 7), (2, 7), (3, 7), (4, 8), (5, 9)] {
            assert_eq!(streams.add(UserKey(user), number, 100 + number).unwrap(), None);
        }
        streams.limit = 5;
        assert_eq!(streams.add(UserKey(8), 6, 106).unwrap(), Some(101), "whoever has most gives one");
        assert_eq!(
            streams.add(UserKey(10), 7, 107).unwrap(),
            Some(102),
            "of two with as many, who began first"
        );
        assert_eq!(
            streams.add(UserKey(8), 8, 108).unwrap(),
            Some(104),
            "whoever would have most gives an own one"
        );
        assert_eq!(streams.pop_oldest_of_most(), Some(106));
        // One that made way is removed once.
        streams.remove(UserKey(8), 6);
        assert_eq!(streams.count, 4);
        for (number, user) in [(3, 7), (5, 9), (7, 10), (8, 8)] {
            streams.remove(UserKey(user), number);
        }
        assert!(streams.is_empty() && streams.pop_oldest_of_most().is_none(), "nothing is kept of who left");
    }

    #[test]
    fn of_users_with_one_stream_each_the_oldest_makes_way_for_a_newcomer() {
        let mut streams = Streams::new(3);
        assert_eq!(streams.limit, 2);
        assert!(streams.add(UserKey(9), 1, 101).unwrap().is_none());
        assert!(streams.add(UserKey(2), 2, 102).unwrap().is_none());
        assert_eq!(streams.add(UserKey(5), 3, 103).unwrap(), Some(101));
        assert_eq!(streams.add(UserKey(1), 4, 104).unwrap(), Some(102));
    }
}
