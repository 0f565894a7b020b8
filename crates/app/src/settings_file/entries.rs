//! Sources, rules and searches as a file of settings has them.

use serde::{Deserialize, Serialize};
use tidings_ipc::{NotifySettings, Rule};
use tidings_replica::Source;

use super::source_address::SourceAddress;

/// A source without its token.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SourceEntry {
    pub(super) name: String,
    pub(super) protocol: String,
    #[serde(flatten)]
    pub(super) address: SourceAddress,
    #[serde(default)]
    pub(super) paused: bool,
    #[serde(default)]
    pub(super) notify: Option<NotifySettings>,
    #[serde(default)]
    pub(super) show_icons: bool,
}

impl SourceEntry {
    pub(super) fn of(source: &Source) -> Self {
        Self {
            name: source.name.clone(),
            protocol: source.protocol.clone(),
            address: SourceAddress::of(source),
            paused: source.paused,
            notify: Some(lasting(source)),
            show_icons: source.show_icons,
        }
    }
}

/// The notify settings of a source without a mute that ends by itself.
fn lasting(source: &Source) -> NotifySettings {
    NotifySettings { level: source.notify.level.filter(|_| source.muted_until.is_none()), ..source.notify }
}

/// A rule, with its source by address instead of row id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RuleEntry {
    pub(super) rule: Rule,
    #[serde(default)]
    pub(super) source: Option<SourceAddress>,
}

impl RuleEntry {
    pub(super) fn of(mut rule: Rule, sources: &[Source]) -> Self {
        rule.id = 0;
        let source = rule.when.source.take();
        // A removed source is written as an address that nothing matches: without one the rule would match every
        // source.
        let gone = || SourceAddress { url: String::new(), user: None, own: false };
        let at = |id| sources.iter().find(|source| source.id == id).map_or_else(gone, SourceAddress::of);
        Self { rule, source: source.map(at) }
    }
}

/// A saved search.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SearchEntry {
    #[serde(default)]
    pub(super) name: String,
    pub(super) query: String,
}
