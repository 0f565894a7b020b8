//! What quiet hours and sounds are for, in a file of settings: their sources by address, as row ids differ from computer to
//! computer.

use serde::{Deserialize, Serialize};
use tidings_ipc::{NotifyDefaults, QuietHours, SourceId};
use tidings_replica::Source;

use super::source_address::SourceAddress;

/// A source that quiet hours or sounds are for, by its row id on the computer that wrote the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ScopeSource {
    id: SourceId,
    #[serde(flatten)]
    address: SourceAddress,
}

/// The sources that quiet hours and sounds are for.
pub(super) fn sources_of(notify: &NotifyDefaults, sources: &[Source]) -> Vec<ScopeSource> {
    let quiet = notify.quiet.iter().flat_map(|hours| &hours.only).map(|one| one.source);
    let named: Vec<_> = quiet.chain(notify.sounds.chosen.iter().map(|one| one.source)).collect();
    let is_named = |id| named.contains(&id);
    let known = sources.iter().filter(|source| is_named(source.id));
    known.map(|source| ScopeSource { id: source.id, address: SourceAddress::of(source) }).collect()
}

/// Gives quiet hours and sounds the row ids of this computer. Those of which no source is here are left out: for nothing in
/// particular, quiet hours would hold back everything.
pub(super) fn move_here(notify: &mut NotifyDefaults, written: &[ScopeSource], sources: &[Source]) {
    let id_here = |id: SourceId| {
        let address = &written.iter().find(|one| one.id == id)?.address;
        sources.iter().find(|source| address.matches(source)).map(|source| source.id)
    };
    let moved = |mut hours: QuietHours| {
        let was_limited = !hours.only.is_empty();
        hours.only.retain_mut(|one| id_here(one.source).map(|id| one.source = id).is_some());
        (!was_limited || !hours.only.is_empty()).then_some(hours)
    };
    notify.quiet = std::mem::take(&mut notify.quiet).into_iter().filter_map(moved).collect();
    notify.sounds.chosen.retain_mut(|one| id_here(one.source).map(|id| one.source = id).is_some());
}
