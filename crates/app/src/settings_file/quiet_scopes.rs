//! What quiet hours are for, in a file of settings: their sources by address, as row ids differ from computer to computer.

use serde::{Deserialize, Serialize};
use tidings_ipc::{QuietHours, SourceId};
use tidings_replica::Source;

use super::source_address::SourceAddress;

/// A source that quiet hours are for, by its row id on the computer that wrote the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ScopeSource {
    id: SourceId,
    #[serde(flatten)]
    address: SourceAddress,
}

/// The sources that quiet hours are for.
pub(super) fn sources_of(quiet: &[QuietHours], sources: &[Source]) -> Vec<ScopeSource> {
    let is_named = |id| quiet.iter().any(|hours| hours.only.iter().any(|one| one.source == id));
    let named = sources.iter().filter(|source| is_named(source.id));
    named.map(|source| ScopeSource { id: source.id, address: SourceAddress::of(source) }).collect()
}

/// The quiet hours with the row ids of this computer. Those of which no source is here are left out: for nothing in
/// particular they would hold back everything.
pub(super) fn here(quiet: Vec<QuietHours>, written: &[ScopeSource], sources: &[Source]) -> Vec<QuietHours> {
    let id_here = |id: SourceId| {
        let address = &written.iter().find(|one| one.id == id)?.address;
        sources.iter().find(|source| address.matches(source)).map(|source| source.id)
    };
    let moved = |mut hours: QuietHours| {
        let was_limited = !hours.only.is_empty();
        hours.only.retain_mut(|one| id_here(one.source).map(|id| one.source = id).is_some());
        (!was_limited || !hours.only.is_empty()).then_some(hours)
    };
    quiet.into_iter().filter_map(moved).collect()
}
