//! The rate limit: one token bucket for each network address and each access token. The number of buckets is fixed.
//! When all are in use, a new key replaces the fullest of a few. So an exhausted bucket survives any number of new
//! clients, and every request costs the same.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Instant;

use parking_lot::Mutex;
use tidings_model::{Code, Problem};

use crate::config::RateLimit;

/// The number of buckets.
const MAX_BUCKETS: usize = 10_000;
/// Buckets that are compared to find the one to replace.
const EVICTION_PROBES: usize = 16;

/// The key of a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BucketKey {
    /// An address, or the network of an IPv6 address.
    Address(IpAddr),
    /// An access token, by its id.
    Token(String),
}

impl BucketKey {
    /// The key of an address. One IPv6 host usually has a whole /64, so all addresses of such a network share a bucket.
    pub fn of(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// All buckets of a server. Without a rate every request passes.
pub struct Limiter {
    rate: Option<RateLimit>,
    max_buckets: usize,
    buckets: Mutex<Buckets>,
}

#[derive(Default)]
struct Buckets {
    index: HashMap<BucketKey, usize>,
    slots: Vec<Bucket>,
    /// Index at which the next search for a full bucket starts.
    next: usize,
}

struct Bucket {
    key: BucketKey,
    tokens: f64,
    updated_at: Instant,
}

impl Bucket {
    fn full(key: BucketKey, rate: RateLimit, now: Instant) -> Self {
        Self { key, tokens: f64::from(rate.burst), updated_at: now }
    }

    /// The number of requests left at `now`.
    fn available_tokens(&self, rate: RateLimit, now: Instant) -> f64 {
        let refilled =
            now.saturating_duration_since(self.updated_at).as_secs_f64() * f64::from(rate.per_second);
        (self.tokens + refilled).min(f64::from(rate.burst))
    }

    fn try_take(&mut self, rate: RateLimit, now: Instant) -> bool {
        let available_tokens = self.available_tokens(rate, now);
        let allowed = available_tokens >= 1.0;
        (self.tokens, self.updated_at) =
            (if allowed { available_tokens - 1.0 } else { available_tokens }, now);
        allowed
    }
}

impl Buckets {
    /// The index of the bucket with this key; a new one starts full.
    fn slot(&mut self, key: BucketKey, max_buckets: usize, rate: RateLimit, now: Instant) -> usize {
        if let Some(slot) = self.index.get(&key) {
            return *slot;
        }
        let bucket = Bucket::full(key.clone(), rate, now);
        let slot = if self.slots.len() < max_buckets {
            self.slots.push(bucket);
            self.slots.len() - 1
        } else {
            let slot = self.fullest(rate, now);
            if let Some(old) = self.slots.get_mut(slot) {
                self.index.remove(&std::mem::replace(old, bucket).key);
            }
            slot
        };
        self.index.insert(key, slot);
        slot
    }

    /// The index of the fullest of the next [`EVICTION_PROBES`] buckets.
    fn fullest(&mut self, rate: RateLimit, now: Instant) -> usize {
        let slot_count = self.slots.len().max(1);
        let begin = self.next;
        self.next = (begin + EVICTION_PROBES) % slot_count;
        let available_tokens =
            |slot: &usize| self.slots.get(*slot).map_or(0.0, |b| b.available_tokens(rate, now));
        (0..EVICTION_PROBES.min(slot_count))
            .map(|n| (begin + n) % slot_count)
            .max_by(|a, b| available_tokens(a).total_cmp(&available_tokens(b)))
            .unwrap_or_default()
    }
}

impl Limiter {
    pub(crate) fn new(rate: Option<RateLimit>) -> Self {
        Self { rate, max_buckets: MAX_BUCKETS, buckets: Mutex::default() }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// `rate_limited` when the bucket is empty.
    pub fn check(&self, key: BucketKey, now: Instant) -> Result<(), Problem> {
        let Some(rate) = self.rate else { return Ok(()) };
        let mut buckets = self.buckets.lock();
        let slot = buckets.slot(key, self.max_buckets, rate, now);
        let allowed = buckets.slots.get_mut(slot).is_none_or(|bucket| bucket.try_take(rate, now));
        if allowed {
            Ok(())
        } else {
            Err(Problem::new(Code::RateLimited, "too many requests; wait a second"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn address(n: u32) -> BucketKey {
        BucketKey::of(IpAddr::from(n.to_be_bytes()))
    }

    #[test]
    fn addresses_of_one_network_of_a_host_share_a_bucket() {
        let name = |address: &str| BucketKey::of(address.parse().unwrap());
        assert_eq!(name("2001:db8::1"), name("2001:db8::ffff:0:0:2"));
        assert_ne!(name("2001:db8:0:1::1"), name("2001:db8:0:2::1"));
        assert_eq!(name("::ffff:192.0.2.1"), name("192.0.2.1"));
        assert_ne!(name("192.0.2.1"), name("192.0.2.2"));
    }

    #[test]
    fn a_bucket_runs_dry_and_fills_again() {
        let limiter = Limiter::new(Some(RateLimit { burst: 2, per_second: 1_000 }));
        let now = Instant::now();
        let try_request = |name, millis| limiter.check(name, now + Duration::from_millis(millis)).is_ok();
        assert!(try_request(address(1), 0) && try_request(address(1), 0));
        assert!(!try_request(address(1), 0));
        assert!(try_request(address(2), 0) && try_request(BucketKey::Token("1".into()), 0));
        assert!(try_request(address(1), 5));
    }

    #[test]
    fn who_asked_too_often_stays_known_however_many_others_come() {
        let limiter = Limiter::new(Some(RateLimit { burst: 2, per_second: 1 }));
        let now = Instant::now();
        let try_request = |n| limiter.check(address(n), now).is_ok();
        let greedy = [0, 1, 2, 3, 4];
        for n in greedy {
            assert!(try_request(n) && try_request(n) && !try_request(n));
        }
        for other in 5..60_000 {
            assert!(try_request(other), "a newcomer is served");
        }
        for n in greedy {
            assert!(!try_request(n), "{n} was forgotten");
        }
        let buckets = limiter.buckets.lock();
        assert_eq!((buckets.slots.len(), buckets.index.len()), (MAX_BUCKETS, MAX_BUCKETS));
        assert!(buckets.slots.iter().enumerate().all(|(slot, b)| buckets.index.get(&b.key) == Some(&slot)));
    }
}
