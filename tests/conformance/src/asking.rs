//! Checks of questions: the first answer counts, for everybody who has the item, and none after its time.

use tidings_model::wire::{NotificationEdit, OpResult};
use tidings_model::{Choice, Code, Question, QuestionState};
use tidings_store::domain::{msgid, question};

use super::*;

const HOUR: i64 = 3_600;

/// A draft that asks whether to deploy, for an hour.
pub(super) fn asking(mut draft: Draft, clock: &ManualClock, default: Option<&str>) -> Draft {
    let choice = |id: &str| Choice { id: id.to_owned(), label: id.to_uppercase(), style: None };
    draft.content.question = Some(Question {
        answers: vec![choice("approve"), choice("deny")],
        expires_at: Some(clock.now().plus_secs(HOUR)),
        default: default.map(str::to_owned),
        ..Question::default()
    });
    question::open(&mut draft.content, clock.now()).unwrap();
    draft
}

pub(super) fn answers(msgid: &MsgId, answer: &str) -> Change {
    Change::Answer { msgids: [msgid.clone()], answer: Some(answer.to_owned()), text: None, at: None }
}

/// The code with which an operation is answered; `None` if it was applied.
async fn answer(store: &dyn Store, user: UserKey, msgid: &MsgId, answer: &str) -> Option<Code> {
    let applied = apply(store, user, vec![answers(msgid, answer)]).await;
    let [OpResult { ok, code, .. }] = applied.results.as_slice() else { panic!("one operation") };
    assert_eq!(*ok, code.is_none());
    assert_eq!(applied.answered.len(), usize::from(*ok));
    *code
}

async fn question_of(store: &dyn Store, user: UserKey, msgid: &MsgId) -> (Question, Notification) {
    let items = all(store, user).await;
    let item = items.into_iter().find(|item| item.msgid == *msgid).unwrap();
    (item.content.question.clone().unwrap(), item)
}

pub(super) fn root() -> Editor {
    Editor { user: UserKey(0), id: "root".to_owned(), is_admin: true, application: None }
}

pub async fn the_first_answer_counts_for_everybody_who_has_the_item(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob, carol) =
        (user(store, "alice").await, user(store, "bob").await, user(store, "carol").await);
    let asked = post(store, asking(announcement("Deploy 4812?"), clock, None)).await.posted.msgid;
    assert_eq!((unread(store, alice).await, unread(store, bob).await), (1, 1));
    let (open, before) = question_of(store, alice, &asked).await;
    assert_eq!((open.state, open.answer), (QuestionState::Open, None));
    assert_eq!(store.question(&asked, &root()).await.unwrap().1.state, QuestionState::Open);

    assert_eq!(answer(store, bob, &asked, "maybe").await, Some(Code::Invalid));
    clock.advance_micros(5);
    assert_eq!(answer(store, bob, &asked, "approve").await, None);
    assert_eq!(answer(store, alice, &asked, "deny").await, Some(Code::Conflict));
    assert_eq!(answer(store, bob, &asked, "approve").await, Some(Code::Conflict));
    for who in [alice, bob, carol] {
        let (question, item) = question_of(store, who, &asked).await;
        let counted = question.answer.unwrap();
        assert_eq!((counted.id.as_deref(), counted.by.as_deref()), (Some("approve"), Some("bob")));
        assert_eq!(question.state, QuestionState::Answered);
        assert_eq!(item.read_at.is_some(), who == bob, "read for who answered");
        assert_eq!(unread(store, who).await, 0);
    }
    let (_, after) = question_of(store, alice, &asked).await;
    assert_eq!((after.version, after.revised_at), (before.version + 1, None));
    let (_, told) = store.question(&asked, &root()).await.unwrap();
    assert_eq!(told.answer_text(), Some("APPROVE"));
}

pub async fn a_question_ends_at_its_time_with_its_default(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let asked = post(store, asking(message("alice", "bob"), clock, Some("deny"))).await.posted.msgid;
    let due = clock.now().plus_secs(HOUR);
    let (posts, next) = store.deliver_due().await.unwrap();
    assert_eq!((posts.len(), next), (0, Some(due)));
    assert_eq!(unread(store, bob).await, 1);
    clock.advance_micros(HOUR * 1_000_000);
    assert_eq!(answer(store, bob, &asked, "approve").await, Some(Code::Gone));
    let (posts, next) = store.deliver_due().await.unwrap();
    assert_eq!((posts.len(), next), (1, None));
    assert_eq!(posts[0].posted.msgid, asked);
    assert_eq!(unread(store, bob).await, 0);
    for who in [alice, bob] {
        let (question, item) = question_of(store, who, &asked).await;
        assert_eq!((question.state, question.answer_text()), (QuestionState::Expired, Some("DENY")));
        assert_eq!(question.answer.unwrap().by, None);
        assert_eq!((item.version, item.read_at), (2, None));
    }
    assert_eq!(answer(store, bob, &asked, "approve").await, Some(Code::Gone));
}

