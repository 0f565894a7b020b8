//! Waits for the pages of a pull, and goes on where an answer is too large.

use tidings_net::{Error as NetError, Result as NetResult, http};
use tidings_sources::Since;
use tokio_util::task::AbortOnDropHandle;

use super::Pull;
use super::limit::Spent;
use super::paging::PageSize;
use super::stretch::Stretch;
use crate::{Error, Result};

impl Pull {
    /// Waits for a page. An answer that is too large is requested again in smaller pages, down to a single item; an
    /// item that is too large by itself is skipped.
    pub(super) async fn await_page(
        &self,
        mut ahead: AbortOnDropHandle<NetResult<Stretch>>,
        since: &Since,
        size: &mut PageSize,
        spent: &mut Spent,
    ) -> Result<Stretch> {
        loop {
            let requested = size.limit();
            let error = match ahead.await.map_err(|error| NetError::from_task(&error))? {
                Ok(fetched) => return Ok(fetched),
                Err(error @ (NetError::AnswerTooLarge | NetError::AnswerTooSlow)) => error,
                Err(error) => return Err(error.into()),
            };
            count_too_large(spent)?;
            if !size.shrink(requested) {
                let is_too_large = matches!(error, NetError::AnswerTooLarge);
                return if is_too_large { self.skip_item(since, spent).await } else { Err(error.into()) };
            }
            tracing::info!(source = self.id, %error, limit = size.limit(), "the page is asked for in smaller parts");
            ahead = self.fetch(since.clone(), size.limit(), *spent);
        }
    }

    /// Goes on after the item that comes next, if it is still too large. Something between here and the server may have
    /// given the answers before, and the item is a small one.
    async fn skip_item(&self, since: &Since, spent: &mut Spent) -> Result<Stretch> {
        let skipped = self.source.skip_item(since.clone()).await?.ok_or(NetError::AnswerTooLarge)?;
        match self.source.page(since.clone(), 1).await {
            Err(NetError::AnswerTooLarge) => {}
            page => return Ok(Stretch::one(page?)),
        }
        count_too_large(spent)?;
        let position = skipped.skipped.first().map(|skipped| skipped.position.as_str());
        tracing::warn!(source = self.id, position, "an item is too large and is skipped");
        Ok(Stretch::one(skipped))
    }
}

/// Counts an answer without end, though nothing of it is kept.
///
/// # Errors
/// [`Error::PullEnded`].
fn count_too_large(spent: &mut Spent) -> Result<()> {
    spent.count_pages(http::MAX_ANSWER_BYTES, 0);
    spent.end().map_or(Ok(()), |end| Err(Error::PullEnded(end)))
}
