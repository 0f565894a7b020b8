//! Tests of questions: answered here, elsewhere, too late, or not at all.

use tidings_model::{Clock, Mark, MsgId, QuestionState};
use tidings_replica::*;

use crate::device::{Device, server};
use crate::server::USER;

fn item(device: &Device, msgid: &MsgId) -> Item {
    device.replica.items_by_msgid(None, std::slice::from_ref(msgid)).unwrap().remove(0)
}

fn answer(device: &Device, msgid: &MsgId, id: &str) -> AnswerOutcome {
    let outcome = device.replica.answer(item(device, msgid).id, Some(id), None).unwrap();
    device.assert_consistent();
    outcome
}

/// The state of a question, the id of the answer that counts, and who gave it.
fn shown(device: &Device, msgid: &MsgId) -> (QuestionState, Option<String>, Option<String>) {
    let question = item(device, msgid).notification.content.question.unwrap();
    let (id, by) = question.answer.map(|answer| (answer.id, answer.by)).unwrap_or_default();
    (question.state, id, by)
}

fn answered(id: &str, by: &str) -> (QuestionState, Option<String>, Option<String>) {
    (QuestionState::Answered, Some(id.into()), Some(by.into()))
}

#[test]
pub(crate) fn an_answer_holds_at_once_waits_offline_and_reaches_the_other_device() {
    let mut server = server();
    let (device, phone) = (Device::at(&server), Device::at(&server));
    let msgid = server.ask(42, "Deploy 4812?");
    device.pull(&server);
    phone.pull(&server);
    assert_eq!((device.unread(), shown(&device, &msgid).0), (1, QuestionState::Open));
    assert_eq!(answer(&device, &msgid, "approve"), AnswerOutcome::Answered);
    assert_eq!(shown(&device, &msgid), answered("approve", USER));
    assert_eq!((device.unread(), item(&device, &msgid).pending), (0, true));
    // A version that comes before the answer is sent does not open it again.
    server.edit(&msgid, "Deploy 4812 now?", 3);
    device.pull(&server);
    assert_eq!((shown(&device, &msgid), device.unread()), (answered("approve", USER), 0));
    assert_eq!(answer(&device, &msgid, "deny"), AnswerOutcome::Closed);

    device.flush(&mut server);
    device.pull(&server);
    phone.pull(&server);
    for one in [&device, &phone] {
        assert_eq!((shown(one, &msgid), one.unread()), (answered("approve", USER), 0));
        assert_eq!((item(one, &msgid).pending, item(one, &msgid).late_answer), (false, None));
    }
}

#[test]
pub(crate) fn an_answer_that_comes_too_late_is_told_and_the_one_that_counts_is_shown() {
    let mut server = server();
    let device = Device::at(&server);
    let (first, second) = (server.ask(1, "Deploy?"), server.ask(2, "Restart?"));
    device.pull(&server);
    answer(&device, &first, "approve");
    answer(&device, &second, "approve");
    assert_eq!(server.answer("cy", &first, Some("deny".into()), None), None);
    server.clock.advance(61);
    device.flush(&mut server);
    let expired = (QuestionState::Expired, Some("deny".to_owned()), None);
    assert_eq!(shown(&device, &second), expired, "before a pull says so");
    device.pull(&server);
    assert_eq!(shown(&device, &first), answered("deny", "cy"));
    assert_eq!(shown(&device, &second), expired);
    for msgid in [&first, &second] {
        let item = item(&device, msgid);
        assert_eq!((item.late_answer.as_deref(), item.pending), (Some("Approve"), false));
    }
    assert_eq!(device.unread(), 0);
}

#[test]
fn an_answer_that_waited_while_the_question_was_asked_again_is_told_to_be_late_and_the_question_is_open() {
    for hears_of_it_first in [true, false] {
        let mut server = server();
        let device = Device::at(&server);
        let msgid = server.ask(42, "Deploy?");
        device.pull(&server);
        answer(&device, &msgid, "approve");
        server.clock.advance(61);
        server.ask_again(&msgid);
        if hears_of_it_first {
            device.pull(&server);
            assert_eq!(shown(&device, &msgid), answered("approve", USER), "its own answer, while it waits");
        }
        device.flush(&mut server);
        device.pull(&server);
        assert_eq!((shown(&device, &msgid).0, device.unread()), (QuestionState::Open, 1));
        let told = item(&device, &msgid);
        assert_eq!((told.late_answer.as_deref(), told.pending), (Some("Approve"), false));

        assert_eq!(answer(&device, &msgid, "deny"), AnswerOutcome::Answered);
        device.flush(&mut server);
        device.pull(&server);
        assert_eq!(shown(&device, &msgid), answered("deny", USER));
        assert_eq!(item(&device, &msgid).late_answer, None);
    }
}

#[test]
pub(crate) fn a_closed_question_that_sleeps_is_not_read_with_everything_else() {
    let mut server = server();
    let device = Device::at(&server);
    let msgid = server.ask(42, "Deploy?");
    device.pull(&server);
    let mark = |mark| drop(device.replica.mark(Targets::MsgIds(vec![msgid.clone()]), mark).unwrap());
    let read_at = || item(&device, &msgid).notification.read_at;
    assert_eq!(answer(&device, &msgid, "approve"), AnswerOutcome::Answered);
    device.flush(&mut server);
    device.pull(&server);
    device.clock.advance_micros(1_000_000);
    mark(Mark::Unread);
    mark(Mark::Snooze { until: device.clock.now().plus_secs(3_600) });
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(read_at(), None);
    let all = Targets::All { source: None, kind: None, through: None };
    device.replica.mark(all, Mark::Read).unwrap();
    assert_eq!(read_at(), None, "it counts as read already");
    server.edit(&msgid, "Deploy 4812?", 3);
    device.pull(&server);
    assert_eq!(read_at(), None, "nor by the operation that waits");
    device.flush(&mut server);
    assert_eq!(read_at(), None, "nor by its answer");
    device.assert_consistent();
}