/// Four questions of alice to bob, who has no more than their time to answer.
async fn four_questions(store: &dyn Store, clock: &ManualClock) -> Vec<MsgId> {
    let mut asked = Vec::new();
    for _ in 0..4 {
        asked.push(post(store, asking(message("alice", "bob"), clock, None)).await.posted.msgid);
    }
    asked.sort();
    asked
}

pub async fn one_question_past_the_bound_is_ended(store: &dyn Store, clock: &ManualClock) {
    let (_, bob) = (user(store, "alice").await, user(store, "bob").await);
    let first = four_questions(store, clock).await;
    clock.advance(HOUR);
    let mut ended = Vec::new();
    loop {
        let (posts, next) = store.deliver_due().await.unwrap();
        ended.extend(posts.into_iter().map(|post| post.posted.msgid));
        if next.is_none() {
            break;
        }
    }
    ended.sort();
    assert_eq!(ended, first);
    // A pull that comes before that ends them all, too.
    let second = four_questions(store, clock).await;
    assert_eq!(unread(store, bob).await, 4);
    clock.advance(HOUR);
    assert_eq!(unread(store, bob).await, 0);
    for msgid in first.iter().chain(&second) {
        assert_eq!(question_of(store, bob, msgid).await.0.state, QuestionState::Expired);
    }
}

pub async fn what_is_revised_keeps_its_question_and_what_became_of_it(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    subscribe(store, bob, "42", &["comment"]).await;
    let draft = asking(reminder("x", "comment", "42"), clock, None);
    let by_alice = PostedBy { user: Some(alice), changes_others: false };
    let asked = post(store, Draft { posted_by: by_alice, ..draft }).await.posted.msgid;
    let hers = Editor { user: alice, id: "alice".to_owned(), is_admin: false, application: None };
    let edit = |body: &str| NotificationEdit { body: Some(body.to_owned()), ..NotificationEdit::default() };
    store.edit(&asked, &edit("now with tests"), &hers).await.unwrap();
    assert_eq!(question_of(store, bob, &asked).await.0.state, QuestionState::Open);
    assert_eq!(answer(store, bob, &asked, "deny").await, None);
    store.edit(&asked, &edit("too late"), &hers).await.unwrap();
    let (question, item) = question_of(store, bob, &asked).await;
    assert_eq!((question.answer_text(), &*item.content.body), (Some("DENY"), "too late"));
    assert_eq!(unread(store, bob).await, 0, "a closed question is never unread");
    assert_refused(
        store
            .question(&asked, &Editor { user: bob, id: "bob".into(), is_admin: false, application: None })
            .await,
        "not_found",
    );

    let open = post(store, asking(message("alice", "bob"), clock, None)).await.posted.msgid;
    store.recall(&open, &root()).await.unwrap().unwrap();
    assert_refused(store.question(&open, &root()).await, "not_found");
    assert_eq!(store.deliver_due().await.unwrap().1, None, "nothing waits any more");
    // As every request of an inbox does first.
    fan_in(store, bob).await;
    let unknown = MsgId("nothing".to_owned());
    let applied = apply(store, bob, vec![answers(&unknown, "deny"), answers(&open, "deny")]).await;
    assert!(applied.results.iter().all(|result| result.ok) && applied.answered.is_empty());
    let plain = post(store, message("alice", "bob")).await.posted.msgid;
    assert_eq!(answer(store, bob, &plain, "deny").await, Some(Code::Invalid));
}

