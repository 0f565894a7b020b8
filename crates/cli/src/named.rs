//! The notifications that a command names: by msgid, or by `SOURCE/MSGID` if several sources have the msgid.

use std::collections::HashSet;

use tidings_model::MsgId;
use tidings_replica::{Item, Replica, Source};

use crate::{
    error::{Error, Result},
    inbox::{SourceNames, source_name},
};

/// The notifications that were named.
pub(crate) struct Named {
    /// Each once.
    pub(crate) items: Vec<Item>,
    /// The names of which no source has a notification.
    pub(crate) missing: Vec<String>,
}

/// Finds notifications by their names.
///
/// # Errors
/// [`Error::Usage`] for a name of several notifications, with the names of each.
pub(crate) fn find(replica: &Replica, names: &[String]) -> Result<Named> {
    let sources = replica.sources()?;
    let source_names = SourceNames::of(replica)?;
    let (mut items, mut missing, mut ambiguous): (Vec<Item>, _, _) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let found = of_name(replica, &sources, name)?;
        match found.as_slice() {
            [] => missing.push(name.clone()),
            [one] if items.iter().any(|known| known.id == one.id) => {}
            [_] => items.extend(found),
            several => {
                let full = several.iter().map(|item| full_name(&source_names, item)).collect::<Vec<_>>();
                ambiguous.push(format!("`{name}` is the name of {}: {}", full.len(), full.join(", ")));
            }
        }
    }
    if ambiguous.is_empty() {
        return Ok(Named { items, missing });
    }
    Err(Error::Usage(format!("{}. Nothing was changed; name one of them", ambiguous.join("; "))))
}

/// The notifications that a name may mean.
fn of_name(replica: &Replica, sources: &[Source], name: &str) -> Result<Vec<Item>> {
    let mut found = replica.items_by_msgid(None, &[MsgId(name.to_owned())])?;
    for source in sources {
        // An address tells two sources apart whatever they are called.
        let mut prefixes = vec![source_name(source), source.url.as_str()];
        prefixes.dedup();
        for msgid in prefixes.into_iter().filter_map(|prefix| name.strip_prefix(prefix)?.strip_prefix('/')) {
            found.extend(replica.items_by_msgid(Some(source.id), &[MsgId(msgid.to_owned())])?);
        }
    }
    let mut known = HashSet::new();
    found.retain(|item| known.insert(item.id));
    Ok(found)
}

/// `SOURCE/MSGID`.
fn full_name(sources: &SourceNames, item: &Item) -> String {
    format!("{}/{}", sources.name(item.source), item.notification.msgid)
}

/// The names of notifications in a list: the msgid, or `SOURCE/MSGID` if several sources have it.
pub(crate) struct ShownNames {
    sources: SourceNames,
    /// The msgids that several sources have.
    shared: HashSet<MsgId>,
}

impl ShownNames {
    /// Loads the names of these notifications.
    pub(crate) fn of(replica: &Replica, items: &[Item]) -> Result<Self> {
        let (mut seen, mut shared) = (HashSet::new(), HashSet::new());
        if replica.sources()?.len() > 1 {
            let ids: HashSet<MsgId> = items.iter().map(|item| item.notification.msgid.clone()).collect();
            for item in replica.items_by_msgid(None, &Vec::from_iter(ids))? {
                let msgid = item.notification.msgid;
                if !seen.insert(msgid.clone()) {
                    shared.insert(msgid);
                }
            }
        }
        Ok(Self { sources: SourceNames::of(replica)?, shared })
    }

    /// The name of a notification's source.
    pub(crate) fn source(&self, item: &Item) -> &str {
        self.sources.name(item.source)
    }

    /// The name of a notification.
    pub(crate) fn name(&self, item: &Item) -> String {
        if self.shared.contains(&item.notification.msgid) {
            full_name(&self.sources, item)
        } else {
            item.notification.msgid.to_string()
        }
    }
}
