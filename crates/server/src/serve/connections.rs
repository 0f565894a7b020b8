//! All connections of a server, up to a maximum. When it is reached, those that have waited longest for a request are
//! closed, first those of the address with the most connections.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::state::ConnectionState;
use parking_lot::{Mutex, MutexGuard};

/// A full server closes this fraction of its connections at once, so that not every new connection has to search all of
/// them.
const EVICTION_FRACTION: usize = 64;

/// The open connections.
#[derive(Clone)]
pub(super) struct Connections {
    max_connections: usize,
    table: Arc<Mutex<ConnectionTable>>,
}

#[derive(Default)]
struct ConnectionTable {
    next: u64,
    open: HashMap<u64, ConnectionState>,
}

/// A place among the connections, freed when dropped.
pub(super) struct Slot {
    id: u64,
    connections: Connections,
    pub(super) state: ConnectionState,
}

impl Connections {
    pub(super) fn new(max_connections: usize) -> Self {
        Self { max_connections, table: Arc::default() }
    }

    fn table(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock()
    }

    /// A place for a new connection; `None` where the server is full and every connection is busy.
    pub(super) fn admit(&self, peer: IpAddr) -> Option<Slot> {
        let full = self.table().open.len() >= self.max_connections;
        if full && !self.evict_idle() {
            return None;
        }
        let state = ConnectionState::new(peer);
        let mut table = self.table();
        let id = table.next;
        table.next += 1;
        table.open.insert(id, state.clone());
        drop(table);
        Some(Slot { id, connections: self.clone(), state })
    }

    /// Closes the connections that have waited longest; false where none is waiting.
    pub(super) fn evict_idle(&self) -> bool {
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
            if let Some(state) = table.open.remove(&id) {
                state.close();
            }
        }
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.table().open.remove(&self.id);
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
    fn an_address_with_most_connections_makes_way_first() {
        let connections = Connections::new(4);
        let remote = connections.admit(REMOTE_PEER).unwrap();
        let local: Vec<Slot> = (0..3).map(|_| connections.admit(LOCAL_PEER).unwrap()).collect();
        let newcomer = connections.admit(REMOTE_PEER).unwrap();
        assert!(!is_ended(&remote) && !is_ended(&newcomer) && is_ended(&local[0]));
    }
}