pub async fn a_question_ends_at_its_very_moment_whoever_asks_first(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let asks = || asking(message("alice", "bob"), clock, Some("deny"));
    let (first, second) = (post(store, asks()).await.posted.msgid, post(store, asks()).await.posted.msgid);
    clock.advance_micros(HOUR * 1_000_000 - 1);
    assert_eq!(store.fresh_unread(bob, 99).await.unwrap().total.count, 2);
    clock.advance_micros(1);
    assert_eq!(store.fresh_unread(bob, 99).await.unwrap().total.count, 0, "before upkeep came by");
    for msgid in [&first, &second] {
        assert_eq!(question_of(store, alice, msgid).await.0.state, QuestionState::Expired);
    }
    let mut told: Vec<MsgId> = Vec::new();
    while let (posts, next) = store.deliver_due().await.unwrap()
        && (!posts.is_empty() || next.is_some())
    {
        told.extend(posts.into_iter().map(|post| post.posted.msgid));
    }
    told.sort();
    let mut both = vec![first, second];
    both.sort();
    assert_eq!(told, both, "who is connected is told, once");
}

pub async fn a_closed_question_stays_uncounted_when_its_views_mark_goes_back(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (_, bob) = (user(store, "alice").await, user(store, "bob").await);
    let before = post(store, message("alice", "bob")).await.posted.msgid;
    post(store, asking(message("alice", "bob"), clock, None)).await;
    let since = clock.now().plus_secs(HOUR);
    clock.advance(since.as_secs() - clock.now().as_secs());
    assert_eq!(unread(store, bob).await, 1);
    let visit = Visit::Now;
    store.visit(bob, &View::Conversation("user:alice".into()), visit, 9).await.unwrap();
    apply(store, bob, vec![Change::Mark { mark: Mark::Unread, msgids: vec![before], at: None }]).await;
    assert_eq!(unread(store, bob).await, 1, "the message alone");
}

pub async fn an_answer_reads_when_it_was_given_and_a_later_mark_holds(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (_, bob) = (user(store, "alice").await, user(store, "bob").await);
    let asks = || asking(message("alice", "bob"), clock, None);
    let [first, second, third] =
        [post(store, asks()).await, post(store, asks()).await, post(store, asks()).await]
            .map(|p| p.posted.msgid);
    clock.advance(1);
    let given_at = clock.now();
    clock.advance(60);
    let given = |msgid: &MsgId| Change::Answer {
        msgids: [msgid.clone()],
        answer: Some("approve".to_owned()),
        text: None,
        at: Some(given_at),
    };
    let unread_at = |msgid: &MsgId, at| {
        let at = Some(at);
        Change::Mark { mark: Mark::Unread, msgids: vec![msgid.clone()], at }
    };
    let is_read = async |msgid: &MsgId| question_of(store, bob, msgid).await.1.read_at.is_some();

    apply(store, bob, vec![given(&first)]).await;
    assert!(is_read(&first).await);
    apply(store, bob, vec![unread_at(&first, given_at.plus_micros(-1))]).await;
    assert!(is_read(&first).await, "it was answered later");
    apply(store, bob, vec![unread_at(&first, given_at)]).await;
    assert!(!is_read(&first).await, "it was marked as unread later");

    apply(store, bob, vec![unread_at(&second, given_at.plus_micros(1)), given(&second)]).await;
    assert!(!is_read(&second).await, "in whatever order they arrive");

    // A device whose clock is behind has no later time than that of the answer.
    apply(store, bob, vec![answers(&third, "approve")]).await;
    let answered_at = question_of(store, bob, &third).await.0.answer.unwrap().at;
    apply(store, bob, vec![unread_at(&third, answered_at)]).await;
    assert!(!is_read(&third).await);
    assert_eq!(unread(store, bob).await, 0, "what is answered is not counted");
}

pub async fn what_was_cleared_stays_read_when_its_question_is_closed(store: &dyn Store, clock: &ManualClock) {
    let (press, bob, carol) =
        (user(store, "press").await, user(store, "bob").await, user(store, "carol").await);
    let target = TargetRef { kind: "topic".into(), id: "deploys".into() };
    for who in [bob, carol] {
        store.subscribe(who, target.clone(), vec!["publish".into()], None).await.unwrap();
    }
    let by = PostedBy { user: Some(press), changes_others: false };
    let draft = Draft { sequence: Some("run".into()), posted_by: by, ..Draft::on_topic("deploys", None) };
    let asked = post(store, asking(draft, clock, None)).await.posted.msgid;
    assert_eq!((unread(store, bob).await, unread(store, carol).await), (1, 1));
    store.sequence("deploys", "run", SequenceChange::Clear, by).await.unwrap().unwrap();
    assert_eq!(answer(store, carol, &asked, "deny").await, None);
    let (question, item) = question_of(store, bob, &asked).await;
    assert_eq!((question.state, item.read_at.is_some()), (QuestionState::Answered, true));
}

