//! What the reader wants to be told of: per source, per thread and by rule. Refuses to decide: the replica counts by it,
//! the policies toast by it.

use tidings_replica as replica;

use crate::app::{App, Speakers};
use crate::error::Result;
use crate::page::{Rule, RuleThen, RuleTrial, RuleWhen, SourceId, Tell, Telling, ThreadId};

impl App {
    /// Sets what a source may tell; gives what holds now.
    pub async fn tell_source(&self, source: SourceId, telling: Telling) -> Result<Telling> {
        let now = self.disk(move |r| r.tell_source(source, in_replica(telling))).await?;
        self.preferences_changed();
        Ok(for_page(now))
    }

    /// Sets what a thread may tell; gives what holds now.
    pub async fn tell_thread(&self, thread: ThreadId, telling: Telling) -> Result<Telling> {
        let now = self.disk(move |r| r.tell_thread(thread, in_replica(telling))).await?;
        self.preferences_changed();
        Ok(for_page(now))
    }

    fn preferences_changed(&self) {
        self.inner.events.note(|dirty| {
            dirty.numbers = true;
            dirty.sync = true;
        });
    }

    /// The rules in their order.
    pub async fn rules(&self) -> Result<Vec<Rule>> {
        self.disk(replica::Replica::rules).await.map(shown)
    }

    /// Keeps a rule; gives all.
    pub async fn save_rule(&self, rule: Rule) -> Result<Vec<Rule>> {
        self.disk(move |r| r.save_rule(kept(rule))).await.map(shown)
    }

    /// Takes a rule away; gives the others.
    pub async fn remove_rule(&self, id: i64) -> Result<Vec<Rule>> {
        self.disk(move |r| r.remove_rule(id)).await.map(shown)
    }

    /// Puts the rules into an order; gives them in it.
    pub async fn order_rules(&self, ids: Vec<i64>) -> Result<Vec<Rule>> {
        self.disk(move |r| r.order_rules(ids)).await.map(shown)
    }

    /// What a rule would have matched, before it is kept.
    pub async fn try_rule(&self, rule: Rule) -> Result<RuleTrial> {
        let lang = self.lang();
        self.disk(move |r| {
            let trial = r.try_rule(kept(rule))?;
            let rows = Speakers::load(r, lang)?.rows(&r.threads_by_id(&trial.threads)?, &[]);
            Ok(RuleTrial { matches: trial.matches, of: trial.of, rows })
        })
        .await
    }
}

/// In the replica's words.
pub(crate) fn in_replica(telling: Telling) -> replica::Telling {
    let tell = telling.tell.map(|tell| match tell {
        Tell::Toast => replica::Tell::Toast,
        Tell::Badge => replica::Tell::Badge,
        Tell::Nothing => replica::Tell::Nothing,
    });
    replica::Telling { tell, from_priority: telling.from_priority, sound: telling.sound }
}

/// In the page's words.
pub(crate) fn for_page(telling: replica::Telling) -> Telling {
    let tell = telling.tell.map(|tell| match tell {
        replica::Tell::Toast => Tell::Toast,
        replica::Tell::Badge => Tell::Badge,
        replica::Tell::Nothing => Tell::Nothing,
    });
    Telling { tell, from_priority: telling.from_priority, sound: telling.sound }
}

/// A rule as it is kept.
pub(super) fn fitting(rule: Rule) -> Result<Rule> {
    Ok(page_rule(kept(rule).checked()?))
}

fn kept(rule: Rule) -> replica::Rule {
    let Rule { id, name, on, when, then } = rule;
    let RuleWhen { source, kind, actor, target, words, at_least, at_most } = when;
    let RuleThen { mute, archive, pin, priority, no_toast } = then;
    replica::Rule {
        id,
        name,
        on,
        when: replica::RuleWhen { source, kind, actor, target, words, at_least, at_most },
        then: replica::RuleThen { mute, archive, pin, priority, no_toast },
    }
}

fn shown(rules: Vec<replica::Rule>) -> Vec<Rule> {
    rules.into_iter().map(page_rule).collect()
}

fn page_rule(rule: replica::Rule) -> Rule {
    let replica::Rule { id, name, on, when, then } = rule;
    let replica::RuleWhen { source, kind, actor, target, words, at_least, at_most } = when;
    let replica::RuleThen { mute, archive, pin, priority, no_toast } = then;
    Rule {
        id,
        name,
        on,
        when: RuleWhen { source, kind, actor, target, words, at_least, at_most },
        then: RuleThen { mute, archive, pin, priority, no_toast },
    }
}
