//! Stores the publications of several requests in one transaction. What they need is locked and read, each request is
//! accepted or refused, stamps are handed out, and everything is written in one round trip that commits.
//!
//! A round trip locks and reads, one takes stamps, one writes everything and commits. A commit that failed counts
//! as rolled back only if the connection still answers. Otherwise the msgids that were chosen are looked up, under
//! the lock of the log, and the post is done again if they are not there.

mod publication;

use std::collections::HashSet;
use std::time::Duration;

use tidings_model::Stamp;
use tidings_store::Error;
use tidings_store::domain::draft::Post;
use tokio::time::{Instant, sleep, timeout_at};

use self::publication::{inboxes_of, one};
use super::facts::{Facts, subscription_of};
use super::files;
use super::request::{Item, PostAnswer, Published, Request, name_of};
use super::rows::Rows;
use crate::PostgresStore;
use crate::tx::{Attempts, WriteTx, begin_sql, in_transaction};

/// The pause after the database could not say whether it had committed something.
const LOOK_UP_PAUSE: Duration = Duration::from_millis(200);

/// What a transaction answers to each of its requests.
pub(super) type Answers = Vec<Result<PostAnswer, Error>>;

/// Stores requests by a time; one that is refused does not keep the others from being stored.
pub(super) async fn store(store: &PostgresStore, requests: &[Request], by: Instant) -> Answers {
    match store_together(store, requests, by).await {
        Ok(answers) => answers,
        Err(e) if requests.len() == 1 || is_for_all(&e) => requests.iter().map(|_| Err(e.clone())).collect(),
        // One of them is what the database does not take; which one is found by storing each by itself.
        Err(_) => {
            let mut answers = Vec::new();
            for request in requests {
                let alone = store_together(store, std::slice::from_ref(request), by).await;
                answers.push(alone.and_then(|mut answers| answers.pop().unwrap_or_else(|| Err(no_answer()))));
            }
            answers
        }
    }
}

fn no_answer() -> Error {
    Error::unavailable("the request was not answered")
}

/// Whether an error has nothing to do with what was asked.
fn is_for_all(e: &Error) -> bool {
    e.is_of_disk() || matches!(e, Error::Unavailable(_) | Error::Interrupted(_) | Error::OutcomeUnknown(_))
}

async fn store_together(store: &PostgresStore, requests: &[Request], by: Instant) -> Result<Answers, Error> {
    let mut attempts = Attempts::to_write_by(store, by);
    loop {
        let attempt = async {
            let session = store.posting_session().await?;
            let begin = begin_sql("READ COMMITTED", session.prepares());
            let mut tx = WriteTx::begun(store, session);
            let done = execute(&mut tx, &begin, requests, true).await;
            if done.is_err() {
                tx.roll_back().await;
            }
            done
        };
        let done = match attempts.run(attempt).await {
            std::ops::ControlFlow::Break(done) => done?,
            std::ops::ControlFlow::Continue(()) => continue,
        };
        let is_unsure = matches!(done, Stored::Unsure(_));
        let answers = done.answers();
        // If nothing of it is there, it is done again.
        if !is_unsure || was_committed(store, &answers, by).await? {
            return Ok(answers);
        }
    }
}

/// Whether a transaction was committed whose connection was lost while it ended. The msgids and stamps that it chose
/// are looked up, as soon as the database answers again. Its locks are waited for, so that it is not still under way.
async fn was_committed(store: &PostgresStore, answers: &Answers, by: Instant) -> Result<bool, Error> {
    let unknown = || Error::OutcomeUnknown("the connection was lost while publications were stored".into());
    let chosen = answers.iter().find_map(|answer| match answer {
        Ok(PostAnswer::Done(published)) => published.posts.first(),
        _ => None,
    });
    let Some(Post { posted, .. }) = chosen else { return Err(unknown()) };
    let look_up = async {
        loop {
            let found: Result<bool, Error> = in_transaction!(store, |tx| {
                tx.query_one("SELECT last FROM log FOR UPDATE", &[]).await?;
                let sql =
                    "SELECT 1 FROM notifications WHERE msgid = $1 AND (created_at = $2 OR revised_at >= $2)";
                tx.exists(sql, &[&posted.msgid.as_str(), &posted.stamp.as_micros()]).await
            });
            match found {
                Ok(found) => return found,
                Err(_) => sleep(LOOK_UP_PAUSE).await,
            }
        }
    };
    timeout_at(by, look_up).await.map_err(|_| unknown())
}

/// How far a transaction is.
pub(super) enum Stored {
    /// It is committed.
    Committed(Answers),
    /// It is to be committed by the caller.
    Written(Answers),
    /// The connection was lost while it was committed.
    Unsure(Answers),
}

impl Stored {
    /// The answers to the requests.
    pub(super) fn answers(self) -> Answers {
        match self {
            Self::Committed(answers) | Self::Written(answers) | Self::Unsure(answers) => answers,
        }
    }
}

