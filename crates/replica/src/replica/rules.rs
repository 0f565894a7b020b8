//! The method of [`Replica`] that applies a rule to stored items.

use crate::apply::rules_here;
use crate::{Marked, Replica, Result, Rule, Undo};

impl Replica {
    /// Applies a rule, which acts on arriving items, to the newest 10,000 items: it archives, marks as read, pins and
    /// mutes those that match. Its priority and its toasts concern what arrives alone. It is undone as one mark.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if a text is too long. Portions that were written before a failure stay.
    pub fn apply_rule(&self, rule: Rule) -> Result<Marked> {
        let rule = rule.checked()?;
        let marks = self.read(|conn| rules_here::marks(conn, &rule, self.bounds.marked_rows))?;
        let (mut all, mut undo) = (Marked::default(), Undo::default());
        for (mark, steps) in marks {
            let done = self.run_job(&steps, Some(mark))?;
            (all.items, all.changed) = (all.items + done.items, all.changed.merged(&done.changed));
            if let Some(one) = done.undo {
                undo.add(one.changes);
                undo.bulk.extend(one.bulk);
            }
        }
        all.undo = Some(undo).filter(|undo| !undo.is_empty());
        self.and_settle_kept(all)
    }
}
