//! The noise report counts the items since a time by source, and by topic, application or repository. One pass along
//! the index of time finds them, and ends at [`Noise::MAX_ITEMS`].

use std::cmp::Reverse;
use std::collections::HashMap;

use rusqlite::{Connection, params};
use tidings_model::{Stamp, Target};
use tidings_replica_tables::columns::{limit, stamp};

use crate::{Noise, NoiseOrigin, NoiseSource, Replica, Result, SourceId, ThreadId, origin};

impl Replica {
    /// How many items came from each source since a time, and how many of them are unread.
    pub fn noise(&self, since: Stamp) -> Result<Noise> {
        self.read(|conn| noise(conn, since))
    }
}

/// Counted items.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    items: u64,
    unread: u64,
}

impl Count {
    fn add(&mut self, is_unread: bool) {
        self.items += 1;
        self.unread += u64::from(is_unread);
    }

    /// The order of noise: what is not read first.
    fn rank(self) -> impl Ord {
        Reverse((self.unread, self.items))
    }
}

/// A topic, an application or a repository: the target of a rule for it, and its name.
type Origin = (String, String);
/// The origins of a source by their targets, each with its name and count.
type Origins = HashMap<String, (String, Count)>;

fn noise(conn: &Connection, since: Stamp) -> Result<Noise> {
    let mut rows = conn.prepare_cached(
        "SELECT i.source, i.thread, i.unread, i.listed_at, i.target FROM items i INDEXED BY items_time
         WHERE i.listed_at >= ?1 AND i.own = 0 AND i.deleted = 0
            AND i.source IN (SELECT id FROM sources WHERE removing = 0)
         ORDER BY i.listed_at DESC LIMIT ?2",
    )?;
    let mut rows = rows.query(params![since.as_micros(), limit(Noise::MAX_ITEMS + 1)])?;
    let mut sources: HashMap<SourceId, (Count, Origins)> = HashMap::new();
    // The items of a thread have one origin.
    let mut origins: HashMap<ThreadId, Option<Origin>> = HashMap::new();
    let (mut items, mut first) = (0, None);
    while let Some(r) = rows.next()? {
        if items == Noise::MAX_ITEMS {
            return Ok(report(sources, first.unwrap_or(since)));
        }
        items += 1;
        first = Some(stamp(r, 3)?);
        let (source, thread, is_unread): (SourceId, ThreadId, bool) = (r.get(0)?, r.get(1)?, r.get(2)?);
        let (count, of_source) = sources.entry(source).or_default();
        count.add(is_unread);
        let origin = origins.entry(thread).or_insert_with(|| origin_of(r.get_ref(4).ok()?.as_str().ok()?));
        let Some((target, name)) = origin else { continue };
        if let Some((_, count)) = of_source.get_mut(target) {
            count.add(is_unread);
        } else {
            // Its latest name.
            of_source.entry(target.clone()).or_insert((name.clone(), Count::default())).1.add(is_unread);
        }
    }
    Ok(report(sources, since))
}

/// The origin of an item with this target, as JSON.
fn origin_of(target: &str) -> Option<Origin> {
    let target: Target = serde_json::from_str(target).ok()?;
    origin(&target)
}

fn report(sources: HashMap<SourceId, (Count, Origins)>, since: Stamp) -> Noise {
    let mut sources: Vec<(Count, NoiseSource)> = sources
        .into_iter()
        .map(|(source, (count, origins))| {
            let Count { items, unread } = count;
            (count, NoiseSource { source, items, unread, origins: loudest(origins) })
        })
        .collect();
    sources.sort_by_key(|(count, source)| (count.rank(), source.source));
    Noise { since, sources: sources.into_iter().map(|(_, source)| source).collect() }
}

fn loudest(origins: Origins) -> Vec<NoiseOrigin> {
    let mut origins: Vec<(String, (String, Count))> = origins.into_iter().collect();
    origins.sort_by(|(a, (_, of_a)), (b, (_, of_b))| (of_a.rank(), a).cmp(&(of_b.rank(), b)));
    let line = |(target, (name, Count { items, unread }))| NoiseOrigin { target, name, items, unread };
    origins.into_iter().take(Noise::MAX_ORIGINS).map(line).collect()
}
