//! Corrections of a query that finds nothing: the same with other words, near those that are in no item. Only what finds
//! something is offered.

use tidings_replica::{Replica, Result};

use crate::{Query, Term};

/// The most corrections of a query.
const MAX_CORRECTIONS: usize = 3;
/// The most words of a query that are corrected.
const MAX_WORDS: usize = 4;

/// A query that finds something, in place of one that does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The query.
    pub query: Query,
    /// The number of threads or items that it finds, as the caller counts.
    pub total: u64,
}

impl Query {
    /// Queries that may have been meant, the likeliest first, at most three. `total` counts what one finds.
    ///
    /// # Errors
    /// The replica's error.
    pub fn corrections(
        &self,
        replica: &Replica,
        total: &dyn Fn(&Self) -> Result<u64>,
    ) -> Result<Vec<Correction>> {
        let mut found: Vec<Correction> = Vec::new();
        for query in self.nearest(replica)? {
            let total = total(&query)?;
            if total > 0 && found.iter().all(|known| known.query != query) {
                found.push(Correction { query, total });
            }
            if found.len() == MAX_CORRECTIONS {
                break;
            }
        }
        Ok(found)
    }

    /// The query with its unknown words replaced, in all likely ways; none if every word is known.
    fn nearest(&self, replica: &Replica) -> Result<Vec<Self>> {
        let mut all = vec![self.clone()];
        let mut wrong = 0;
        for (at, term) in self.terms.iter().enumerate() {
            let near = near(replica, term)?;
            let Some(near) = near else { continue };
            wrong += 1;
            if near.is_empty() || wrong > MAX_WORDS {
                return Ok(Vec::new());
            }
            all = near.iter().flat_map(|term| all.iter().map(|query| query.with(at, term))).collect();
            // The likeliest of the earlier words come first.
            all.truncate(MAX_CORRECTIONS * MAX_CORRECTIONS);
        }
        Ok(if wrong == 0 { Vec::new() } else { all })
    }

    fn with(&self, at: usize, term: &Term) -> Self {
        let mut query = self.clone();
        if let Some(place) = query.terms.get_mut(at) {
            *place = term.clone();
        }
        query
    }
}

/// The terms near one that nothing has; `None` for a term that is known, or is no word.
fn near(replica: &Replica, term: &Term) -> Result<Option<Vec<Term>>> {
    Ok(match term {
        Term::Word(word) if !replica.has_word(word)? => {
            let near = replica.near_words(word, MAX_CORRECTIONS)?;
            Some(near.into_iter().map(Term::Word).collect())
        }
        Term::From(name) if replica.people(name, 1)?.is_empty() => {
            let near = replica.near_names(name, MAX_CORRECTIONS)?;
            Some(near.into_iter().map(Term::From).collect())
        }
        _ => None,
    })
}
