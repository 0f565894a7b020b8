//! The places for connections that bring mail: a number in all, and for each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::limits;
use crate::http::BucketKey;

/// The places, by address.
#[derive(Clone, Default)]
pub(super) struct Places(Arc<Mutex<HashMap<BucketKey, usize>>>);

/// A place for one connection, freed when dropped.
pub(super) struct Place {
    places: Places,
    key: BucketKey,
}

impl Places {
    /// A place for a connection of this address; `None` where it has as many as it may, or all are taken.
    pub(super) fn take(&self, address: IpAddr) -> Option<Place> {
        let key = BucketKey::of(address);
        let mut taken = self.0.lock();
        let all: usize = taken.values().sum();
        let own = taken.get(&key).copied().unwrap_or(0);
        if all >= limits::MAIL_CONNECTIONS || own >= limits::MAIL_CONNECTIONS_PER_ADDRESS {
            return None;
        }
        taken.insert(key.clone(), own + 1);
        Some(Place { places: self.clone(), key })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock();
        let left = taken.get(&self.key).map_or(0, |own| own.saturating_sub(1));
        if left == 0 {
            taken.remove(&self.key);
        } else {
            taken.insert(self.key.clone(), left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_never_takes_every_place_and_gives_back_those_that_it_has() {
        let places = Places::default();
        let take = |n: u8| places.take(IpAddr::from([192, 0, 2, n]));
        let own: Vec<_> = (0..limits::MAIL_CONNECTIONS_PER_ADDRESS).map(|_| take(1).unwrap()).collect();
        assert!(take(1).is_none());
        let others: Vec<_> = (2..).map_while(take).collect();
        assert_eq!(own.len() + others.len(), limits::MAIL_CONNECTIONS);
        drop((own, others));
        assert!(places.0.lock().is_empty(), "nobody is remembered");
    }
}
