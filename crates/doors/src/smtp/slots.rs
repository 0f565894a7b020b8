//! The slots for connections that bring mail: a number in all, and for each address; on the same machine for each of
//! its users. If there is none, the connection that has waited longest for a command makes way. It is one of the same
//! address or user, or of the sender with the most connections.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_server_core::domain::limits;
use tidings_server_core::peer_user::PeerUser;
use tidings_server_core::rate_limit::BucketKey;
use tokio_util::sync::CancellationToken;

/// Whose connections count together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Sender {
    /// A user of this machine.
    LocalUser(u32),
    /// An address, or a network of a host.
    Address(BucketKey),
}

impl Sender {
    /// The sender at the other end of a connection. `user` is known of connections over the loopback alone.
    pub(super) fn of(address: IpAddr, user: Option<PeerUser>) -> Self {
        match user {
            Some(PeerUser::Uid(uid)) => Self::LocalUser(uid),
            _ => Self::Address(BucketKey::of(address)),
        }
    }
}

/// The slots that are taken.
#[derive(Clone, Default)]
pub(super) struct Slots(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    /// Counts the moments at which a slot was taken or its connection began to wait.
    moments: u64,
    taken: HashMap<u64, Taken>,
}

/// A taken slot.
struct Taken {
    sender: Sender,
    /// The moment since which the connection waits for a command; `None` while it is at work.
    waits_since: Option<u64>,
    makes_way: CancellationToken,
}

/// A slot for one connection, freed when dropped.
pub(super) struct Slot {
    slots: Slots,
    id: u64,
    makes_way: CancellationToken,
}

impl Table {
    fn moment(&mut self) -> u64 {
        self.moments += 1;
        self.moments
    }

    fn are_full(&self, sender: &Sender) -> bool {
        self.count_of(sender) >= limits::MAIL_CONNECTIONS_PER_ADDRESS
    }

    fn count_of(&self, sender: &Sender) -> usize {
        self.taken.values().filter(|slot| slot.sender == *sender).count()
    }

    /// Frees the slot of the connection of this sender that has waited longest; false if none waits.
    fn make_room(&mut self, sender: &Sender) -> bool {
        let of_sender = self.taken.iter().filter(|(_, slot)| slot.sender == *sender);
        let waiting = of_sender.filter_map(|(id, slot)| Some((slot.waits_since?, *id)));
        let Some((_, longest)) = waiting.min() else { return false };
        if let Some(slot) = self.taken.remove(&longest) {
            slot.makes_way.cancel();
        }
        true
    }

    /// The sender with the most connections, among those of which one waits.
    fn most(&self) -> Option<Sender> {
        let waiting = self.taken.values().filter(|slot| slot.waits_since.is_some());
        waiting.map(|slot| &slot.sender).max_by_key(|sender| self.count_of(sender)).cloned()
    }
}

impl Slots {
    /// Whether all slots of this sender are taken.
    pub(super) fn are_full(&self, sender: &Sender) -> bool {
        self.0.lock().are_full(sender)
    }

    /// A slot for a connection of this sender, which is at work; `None` if there is none and no connection waits that
    /// could make way.
    pub(super) fn take(&self, sender: Sender) -> Option<Slot> {
        let mut table = self.0.lock();
        let makes_way = if table.are_full(&sender) {
            Some(sender.clone())
        } else if table.taken.len() >= limits::MAIL_CONNECTIONS {
            Some(table.most()?)
        } else {
            None
        };
        if let Some(makes_way) = makes_way
            && !table.make_room(&makes_way)
        {
            return None;
        }
        let id = table.moment();
        let makes_way = CancellationToken::new();
        table.taken.insert(id, Taken { sender, waits_since: None, makes_way: makes_way.clone() });
        Some(Slot { slots: self.clone(), id, makes_way })
    }
}

impl Slot {
    /// Waits for a command by `command`; `None` if the connection has to make way for another before one came.
    pub(super) async fn wait_for<T>(&self, command: impl Future<Output = T>) -> Option<T> {
        self.note(true);
        let came = tokio::select! {
            biased;
            () = self.makes_way.cancelled() => None,
            came = command => Some(came),
        };
        self.note(false);
        came
    }

    fn note(&self, waits: bool) {
        let mut table = self.slots.0.lock();
        let moment = table.moment();
        if let Some(slot) = table.taken.get_mut(&self.id) {
            slot.waits_since = waits.then_some(moment);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.0.lock().taken.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt;

    use super::*;

    fn remote(n: u8) -> Sender {
        Sender::of(IpAddr::from([192, 0, 2, n]), None)
    }

    /// A slot whose connection waits for a command that never comes.
    fn waiting(slots: &Slots, sender: Sender) -> Pin<Box<dyn Future<Output = Option<()>>>> {
        let slot = slots.take(sender).unwrap();
        let mut waiting = Box::pin(async move { slot.wait_for(std::future::pending()).await });
        assert_eq!((&mut waiting).now_or_never(), None);
        waiting
    }

    #[test]
    fn one_address_never_takes_every_place_and_gives_back_those_that_it_has() {
        let slots = Slots::default();
        let take = |n: u8| slots.take(remote(n));
        let own: Vec<_> = (0..limits::MAIL_CONNECTIONS_PER_ADDRESS).map(|_| take(1).unwrap()).collect();
        assert!(take(1).is_none(), "who is at work makes no way");
        let others: Vec<_> = (2..).map_while(take).collect();
        assert_eq!(own.len() + others.len(), limits::MAIL_CONNECTIONS);
        drop((own, others));
        assert!(slots.0.lock().taken.is_empty(), "nobody is remembered");
    }

    #[test]
    fn whoever_waits_longest_for_a_command_makes_way_first_of_its_own() {
        let slots = Slots::default();
        let user = |uid| Sender::of(IpAddr::from([127, 0, 0, 1]), Some(PeerUser::Uid(uid)));
        let mut mals: Vec<_> =
            (0..limits::MAIL_CONNECTIONS_PER_ADDRESS).map(|_| waiting(&slots, user(1_001))).collect();
        // Another user of the same machine has slots of its own.
        let mut alices = waiting(&slots, user(1_002));
        let _one_more = slots.take(user(1_001)).unwrap();
        let ended: Vec<_> = mals.iter_mut().map(FutureExt::now_or_never).collect();
        assert_eq!(ended.iter().filter(|ended| ended.is_some()).count(), 1);
        assert_eq!(ended[0], Some(None), "the first, which waits longest");
        assert_eq!((&mut alices).now_or_never(), None);
    }

    #[test]
    fn where_all_are_taken_the_idle_one_of_whoever_has_most_makes_way() {
        let slots = Slots::default();
        let mut most: Vec<_> = (0..3).map(|_| waiting(&slots, remote(1))).collect();
        let mut single = waiting(&slots, remote(2));
        let _busy: Vec<_> = (4..limits::MAIL_CONNECTIONS)
            .map(|n| slots.take(remote(u8::try_from(n).unwrap())).unwrap())
            .collect();
        let _new = slots.take(remote(250)).unwrap();
        assert_eq!((&mut most[0]).now_or_never(), Some(None));
        assert!((&mut most[1]).now_or_never().is_none() && (&mut single).now_or_never().is_none());
    }
}
