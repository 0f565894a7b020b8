//! Sets of row ids with one bit for each id in their range: a million ids take some hundred kilobytes.

/// An immutable set of row ids of one table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct IdSet {
    low: i64,
    bits: Vec<u64>,
}

impl FromIterator<i64> for IdSet {
    fn from_iter<T: IntoIterator<Item = i64>>(ids: T) -> Self {
        let ids: Vec<i64> = ids.into_iter().collect();
        let Some((low, high)) = ids.iter().min().copied().zip(ids.iter().max().copied()) else {
            return Self::default();
        };
        let mut set = Self { low, bits: Vec::new() };
        set.bits.resize(set.at(high).map_or(0, |(word, _)| word + 1), 0);
        for id in ids {
            if let Some((word, bit)) = set.at(id)
                && let Some(bits) = set.bits.get_mut(word)
            {
                *bits |= bit;
            }
        }
        set
    }
}

impl IdSet {
    fn at(&self, id: i64) -> Option<(usize, u64)> {
        let n = usize::try_from(id.checked_sub(self.low)?).ok()?;
        Some((n / 64, 1 << (n % 64)))
    }

    pub(crate) fn has(&self, id: i64) -> bool {
        self.at(id).is_some_and(|(word, bit)| self.bits.get(word).is_some_and(|bits| bits & bit != 0))
    }

    /// The range of ids that contains all members.
    pub(crate) fn bounds(&self) -> (i64, i64) {
        let words = i64::try_from(self.bits.len()).unwrap_or(i64::MAX / 64);
        (self.low, self.low.saturating_add(words.saturating_mul(64)))
    }

    /// The members in descending order.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = i64> {
        self.bits.iter().enumerate().rev().flat_map(move |(word, bits)| {
            let (bits, base) = (*bits, self.low.saturating_add(i64::try_from(word).unwrap_or(0) * 64));
            (0..64_i64).rev().filter(move |bit| bits & (1 << bit) != 0).map(move |bit| base + bit)
        })
    }
}
