//! The record of `faults.c`: what each call changed, in the order of the calls.

/// What one call changed. A node is the number by which the file system knows a file or a folder; paths are relative
/// to the recorded folder.
#[derive(Debug, Clone)]
pub(super) enum Event {
    Opened {
        node: u64,
        is_new: bool,
        is_emptied: bool,
        is_folder: bool,
        path: String,
    },
    Written {
        node: u64,
        at: u64,
        bytes: Vec<u8>,
    },
    Sized {
        node: u64,
        bytes: u64,
    },
    Synced {
        node: u64,
    },
    /// The call failed.
    SyncFailed {
        node: u64,
    },
    /// With the nodes and names that were in the folder.
    FolderSynced {
        node: u64,
        names: Vec<(u64, String)>,
    },
    Renamed {
        node: u64,
        from: String,
        to: String,
    },
    Linked {
        node: u64,
        path: String,
    },
    Removed {
        path: String,
    },
    FolderMade {
        node: u64,
        path: String,
    },
}

impl Event {
    /// Whether it orders others, or changes a name: a loss of power beside it is worth trying more often.
    pub(super) fn is_turning_point(&self) -> bool {
        !matches!(self, Self::Written { .. } | Self::Opened { is_new: false, .. })
    }
}

/// The bytes before the two texts of an event.
const HEAD: usize = 1 + 8 + 8 + 4 + 4;

/// The events of a record, each with the position after it. The last one may be half written.
pub(super) fn read(mut bytes: &[u8]) -> Vec<(u64, Event)> {
    let (mut events, whole) = (Vec::new(), bytes.len());
    while bytes.len() >= HEAD {
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let short =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        let (kind, a, b, ones, twos) = (bytes[0], long(1), long(9), short(17), short(21));
        if bytes.len() < HEAD + ones + twos {
            break;
        }
        let (one, rest) = bytes[HEAD..].split_at(ones);
        let (two, rest) = rest.split_at(twos);
        events.push(((whole - rest.len()) as u64, event(kind, a, b, one, two)));
        bytes = rest;
    }
    events
}

fn event(kind: u8, a: u64, b: u64, one: &[u8], two: &[u8]) -> Event {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("a name in UTF-8");
    match kind {
        b'o' => Event::Opened {
            node: a,
            is_new: b & 1 != 0,
            is_emptied: b & 2 != 0,
            is_folder: b & 4 != 0,
            path: text(one),
        },
        b'w' => Event::Written { node: a, at: b, bytes: one.to_vec() },
        b't' => Event::Sized { node: a, bytes: b },
        b's' if b == 0 => Event::Synced { node: a },
        b'f' => Event::SyncFailed { node: a },
        b's' => Event::FolderSynced { node: a, names: text(one).lines().map(named).collect() },
        b'r' => Event::Renamed { node: a, from: text(one), to: text(two) },
        b'l' => Event::Linked { node: a, path: text(one) },
        b'u' => Event::Removed { path: text(one) },
        b'm' => Event::FolderMade { node: a, path: text(one) },
        _ => panic!("the record has no event {kind}"),
    }
}

fn named(line: &str) -> (u64, String) {
    let (node, name) = line.split_once('/').expect("a node and a name");
    (node.parse().expect("a number"), name.to_owned())
}
