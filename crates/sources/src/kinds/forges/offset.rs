//! Lists in numbered pages, read from a position that need not be the beginning of a page.

/// The size of a page below which none overlaps with the one before.
const MIN_OVERLAPPING_ITEMS: u64 = 8;

/// A numbered page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberedPage {
    /// The number, from 1.
    pub(super) number: u64,
    /// The number of items to ask for.
    pub(super) size: u64,
}

impl NumberedPage {
    /// The page that holds the item at `offset`, of at most `max` items.
    pub(super) const fn holding(offset: u64, max: u64) -> Self {
        let size = if max == 0 { 1 } else { max };
        Self { number: offset / size + 1, size }
    }

    /// A page that begins before `offset` and reaches as far beyond it as one of at most `max` items can. What it
    /// shares with the page before shows whether the list has moved meanwhile. At the beginning of the list, and for
    /// pages too small to share anything, it is the page that holds `offset`.
    pub(super) fn overlapping(offset: u64, max: u64) -> Self {
        let holding = Self::holding(offset, max);
        let Some(before) = offset.checked_sub(1).filter(|_| max >= MIN_OVERLAPPING_ITEMS) else {
            return holding;
        };
        let pages = (max / 2..=max).map(|size| Self { number: before / size + 1, size });
        pages.max_by_key(|page| page.end()).filter(|page| page.end() > offset).unwrap_or(holding)
    }

    /// The position of its first item.
    pub(super) const fn start(self) -> u64 {
        (self.number - 1) * self.size
    }

    /// The position after its last item.
    const fn end(self) -> u64 {
        self.start() + self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_the_position_that_it_is_asked_for() {
        for (offset, max) in [(0, 50), (49, 50), (50, 50), (51, 50), (1_234, 7), (3, 0)] {
            let page = NumberedPage::holding(offset, max);
            assert!((page.start()..page.start() + page.size).contains(&offset), "{page:?}");
        }
    }

    #[test]
    fn pages_that_overlap_go_on_and_leave_nothing_out() {
        for (max, most_pages) in [(20, 900), (100, 140)] {
            let (mut offset, mut pages) = (0, 0);
            while offset < 10_000 {
                let page = NumberedPage::overlapping(offset, max);
                assert!(offset == 0 || page.start() < offset, "{page:?} at {offset}");
                assert!(page.size <= max && page.end() > offset, "{page:?} at {offset}");
                (offset, pages) = (page.end(), pages + 1);
            }
            assert!(pages <= most_pages, "{pages} pages of {max}");
        }
        assert_eq!(NumberedPage::overlapping(5, 1), NumberedPage { number: 6, size: 1 });
    }
}
