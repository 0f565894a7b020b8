//! The presets of a new source: its notify level, and rules for the reasons that only count. The reader can change
//! both.

use tidings_replica::{NotifyLevel, NotifySettings, Replica, Result, Rule, RuleThen, RuleWhen, SourceId};
use tidings_sources::Protocol;

/// Gives a new source the notify level of its protocol, and the rules for its reasons.
///
/// # Errors
/// The replica's error.
pub fn apply(replica: &Replica, id: SourceId, protocol: &Protocol) -> Result<()> {
    if protocol.notify != NotifyLevel::default() {
        let notify = NotifySettings { level: Some(protocol.notify), ..NotifySettings::default() };
        replica.set_source_notify(id, notify)?;
    }
    for reason in protocol.reasons.iter().filter(|reason| !reason.toast) {
        replica.save_rule(quiet_rule(id, &reason.action.replace('_', "-")))?;
    }
    Ok(())
}

/// Removes the rules that [`apply`] made for a source that is being removed, as far as they were not changed.
///
/// # Errors
/// The replica's error.
pub fn remove(replica: &Replica, id: SourceId) -> Result<()> {
    for rule in replica.rules()? {
        let quiet = quiet_rule(id, &rule.when.action);
        if !rule.when.action.is_empty() && rule.when == quiet.when && rule.then == quiet.then {
            replica.remove_rule(rule.id)?;
        }
    }
    Ok(())
}

/// The rule by which what comes from a source for a reason makes no toast.
fn quiet_rule(source: SourceId, action: &str) -> Rule {
    Rule {
        on: true,
        when: RuleWhen { source: Some(source), action: action.to_owned(), ..RuleWhen::default() },
        then: RuleThen { no_toast: true, ..RuleThen::default() },
        ..Rule::default()
    }
}