pub async fn a_clear_whose_question_was_closed_since_leads_to_its_notification(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (press, bob) = (user(store, "press").await, user(store, "bob").await);
    let target = TargetRef { kind: "topic".into(), id: "deploys".into() };
    store.subscribe(bob, target, vec!["publish".into()], None).await.unwrap();
    let by = PostedBy { user: Some(press), changes_others: false };
    for name in ["answered", "expired"] {
        let draft =
            Draft { sequence: Some(name.to_owned()), posted_by: by, ..Draft::on_topic("deploys", None) };
        let asked = post(store, asking(draft, clock, None)).await.posted.msgid;
        assert_eq!(unread(store, bob).await, 1);
        store.sequence("deploys", name, SequenceChange::Clear, by).await.unwrap().unwrap();
        if name == "answered" {
            assert_eq!(answer(store, bob, &asked, "deny").await, None);
        } else {
            clock.advance(HOUR);
            assert_eq!(store.deliver_due().await.unwrap().0.len(), 1);
        }
        let events = store.topic_events("deploys", Stamp::ZERO, 9).await.unwrap().events;
        let last = events.last().unwrap();
        assert_eq!((&last.msgid, last.change), (&asked, TopicChange::Cleared));
        let id = MsgId(msgid::of_revision(&last.msgid, last.position));
        assert_eq!(store.question(&id, &root()).await.unwrap().0, asked);
        assert!(store.recall(&id, &root()).await.unwrap().is_some());
    }
}

pub async fn what_asks_again_under_its_sequence_waits_anew_unless_it_still_waits(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (press, bob, carol) =
        (user(store, "press").await, user(store, "bob").await, user(store, "carol").await);
    let target = TargetRef { kind: "topic".into(), id: "deploys".into() };
    for who in [bob, carol] {
        store.subscribe(who, target.clone(), vec!["publish".into()], None).await.unwrap();
    }
    let by = PostedBy { user: Some(press), changes_others: false };
    let run = |name: &str| Draft {
        sequence: Some(name.to_owned()),
        posted_by: by,
        ..Draft::on_topic("deploys", None)
    };
    let asked = post(store, asking(run("run"), clock, None)).await.posted.msgid;
    let question = async || store.question(&asked, &root()).await.unwrap().1;
    assert_eq!((unread(store, bob).await, unread(store, carol).await), (1, 1));
    // One that is open goes on as it is.
    clock.advance(60);
    let first = question().await;
    post(store, asking(run("run"), clock, Some("deny"))).await;
    assert_eq!(question().await, first);
    assert_eq!(answer(store, bob, &asked, "approve").await, None);
    assert_eq!(unread(store, carol).await, 0);
    post(store, run("run")).await;
    assert_eq!(question().await.answer_text(), Some("APPROVE"), "who asks nothing has the answer still");

    // The next run is not answered by the last one.
    let again = post(store, asking(run("run"), clock, Some("deny"))).await.posted.msgid;
    assert_eq!(again, asked);
    let open = question().await;
    assert_eq!(
        (open.state, open.answer.clone(), open.default.as_deref()),
        (QuestionState::Open, None, Some("deny"))
    );
    assert_eq!(store.check().await.unwrap(), [], "before the inboxes have it");
    for who in [bob, carol] {
        assert_eq!(unread(store, who).await, 1);
        assert_eq!(question_of(store, who, &asked).await.0, open);
    }
    assert_eq!(store.deliver_due().await.unwrap().1, open.expires_at);

    // Its time is over, and nobody has ended it yet.
    clock.advance(HOUR);
    post(store, asking(run("run"), clock, None)).await;
    let open = question().await;
    assert_eq!((open.state, open.default.clone()), (QuestionState::Open, None));
    assert_eq!(store.deliver_due().await.unwrap(), (vec![], open.expires_at));
    assert_eq!(answer(store, carol, &asked, "deny").await, None);
    assert_eq!(question().await.answer_text(), Some("DENY"));
    assert_eq!((unread(store, bob).await, store.deliver_due().await.unwrap().1), (0, None));

    let told = post(store, run("told")).await.posted.msgid;
    assert_refused(store.question(&told, &root()).await, "not_found");
    post(store, asking(run("told"), clock, None)).await;
    assert_eq!(unread(store, bob).await, 1);
    assert_eq!(answer(store, bob, &told, "approve").await, None);
    assert_eq!(store.question(&told, &root()).await.unwrap().1.answer_text(), Some("APPROVE"));
}

