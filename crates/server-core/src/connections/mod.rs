//! All connections of a server, up to a maximum. When it is reached, those that have waited longest for a request are
//! closed, first those of the address with the most connections. If none waits, the oldest stream of the user with the
//! most streams ends.

mod state;
mod streams;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tidings_store::domain::account::UserKey;

pub use self::state::{ActiveRequest, ClientPresence, ConnectionState};
pub use self::streams::TooManyStreams;
use self::streams::{StreamNumber, Streams};
use crate::maps;

/// A full server closes this fraction of its connections at once, so that not every new connection has to search all of
/// them.
const EVICTION_FRACTION: usize = 64;

/// The open connections.
#[derive(Clone)]
pub struct Connections {
    max_connections: usize,
    table: Arc<Mutex<ConnectionTable>>,
}

struct ConnectionTable {
    next: u64,
    open: HashMap<u64, ConnectionState>,
    streams: Streams,
}

impl ConnectionTable {
    fn take_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Asks a connection to end. It has its slot no more, although it takes a moment.
    fn close(&mut self, connection: u64) {
        if let Some(state) = self.open.remove(&connection) {
            state.close();
        }
    }
}

/// A slot among the connections, freed when dropped.
pub struct Slot {
    id: u64,
    connections: Connections,
    /// The state of the connection.
    pub state: ConnectionState,
}

impl Connections {
    /// Room for so many connections.
    pub fn new(max_connections: usize) -> Self {
        let streams = Streams::new(max_connections);
        let table = ConnectionTable { next: 0, open: HashMap::new(), streams };
        Self { max_connections, table: Arc::new(Mutex::new(table)) }
    }

    fn table(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock()
    }

    /// A slot for a new connection; `None` if the server is full and every connection is busy.
    pub fn admit(&self, peer: IpAddr) -> Option<Slot> {
        let full = self.table().open.len() >= self.max_connections;
        if full && !self.make_room() {
            return None;
        }
        let state = ConnectionState::new(peer);
        let mut table = self.table();
        let id = table.take_number();
        table.open.insert(id, state.clone());
        drop(table);
        Some(Slot { id, connections: self.clone(), state })
    }

    /// Closes the connections that have waited longest, or a stream if none is waiting; false if there is neither.
    pub fn make_room(&self) -> bool {
        self.evict_idle() || self.evict_stream()
    }

    /// Closes the oldest stream of the user with the most streams; false if there is none.
    fn evict_stream(&self) -> bool {
        let mut table = self.table();
        let Some(connection) = table.streams.pop_oldest_of_most() else { return false };
        table.close(connection);
        true
    }

    /// Closes the connections that have waited longest; false if none is waiting.
    fn evict_idle(&self) -> bool {
        let mut table = self.table();
        let mut by_address: HashMap<IpAddr, usize> = HashMap::new();
        for state in table.open.values() {
            *by_address.entry(state.peer()).or_default() += 1;
        }
        let mut idle: Vec<_> = table
            .open
            .iter()
            .filter_map(|(id, state)| {
                let connections = by_address.get(&state.peer()).copied().unwrap_or(0);
                state.idle_since().map(|since| (Reverse(connections), since, *id))
            })
            .collect();
        let evict_count = (self.max_connections / EVICTION_FRACTION).max(1).min(idle.len());
        if evict_count == 0 {
            return false;
        }
        if evict_count < idle.len() {
            idle.select_nth_unstable(evict_count - 1);
        }
        for (_, _, id) in idle.into_iter().take(evict_count) {
            table.close(id);
        }
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut table = self.connections.table();
        table.open.remove(&self.id);
        maps::shrink(&mut table.open);
    }
}

/// The connection of a request, for a handler whose response is a stream.
#[derive(Clone)]
pub struct StreamSlots(Arc<Slot>);

impl StreamSlots {
    /// The connection with this slot.
    pub fn new(slot: &Arc<Slot>) -> Self {
        Self(Arc::clone(slot))
    }

