//! A model of a file system that may lose power: what of it is durable, and what waits for a sync.
//!
//! It promises no more than POSIX does. The bytes of a file are durable once the file is synced, and a name once its
//! folder is. A rename is done completely or not at all. If a sync fails, what it was to make durable may be lost, also if a
//! later sync succeeds.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::record::Event;
use crate::lot::Lot;

/// Bytes that a disk writes completely or not at all.
const SECTOR: usize = 512;

/// A file or a folder.
pub(super) type Id = usize;

/// The recorded folder itself.
pub(super) const ROOT: Id = 0;

/// Names, by the folder that they are in.
pub(super) type Names = BTreeMap<(Id, String), Id>;

#[derive(Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Size(usize),
}

impl Change {
    fn make(&self, to: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes } => {
                to.resize(to.len().max(at + bytes.len()), 0);
                to[*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Self::Size(bytes) => to.resize(*bytes, 0),
        }
    }

    /// Makes it in some sectors only.
    fn tear(&self, to: &mut Vec<u8>, lot: &mut Lot) {
        let Self::Write { at, bytes } = self else { return self.make(to) };
        to.resize(to.len().max(at + bytes.len()), 0);
        let mut from = *at;
        while from < at + bytes.len() {
            let end = ((from / SECTOR + 1) * SECTOR).min(at + bytes.len());
            if lot.one_in(2) {
                to[from..end].copy_from_slice(&bytes[from - at..end - at]);
            }
            from = end;
        }
    }
}

#[derive(Clone, Default)]
struct Node {
    is_folder: bool,
    durable: Vec<u8>,
    /// Since the last sync.
    changes: Vec<Change>,
    /// How many of them a sync failed to make durable.
    doubtful: usize,
}

/// Names that change at once.
type Naming = Vec<((Id, String), Option<Id>)>;

/// What a loss of power leaves of changes that no sync has made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    Nothing,
    Everything,
    /// What came first.
    Beginning,
    /// Each by lot.
    Some,
    /// Each by lot, and some sectors of it.
    Torn,
}

impl Left {
    pub(super) fn by(lot: &mut Lot) -> Self {
        match lot.below(6) {
            0 => Self::Nothing,
            1 => Self::Everything,
            2 => Self::Beginning,
            3 => Self::Some,
            _ => Self::Torn,
        }
    }

    /// Those of so many changes that are left.
    fn of(self, count: usize, lot: &mut Lot) -> Vec<bool> {
        let first = lot.index(count + 1);
        let is_left = |nth: usize| match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Beginning => nth < first,
            Self::Some | Self::Torn => lot.one_in(2),
        };
        (0..count).map(is_left).collect()
    }
}

/// The files and folders below one folder.
#[derive(Clone)]
pub(super) struct Volume {
    nodes: Vec<Node>,
    /// The nodes by the file system's number.
    ids: HashMap<u64, Id>,
    names: Names,
    durable: Names,
    namings: Vec<Naming>,
    /// Says what is left of what a failed sync left in doubt.
    lot: Lot,
}

impl Volume {
    /// What a folder has now, all of it durable.
    pub(super) fn of(folder: &Path) -> Self {
        let root = Node { is_folder: true, ..Node::default() };
        let mut this = Self {
            nodes: vec![root],
            ids: HashMap::from([(fs::metadata(folder).expect("a folder").ino(), ROOT)]),
            names: Names::new(),
            durable: Names::new(),
            namings: Vec::new(),
            lot: Lot::new(0),
        };
        this.scan(folder, ROOT);
        this.durable = this.names.clone();
        this
    }