#[test]
pub(crate) fn a_question_ends_offline_at_its_very_moment() {
    let mut server = server();
    let device = Device::at(&server);
    let msgid = server.ask(42, "Deploy?");
    device.pull(&server);
    let at = item(&device, &msgid).notification.content.question.unwrap().expires_at;
    assert_eq!((device.badge(), device.replica.next_wake().unwrap()), (1, at));
    device.replica.wake(device.clock.now()).unwrap();
    assert_eq!(device.badge(), 1);
    device.clock.set(at.unwrap());
    device.replica.wake(device.clock.now()).unwrap();
    assert_eq!((device.badge(), device.replica.next_wake().unwrap()), (0, None));
    assert_eq!(shown(&device, &msgid), (QuestionState::Expired, Some("deny".into()), None));
    assert_eq!(answer(&device, &msgid, "approve"), AnswerOutcome::Closed);
}

#[test]
pub(crate) fn no_rule_and_no_retention_puts_an_open_question_away() {
    let mut server = server();
    let device = Device::at(&server);
    let when = RuleWhen { words: "deploy".into(), ..RuleWhen::default() };
    let then = RuleThen { archive: true, read: true, ..RuleThen::default() };
    device.replica.save_rule(Rule { id: 0, name: String::new(), on: true, when, then }).unwrap();
    let msgid = server.ask(42, "Deploy?");
    device.pull(&server);
    assert_eq!((device.place(device.thread_of(&msgid)), device.unread()), ("inbox", 1));

    device.replica.mark(Targets::Items(vec![item(&device, &msgid).id]), Mark::Archive).unwrap();
    device.flush(&mut server);
    device.pull(&server);
    device.clock.advance(1);
    let retain = || device.replica.apply_retention(device.clock.now(), 10).unwrap();
    assert_eq!(retain(), 0, "it is still open");
    answer(&device, &msgid, "deny");
    device.flush(&mut server);
    device.pull(&server);
    assert_eq!(retain(), 1);
}

#[test]
pub(crate) fn only_what_a_question_takes_answers_it() {
    let mut server = server();
    let device = Device::at(&server);
    let (msgid, plain) = (server.ask(42, "Deploy?"), server.post(1, 7, "Nothing is asked"));
    device.pull(&server);
    let put = |msgid: &MsgId, id: Option<&str>, text: Option<&str>| {
        device.replica.answer(item(&device, msgid).id, id, text).unwrap()
    };
    assert_eq!(put(&msgid, Some("later"), None), AnswerOutcome::NotOffered);
    assert_eq!(put(&msgid, None, Some(" ")), AnswerOutcome::NotOffered);
    assert_eq!(put(&plain, Some("approve"), None), AnswerOutcome::NoQuestion);
    assert_eq!(device.replica.counts().unwrap().waiting, 0);
    assert_eq!(put(&msgid, None, Some("after lunch")), AnswerOutcome::Answered);
    let question = item(&device, &msgid).notification.content.question.unwrap();
    assert_eq!(question.answer_text(), Some("after lunch"));
}

#[test]
pub(crate) fn a_thread_tells_its_newest_open_question_else_its_newest_one() {
    let mut server = server();
    let device = Device::at(&server);
    let row = |msgid: &MsgId| {
        let thread = item(&device, msgid).thread;
        device.replica.threads_by_id(&[thread]).unwrap().remove(0).question.map(|asked| asked.msgid)
    };
    let asking = |thread| {
        let items = device.replica.asking(thread, 9).unwrap();
        items.into_iter().map(|item| item.notification.msgid).collect::<Vec<_>>()
    };
    let said = server.post(1, 42, "Build 4812 is green");
    device.pull(&server);
    assert_eq!(row(&said), None);
    let first = server.ask(42, "Deploy 4812?");
    let second = server.ask(42, "Restart?");
    let last = server.post(1, 42, "Build 4813 is green");
    device.pull(&server);
    let thread = item(&device, &last).thread;
    assert_eq!((row(&last), asking(thread)), (Some(second.0.clone()), vec![first.clone(), second.clone()]));
    answer(&device, &second, "approve");
    assert!(item(&device, &second).answer_waits && !item(&device, &first).answer_waits);
    assert_eq!((row(&last), asking(thread)), (Some(first.0.clone()), vec![first.clone()]));
    answer(&device, &first, "deny");
    assert_eq!((row(&last), asking(thread)), (Some(second.0.clone()), vec![]));
    // What the reader deleted is no longer there, and a mark that waits is no answer.
    device.replica.mark(Targets::Items(vec![item(&device, &second).id]), Mark::Delete).unwrap();
    assert_eq!(row(&last), Some(first.0.clone()));
    device.replica.mark(Targets::Items(vec![item(&device, &last).id]), Mark::Archive).unwrap();
    assert_eq!((item(&device, &last).pending, item(&device, &last).answer_waits), (true, false));
    device.assert_consistent();
}
