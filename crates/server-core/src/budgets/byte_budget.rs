//! A budget of bytes, and what requests have reserved of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Extensions;
use parking_lot::Mutex;
use tidings_model::Problem;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Principal, busy};
use crate::maps;

/// A budget of bytes, counted in units of 1 KiB.
pub struct ByteBudget {
    free_units: Arc<Semaphore>,
    share: u32,
    pub(super) shares: Arc<Mutex<HashMap<Principal, Arc<Semaphore>>>>,
    timeout: Duration,
}

/// A reserved part of a budget, returned when dropped.
pub struct Reservation {
    principal: Principal,
    share: Option<OwnedSemaphorePermit>,
    total: Option<OwnedSemaphorePermit>,
    share_units: u32,
    shares: Arc<Mutex<HashMap<Principal, Arc<Semaphore>>>>,
}

impl ByteBudget {
    /// A budget of `bytes` in total and `share` for one principal; a request waits for room up to `timeout`.
    pub(crate) fn new((bytes, share): (usize, usize), timeout: Duration) -> Self {
        Self {
            free_units: Arc::new(Semaphore::new(units(bytes) as usize)),
            share: units(share),
            shares: Arc::default(),
            timeout,
        }
    }

    /// Reserves bytes, at most one whole share; requests are served in their order.
    ///
    /// # Errors
    /// `unavailable` if there is no room within the timeout.
    pub async fn reserve(&self, principal: Principal, bytes: usize) -> Result<Reservation, Problem> {
        let units = units(bytes).min(self.share);
        let (own, mut reservation) = self.begin(principal);
        let all = async {
            reservation.share = own.acquire_many_owned(units).await.ok();
            reservation.total = Arc::clone(&self.free_units).acquire_many_owned(units).await.ok();
        };
        tokio::time::timeout(self.timeout, all).await.map_err(|_| busy())?;
        Ok(reservation)
    }

    /// Reserves bytes without waiting; `None` if there is no room, or the bytes are more than a whole share.
    pub fn try_reserve(&self, principal: Principal, bytes: usize) -> Option<Reservation> {
        let units = units(bytes);
        let (own, mut reservation) = self.begin(principal);
        reservation.share = Some(own.try_acquire_many_owned(units).ok()?);
        reservation.total = Some(Arc::clone(&self.free_units).try_acquire_many_owned(units).ok()?);
        Some(reservation)
    }

    /// The share of a principal, and a reservation of nothing yet.
    fn begin(&self, principal: Principal) -> (Arc<Semaphore>, Reservation) {
        let mut shares = self.shares.lock();
        let own = shares.entry(principal).or_insert_with(|| Arc::new(Semaphore::new(self.share as usize)));
        let reservation = Reservation {
            principal,
            share: None,
            total: None,
            share_units: self.share,
            shares: Arc::clone(&self.shares),
        };
        (Arc::clone(own), reservation)
    }

    /// Bytes that are not reserved.
    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.free_units.available_permits() * 1024
    }
}

impl Reservation {
    /// Returns what exceeds this many bytes.
    pub fn shrink(&mut self, bytes: usize) {
        let keep = units(bytes) as usize;
        for permit in [&mut self.share, &mut self.total].into_iter().flatten() {
            let more = permit.num_permits().saturating_sub(keep);
            drop(permit.split(more));
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.total = None;
        self.share = None;
        let mut shares = self.shares.lock();
        // The entry of a principal without reservations is removed; a waiting request also has a reference to the
        // semaphore.
        let unused = shares.get(&self.principal).is_some_and(|share| {
            Arc::strong_count(share) == 1 && share.available_permits() == self.share_units as usize
        });
        if unused {
            shares.remove(&self.principal);
            maps::shrink(&mut shares);
        }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

/// The reservations that a request has until it is answered.
#[derive(Clone, Default)]
pub struct RequestReservations(Arc<Mutex<Vec<Reservation>>>);

impl RequestReservations {
    /// Keeps a reservation until the request is answered. It is dropped at once if the request has no such
    /// extension.
    pub fn add(extensions: &Extensions, reservation: Reservation) {
        if let Some(reservations) = extensions.get::<Self>() {
            reservations.0.lock().push(reservation);
        }
    }
}