/// Stores requests in a transaction that `begin` begins. If it fails, everything is to be rolled back.
pub(super) async fn execute(
    tx: &mut WriteTx<'_>,
    begin: &str,
    requests: &[Request],
    commit: bool,
) -> Result<Stored, Error> {
    let all: Vec<Item<'_>> = requests
        .iter()
        .enumerate()
        .flat_map(|(request, asked)| asked.drafts.iter().map(move |draft| Item { request, draft }))
        .collect();
    let mut facts = Facts::load(tx, begin, requests, &all).await?;
    let mut answers: Vec<Option<Result<PostAnswer, Error>>> =
        requests.iter().map(|request| answer_at_once(&facts, request)).collect();
    let accepted: Vec<Item<'_>> =
        all.into_iter().filter(|item| answers.get(item.request).is_some_and(Option::is_none)).collect();
    let mut posts: Vec<Vec<Post>> = requests.iter().map(|_| Vec::new()).collect();
    let mut rows = Rows::at(tx.now);
    let runs = runs(&accepted);
    let run_count = runs.len();
    for (n, run) in runs.into_iter().enumerate() {
        if n > 0 {
            facts = Facts::load(tx, "", &[], run).await?;
        }
        rows = write(tx, &facts, requests, run, &mut posts).await?;
        if n + 1 < run_count {
            rows.flush(tx).await?;
        }
    }
    let mut numbers = rows.numbers().into_iter();
    for ((answer, request), posts) in answers.iter_mut().zip(requests).zip(posts) {
        if answer.is_none() {
            let number = if request.message.is_some() { numbers.next() } else { None };
            let published = Published { posts, number };
            rows.keep_answer(request, &published);
            *answer = Some(Ok(PostAnswer::Done(published)));
        }
    }
    let answers: Answers =
        answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(no_answer()))).collect();
    if !commit || rows.has_revisions() {
        rows.flush(tx).await?;
        if !commit {
            return Ok(Stored::Written(answers));
        }
    }
    match rows.commit(tx).await {
        Ok(()) => Ok(Stored::Committed(answers)),
        Err(Error::OutcomeUnknown(_)) => Ok(Stored::Unsure(answers)),
        Err(e) => Err(e),
    }
}

/// The answer to a request of which nothing is stored: a repetition, or one that is refused.
fn answer_at_once(facts: &Facts, request: &Request) -> Option<Result<PostAnswer, Error>> {
    if let Some(key) = &request.key
        && let Some(answer) = facts.replays.get(&(key.token.clone(), key.key.clone()))
    {
        return Some(Ok(PostAnswer::Replayed(answer.clone())));
    }
    let application =
        request.message.and_then(|(user, application)| facts.refusal_of_application(user, application));
    application.or_else(|| request.drafts.iter().find_map(|draft| facts.refusal(draft))).map(Err)
}

/// Drafts of which none may revise another one, in their order.
fn runs<'r, 'd>(items: &'r [Item<'d>]) -> Vec<&'r [Item<'d>]> {
    let (mut runs, mut begin, mut names) = (Vec::new(), 0, HashSet::new());
    for (n, item) in items.iter().enumerate() {
        if let Some(name) = name_of(item.draft)
            && !names.insert(name)
        {
            runs.extend(items.get(begin..n));
            begin = n;
            names = HashSet::from([name]);
        }
    }
    runs.extend(items.get(begin..).filter(|rest| !rest.is_empty()));
    runs
}

/// Hands out the stamps of a run and makes its rows; what other rows depend on is written.
async fn write(
    tx: &mut WriteTx<'_>,
    facts: &Facts,
    requests: &[Request],
    run: &[Item<'_>],
    posts: &mut [Vec<Post>],
) -> Result<Rows, Error> {
    let mut rows = Rows::at(tx.now);
    let mut missing = HashSet::new();
    for item in run {
        missing.extend(subscription_of(item.draft).filter(|wanted| facts.missing.contains(wanted)));
    }
    rows.count_subscriptions(tx, &missing).await?;
    files::make_room(tx, facts, run).await?;
    let top = run.iter().flat_map(|item| inboxes_of(facts, item.draft)).max().unwrap_or(Stamp::ZERO);
    let messages = run.iter().filter(|item| is_message(requests, item)).count();
    let first = rows.take_stamps(tx, run.len() + missing.len(), top, messages).await?;
    let mut next = first;
    let mut stamp = || {
        let stamp = next;
        next = next.plus_micros(1);
        stamp
    };
    for item in run {
        if let Some(wanted) = subscription_of(item.draft)
            && missing.remove(&wanted)
        {
            rows.subscription(wanted, stamp());
        }
        let post = one(&mut rows, facts, item.draft, stamp())?;
        if is_message(requests, item)
            && let Some((user, application)) = requests.get(item.request).and_then(|r| r.message)
        {
            rows.message(user, application, post.posted.stamp, facts, tx.now);
        }
        if let Some(posts) = posts.get_mut(item.request) {
            posts.push(post);
        }
    }
    if tx.has_unread_cache() {
        tx.note_unread(rows.unread_steps(&facts.inboxes));
    }
    Ok(rows)
}

fn is_message(requests: &[Request], item: &Item<'_>) -> bool {
    requests.get(item.request).is_some_and(|request| request.message.is_some())
}