    /// A slot for a stream of a user on this connection. If there are as many streams as allowed, the oldest one of
    /// the user with the most streams makes way.
    ///
    /// # Errors
    /// [`TooManyStreams`] if the user's streams have their share of the slots.
    pub fn take(&self, user: UserKey) -> Result<StreamSlot, TooManyStreams> {
        let slot = Arc::clone(&self.0);
        let active = slot.state.begin_request();
        let mut table = slot.connections.table();
        let number = table.take_number();
        if let Some(makes_way) = table.streams.add(user, number, slot.id)? {
            table.close(makes_way);
        }
        drop(table);
        Ok(StreamSlot { slot, user, number, _active: active })
    }
}

/// The slot of an open stream among the connections, which is given back when it is dropped. With it the connection
/// has its slot, even after it became a `WebSocket`.
pub struct StreamSlot {
    slot: Arc<Slot>,
    user: UserKey,
    number: StreamNumber,
    _active: ActiveRequest,
}

impl StreamSlot {
    /// Completes when the stream has to make way for another.
    pub async fn closed(&self) {
        self.slot.state.closed().await;
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.slot.connections.table().streams.remove(self.user, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL_PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const REMOTE_PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn is_ended(slot: &Slot) -> bool {
        use futures_util::FutureExt;
        slot.state.closed().now_or_never().is_some()
    }

    #[test]
    fn where_it_is_full_the_one_that_waited_longest_ends() {
        let connections = Connections::new(3);
        let mut slots: Vec<Slot> = (0..3).map(|_| connections.admit(LOCAL_PEER).unwrap()).collect();
        let busy = slots[0].state.begin_request();
        slots.push(connections.admit(LOCAL_PEER).unwrap());
        assert_eq!(slots.iter().map(is_ended).collect::<Vec<_>>(), [false, true, false, false]);
        drop(busy);
        slots.push(connections.admit(LOCAL_PEER).unwrap());
        assert_eq!(slots.iter().map(is_ended).collect::<Vec<_>>(), [false, true, true, false, false]);
        let active: Vec<_> = slots.iter().map(|p| p.state.begin_request()).collect();
        assert!(connections.admit(LOCAL_PEER).is_none(), "nobody at work makes way");
        drop((active, slots));
        assert!(connections.table().open.is_empty());
    }

    #[test]
    fn where_all_are_at_work_the_oldest_stream_of_whoever_has_most_makes_way() {
        let connections = Connections::new(8);
        let slots: Vec<_> = (0..8).map(|_| Arc::new(connections.admit(LOCAL_PEER).unwrap())).collect();
        let stream = |at: usize, user| StreamSlots::new(&slots[at]).take(UserKey(user));
        let streams = [stream(0, 1).unwrap(), stream(1, 2).unwrap(), stream(2, 2).unwrap()];
        assert!(stream(3, 2).is_err(), "two are a quarter");
        let requests: Vec<_> = slots[3..].iter().map(|slot| slot.state.begin_request()).collect();
        let newcomer = connections.admit(REMOTE_PEER).unwrap();
        let ended = || slots.iter().map(|slot| is_ended(slot)).collect::<Vec<_>>();
        assert_eq!(ended(), [false, true, false, false, false, false, false, false]);
        let others: Vec<_> = (0..2)
            .map(|_| {
                let slot = connections.admit(REMOTE_PEER).unwrap();
                let busy = slot.state.begin_request();
                (slot, busy)
            })
            .collect();
        assert!(is_ended(&newcomer), "whoever waits goes first");
        assert_eq!(ended().iter().filter(|ended| **ended).count(), 2);
        drop((streams, requests, others, slots, newcomer));
        assert!(
            connections.table().open.is_empty() && connections.table().streams.pop_oldest_of_most().is_none()
        );
    }

    #[test]
    fn an_address_with_most_connections_makes_way_first() {
        let connections = Connections::new(4);
        let remote = connections.admit(REMOTE_PEER).unwrap();
        let local: Vec<Slot> = (0..3).map(|_| connections.admit(LOCAL_PEER).unwrap()).collect();
        let newcomer = connections.admit(REMOTE_PEER).unwrap();
        assert!(!is_ended(&remote) && !is_ended(&newcomer) && is_ended(&local[0]));
    }
}
