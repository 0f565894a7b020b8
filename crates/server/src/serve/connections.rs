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
const AT_ONCE: usize = 64;

/// The open connections.
#[derive(Clone)]
pub(super) struct Connections {
    most: usize,
    all: Arc<Mutex<All>>,
}

#[derive(Default)]
struct All {
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
    pub(super) fn new(most: usize) -> Self {
        Self { most, all: Arc::default() }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock()
    }

    /// A place for a new connection; `None` where the server is full and every connection is busy.
    pub(super) fn admit(&self, peer: IpAddr) -> Option<Slot> {
        let full = self.all().open.len() >= self.most;
        if full && !self.make_room() {
            return None;
        }
        let state = ConnectionState::new(peer);
        let mut all = self.all();
        let id = all.next;
        all.next += 1;
        all.open.insert(id, state.clone());
        drop(all);
        Some(Slot { id, connections: self.clone(), state })
    }

    /// Closes the connections that have waited longest; false where none is waiting.
    pub(super) fn make_room(&self) -> bool {
        let mut all = self.all();
        let mut of_address: HashMap<IpAddr, usize> = HashMap::new();
        for state in all.open.values() {
            *of_address.entry(state.peer()).or_default() += 1;
        }
        let mut waiting: Vec<_> = all
            .open
            .iter()
            .filter_map(|(id, state)| {
                let many = of_address.get(&state.peer()).copied().unwrap_or(0);
                state.waits_since().map(|since| (Reverse(many), since, *id))
            })
            .collect();
        let room = (self.most / AT_ONCE).max(1).min(waiting.len());
        if room == 0 {
            return false;
        }
        if room < waiting.len() {
            waiting.select_nth_unstable(room - 1);
        }
        for (_, _, id) in waiting.into_iter().take(room) {
            if let Some(state) = all.open.remove(&id) {
                state.end();
            }
        }
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.all().open.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn is_ended(slot: &Slot) -> bool {
        use futures_util::FutureExt;
        slot.state.ended().now_or_never().is_some()
    }

    #[test]
    fn where_it_is_full_the_one_that_waited_longest_ends() {
        let connections = Connections::new(3);
        let mut slots: Vec<Slot> = (0..3).map(|_| connections.admit(HERE).unwrap()).collect();
        let busy = slots[0].state.serve();
        slots.push(connections.admit(HERE).unwrap());
        assert_eq!(slots.iter().map(is_ended).collect::<Vec<_>>(), [false, true, false, false]);
        drop(busy);
        slots.push(connections.admit(HERE).unwrap());
        assert_eq!(slots.iter().map(is_ended).collect::<Vec<_>>(), [false, true, true, false, false]);
        let at_work: Vec<_> = slots.iter().map(|p| p.state.serve()).collect();
        assert!(connections.admit(HERE).is_none(), "nobody at work makes way");
        drop((at_work, slots));
        assert!(connections.all().open.is_empty());
    }

    #[test]
    fn an_address_with_most_connections_makes_way_first() {
        let connections = Connections::new(4);
        let few = connections.admit(THERE).unwrap();
        let many: Vec<Slot> = (0..3).map(|_| connections.admit(HERE).unwrap()).collect();
        let newcomer = connections.admit(THERE).unwrap();
        assert!(!is_ended(&few) && !is_ended(&newcomer) && is_ended(&many[0]));
    }
}
