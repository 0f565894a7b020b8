//! The pages of a database file, for tests that damage each kind of them.

use std::collections::BTreeMap;

/// The size of a page.
pub const PAGE_BYTES: usize = 4_096;

/// The number that four bytes of a file stand for.
fn number(file: &[u8], at: usize) -> usize {
    usize::try_from(u32::from_be_bytes(file[at..at + 4].try_into().unwrap())).unwrap()
}

/// The pages that nothing uses, by their list: pages of numbers, each with the next of its kind.
fn unused(file: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let (mut lists, mut pages, mut list) = (Vec::new(), Vec::new(), number(file, 32));
    while list != 0 {
        lists.push(list);
        let at = (list - 1) * PAGE_BYTES;
        pages.extend((0..number(file, at + 4)).map(|nth| number(file, at + 8 + 4 * nth)));
        list = number(file, at);
    }
    (lists, pages)
}

/// A page of each kind: the first byte says what it is, unless it is unused or goes on with a long row.
pub fn kinds(file: &[u8]) -> BTreeMap<&'static str, usize> {
    let (lists, unused) = unused(file);
    let mut found = BTreeMap::from([("first page", 1)]);
    for page in 2..=file.len() / PAGE_BYTES {
        let kind = match file[(page - 1) * PAGE_BYTES] {
            _ if unused.contains(&page) => continue,
            _ if lists.contains(&page) => "list of unused pages",
            2 => "interior page of an index",
            5 => "interior page of a table",
            10 => "leaf of an index",
            13 => "leaf of a table",
            _ => "rest of a long row",
        };
        // The last one: the first ones are of tables that are empty.
        found.insert(kind, page);
    }
    found
}

/// The bits of a page by which SQLite finds what is in it.
pub fn bits(kind: &str) -> &'static [(usize, u8)] {
    match kind {
        // Its kind, the number of its cells, and the place of the first one.
        "first page" => &[(100, 1), (104, 1), (108, 4), (5, 1)],
        "rest of a long row" => &[(3, 1), (1, 0x40)],
        "list of unused pages" => &[(7, 1), (11, 1)],
        kind if kind.starts_with("interior") => &[(0, 1), (4, 1), (11, 1), (13, 4)],
        _ => &[(0, 1), (4, 1), (9, 4)],
    }
}