    fn scan(&mut self, folder: &Path, id: Id) {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (about, name) = (entry.metadata().expect("it exists"), entry.file_name());
            let name = name.into_string().expect("a name in UTF-8");
            if name.ends_with("-shm") || !(about.is_dir() || about.is_file()) {
                continue;
            }
            let node = match self.ids.get(&about.ino()) {
                Some(known) => *known,
                None => self.add(about.ino(), about.is_dir()),
            };
            if about.is_file() {
                self.nodes[node].durable = fs::read(entry.path()).expect("it is readable");
            }
            self.names.insert((id, name), node);
            if about.is_dir() {
                self.scan(&entry.path(), node);
            }
        }
    }

    fn add(&mut self, number: u64, is_folder: bool) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node { is_folder, ..Node::default() });
        self.ids.insert(number, id);
        id
    }

    /// The node of a number; one that nobody has seen opened is new.
    fn known(&mut self, number: u64) -> Id {
        self.ids.get(&number).copied().unwrap_or_else(|| self.add(number, false))
    }

    /// The folder of a path and the name in it.
    fn place(&self, path: &str) -> (Id, String) {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = folders.split('/').filter(|name| !name.is_empty()).fold(ROOT, |folder, name| {
            *self.names.get(&(folder, name.to_owned())).unwrap_or_else(|| panic!("{path} is in no folder"))
        });
        (folder, name.to_owned())
    }

    fn name(&mut self, naming: Naming) {
        for (place, node) in &naming {
            match node {
                Some(node) => drop(self.names.insert(place.clone(), *node)),
                None => drop(self.names.remove(place)),
            }
        }
        self.namings.push(naming);
    }

    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::Opened { node, is_new, is_emptied, is_folder, path } => {
                let id = if *is_new { self.add(*node, false) } else { self.known(*node) };
                if !path.is_empty() {
                    let place = self.place(path);
                    // If it is not new, it was renamed past the library.
                    if self.names.get(&place) != Some(&id) {
                        self.name(vec![(place, Some(id))]);
                    }
                }
                self.nodes[id].is_folder |= is_folder;
                if *is_emptied {
                    self.nodes[id].changes.push(Change::Size(0));
                }
            }
            Event::Written { node, at, bytes } => {
                let (id, at) = (self.known(*node), usize::try_from(*at).expect("a small file"));
                self.nodes[id].changes.push(Change::Write { at, bytes: bytes.clone() });
            }
            Event::Sized { node, bytes } => {
                let (id, bytes) = (self.known(*node), usize::try_from(*bytes).expect("a small file"));
                self.nodes[id].changes.push(Change::Size(bytes));
            }
            Event::Synced { node } => {
                let id = self.known(*node);
                let Node { durable, changes, doubtful, .. } = &mut self.nodes[id];
                for (nth, change) in changes.drain(..).enumerate() {
                    if nth < *doubtful {
                        change.tear(durable, &mut self.lot);
                    } else {
                        change.make(durable);
                    }
                }
                *doubtful = 0;
            }
            Event::SyncFailed { node } => {
                let id = self.known(*node);
                self.nodes[id].doubtful = self.nodes[id].changes.len();
            }
            Event::FolderSynced { node, names } => self.sync_folder(*node, names),
            Event::Renamed { node, from, to } => {
                let (id, from, to) = (self.known(*node), self.place(from), self.place(to));
                self.name(vec![(from, None), (to, Some(id))]);
            }
            Event::Linked { node, path } => {
                let (id, place) = (self.known(*node), self.place(path));
                self.name(vec![(place, Some(id))]);
            }
            Event::Removed { path } => {
                let place = self.place(path);
                self.name(vec![(place, None)]);
            }
            Event::FolderMade { node, path } => {
                let (id, place) = (self.add(*node, true), self.place(path));
                self.name(vec![(place, Some(id))]);
            }
        }
    }

    /// Makes the names in a folder durable. Those that were changed past the library are found by the list.
    fn sync_folder(&mut self, node: u64, names: &[(u64, String)]) {
        let folder = self.known(node);
        let mut unseen: Vec<_> = within(&self.names, folder).map(|(name, id)| (name.clone(), id)).collect();
        unseen
            .retain(|(name, id)| !names.iter().any(|(node, n)| n == name && self.ids.get(node) == Some(id)));
        let gone: Naming = unseen.into_iter().map(|(name, _)| ((folder, name), None)).collect();
        let come = names.iter().filter_map(|(node, name)| {
            let (place, id) = ((folder, name.clone()), *self.ids.get(node)?);
            (self.names.get(&place) != Some(&id)).then_some((place, Some(id)))
        });
        let past: Naming = gone.into_iter().chain(come.collect::<Vec<_>>()).collect();
        if !past.is_empty() {
            self.name(past);
        }
        let in_folder = |naming: &Naming| naming.iter().any(|((of, _), _)| *of == folder);
        let namings = std::mem::take(&mut self.namings);
        let (durable, waiting): (Vec<_>, Vec<_>) = namings.into_iter().partition(in_folder);
        self.namings = waiting;
        for naming in &durable {
            rename(&mut self.durable, naming);
        }
    }

    /// The names that a loss of power leaves.
    fn names_left(&self, left: Left, lot: &mut Lot) -> Names {
        let mut names = self.durable.clone();
        for (naming, is_left) in self.namings.iter().zip(left.of(self.namings.len(), lot)) {
            if is_left {
                rename(&mut names, naming);
            }
        }
        names
    }

    /// The bytes of a file that a loss of power leaves.
    fn bytes_left(&self, id: Id, left: Left, lot: &mut Lot) -> Vec<u8> {
        let Node { durable, changes, .. } = &self.nodes[id];
        let mut bytes = durable.clone();
        for (change, is_left) in changes.iter().zip(left.of(changes.len(), lot)) {
            match (is_left, left) {
                (false, _) => {}
                (true, Left::Torn) => change.tear(&mut bytes, lot),
                (true, _) => change.make(&mut bytes),
            }
        }
        bytes
    }

    /// Writes what a loss of power leaves into an empty folder.
    pub(super) fn write(&self, to: &Path, names: Left, files: Option<Left>, lot: &mut Lot) {
        let names = self.names_left(names, lot);
        let mut written = HashMap::new();
        self.write_folder(ROOT, to, &names, &mut |id, path| {
            let left = files.unwrap_or_else(|| Left::by(lot));
            match written.get(&id) {
                Some(first) => fs::hard_link(first, path).expect("a link"),
                None => fs::write(path, self.bytes_left(id, left, lot)).expect("a file"),
            }
            written.entry(id).or_insert_with(|| path.to_owned());
        });
    }

    fn write_folder(&self, folder: Id, to: &Path, names: &Names, write: &mut impl FnMut(Id, &Path)) {
        for (name, id) in within(names, folder) {
            let path = to.join(name);
            if self.nodes[id].is_folder {
                fs::create_dir(&path).expect("a folder");
                self.write_folder(id, &path, names, write);
            } else {
                write(id, &path);
            }
        }
    }
}

fn rename(names: &mut Names, naming: &Naming) {
    for (place, node) in naming {
        match node {
            Some(node) => drop(names.insert(place.clone(), *node)),
            None => drop(names.remove(place)),
        }
    }
}

/// The names in a folder.
fn within(names: &Names, folder: Id) -> impl Iterator<Item = (&String, Id)> {
    let all = names.range((folder, String::new())..(folder + 1, String::new()));
    all.map(|((_, name), id)| (name, *id))
}