pub async fn what_was_answered_before_its_sequence_asked_again_answers_the_earlier_question(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (press, bob) = (user(store, "press").await, user(store, "bob").await);
    let target = TargetRef { kind: "topic".into(), id: "deploys".into() };
    store.subscribe(bob, target, vec!["publish".into()], None).await.unwrap();
    let by = PostedBy { user: Some(press), changes_others: false };
    let run = |name: &str| {
        let draft =
            Draft { sequence: Some(name.to_owned()), posted_by: by, ..Draft::on_topic("deploys", None) };
        asking(draft, clock, None)
    };
    let given = async |msgid: &MsgId, at: Stamp| {
        let (msgids, answer) = ([msgid.clone()], Some("approve".to_owned()));
        let change = Change::Answer { msgids, answer, text: None, at: Some(at) };
        apply(store, bob, vec![change]).await.results[0].code
    };
    let asked = post(store, run("run")).await.posted.msgid;
    assert_eq!(unread(store, bob).await, 1);
    let on_the_train = clock.now();
    clock.advance(HOUR);
    post(store, run("run")).await;
    assert_eq!(given(&asked, on_the_train).await, Some(Code::Gone));
    let (open, item) = question_of(store, bob, &asked).await;
    assert_eq!((open.state, unread(store, bob).await), (QuestionState::Open, 1));
    // Content that comes while it waits does not ask again.
    clock.advance(60);
    post(store, run("run")).await;
    assert_eq!(given(&asked, item.revised_at.unwrap()).await, None);
    assert_eq!(question_of(store, bob, &asked).await.0.answer_text(), Some("APPROVE"));

    let first = post(store, run("first")).await.posted.msgid;
    assert_eq!(unread(store, bob).await, 1);
    assert_eq!(given(&first, on_the_train).await, None, "by a wrong clock: nothing else was asked");
}

pub async fn a_question_that_waits_to_be_delivered_is_open_for_who_posted_it(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let (press, bob) = (user(store, "press").await, user(store, "bob").await);
    let editor = |user, id: &str| Editor { user, id: id.to_owned(), is_admin: false, application: None };
    let (hers, his) = (editor(press, "press"), editor(bob, "bob"));
    let by = PostedBy { user: Some(press), changes_others: false };
    let due = clock.now().plus_secs(60);
    let draft = Draft { posted_by: by, ..message("press", "bob") };
    let asks = asking(draft.clone(), clock, Some("deny"));
    let asked = done(store.schedule(asks, due, None).await.unwrap());
    let plain = done(store.schedule(draft, due, None).await.unwrap());
    for by in [&hers, &root()] {
        let (msgid, question) = store.question(&asked, by).await.unwrap();
        assert_eq!((msgid, question.state, question.answer), (asked.clone(), QuestionState::Open, None));
    }
    assert_refused(store.question(&asked, &his).await, "not_found");
    assert_refused(store.question(&plain, &hers).await, "not_found");
    clock.advance(60);
    while store.deliver_due().await.unwrap().1.is_some_and(|next| next <= clock.now()) {}
    assert_eq!(unread(store, bob).await, 2);
    assert_eq!(answer(store, bob, &asked, "approve").await, None);
    assert_eq!(store.question(&asked, &hers).await.unwrap().1.answer_text(), Some("APPROVE"));
}

pub async fn an_answer_to_what_is_recalled_meanwhile_is_no_error(store: &dyn Store, clock: &ManualClock) {
    let (_, bob) = (user(store, "alice").await, user(store, "bob").await);
    let by = root();
    for _ in 0..20 {
        let asked = post(store, asking(message("alice", "bob"), clock, None)).await.posted.msgid;
        let answered = apply(store, bob, vec![answers(&asked, "deny")]);
        let (applied, recalled) = tokio::join!(answered, store.recall(&asked, &by));
        assert!(recalled.unwrap().is_some());
        assert_eq!(applied.results[0].code, None, "whichever came first");
    }
    assert_eq!(unread(store, bob).await, 0);
    assert!(all(store, bob).await.iter().all(|item| item.deleted));
}
