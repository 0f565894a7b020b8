//! Questions: the first answer counts, for everybody, wherever it is given.

use reqwest::Method;
use serde_json::json;
use tidings_model::Stamp;
use tidings_replica::{AnswerOutcome, ItemFilter};
use tidings_testkit::rules::{Position, PublicationKind, ReaderOp, Withdrawal};

use super::{
    catalog::ACTIONS,
    world::{READERS, World},
};

/// Of how many of the newest questions one is answered.
const NEWEST: usize = 6;

impl World {
    /// Publishes a reminder, an announcement or a message that asks.
    pub(crate) async fn ask_a_question(&mut self) {
        let (path, mut fields, kind) = match self.below(4) {
            0 => {
                let kind = PublicationKind::Announcement { by: "admin".to_owned() };
                ("announcements", json!({"title": "a question for all"}), kind)
            }
            1 => {
                let to = self.random_user();
                let fields = json!({"to": to, "from": "dana"});
                ("messages", fields, PublicationKind::Direct { from: "dana".to_owned(), to })
            }
            _ => {
                let (actor, action, (kind, id)) =
                    (self.random_actor(), self.pick(&ACTIONS), self.random_target());
                let target = json!({"type": kind, "id": id, "title": "Tides", "owner": "ana"});
                let fields = json!({"actor": actor, "action": action, "target": target});
                let (action, target) = (action.to_owned(), format!("{kind}:{id}"));
                ("reminders", fields, PublicationKind::Reminder { actor, action, target })
            }
        };
        fields["body"] = json!(format!("text {}?", self.name()));
        fields["question"] = json!({"answers": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]});
        self.log.note(format!("a question: {kind:?}"));
        self.publish("admin", path, vec![(fields, kind)], false).await;
        self.rules.asks();
    }

    /// A question among the newest of an inbox, answered or not.
    fn a_question_of(&mut self, who: &str) -> Option<Position> {
        let inbox = self.rules.users[who].inbox.iter().rev();
        let asked = inbox.filter(|(nth, entry)| self.rules.history[**nth].asks && !entry.deleted);
        let asked: Vec<Position> = asked.map(|(nth, _)| *nth).take(NEWEST).collect();
        (!asked.is_empty()).then(|| asked[self.below(asked.len())])
    }

    /// Answers directly at the server.
    pub(crate) async fn answer_at_server(&mut self) {
        let who = self.pick(&READERS);
        self.read(who, "unread").await;
        let Some(nth) = self.a_question_of(who) else { return };
        let published = &self.rules.history[nth];
        let is_gone = published.withdrawn == Some(Withdrawal::Delete);
        let (msgid, is_late) = (published.msgid.clone(), published.closed && !is_gone);
        let answer = self.pick(&["yes", "no"]);
        self.tell_time().await;
        self.log.note(format!("{who} answers {nth} with {answer} at the server, late: {is_late}"));
        let op =
            json!({"id": format!("op-{}", self.name()), "op": "answer", "msgids": [msgid], "answer": answer});
        let done = self.client(who).ask(Method::POST, "inbox/ops", json!({"ops": [op]})).await.success();
        let result = (&done["results"][0]["ok"], &done["results"][0]["code"]);
        let why = if self.expired.contains(&nth) { "gone" } else { "conflict" };
        let expected = if is_late { (json!(false), json!(why)) } else { (json!(true), json!(null)) };
        assert_eq!(result, (&expected.0, &expected.1), "{nth} of {who}");
        self.rules.apply(who, &ReaderOp::Answer { item: Some(nth), at: Stamp::MAX });
    }

    /// Answers on a device; the answer waits there until it is sent.
    pub(crate) fn answer_on_device(&mut self) {
        let device = self.below(self.devices.len());
        let shown = self.devices[device].shown(&ItemFilter::default(), 1_000);
        let asked: Vec<_> = shown
            .into_iter()
            .filter(|item| item.notification.content.question.is_some())
            .take(NEWEST)
            .collect();
        if asked.is_empty() {
            return;
        }
        let item = asked[self.below(asked.len())].clone();
        let nth = self.rules.find(item.notification.msgid.as_str()).unwrap();
        let this = &mut self.devices[device];
        let outcome = this.replica().answer(item.id, Some("yes"), None).unwrap();
        self.log.note(format!("{nth} is answered on the {}: {outcome:?}", this.name));
        let is_closed =
            item.notification.content.question.as_ref().is_some_and(tidings_model::Question::is_closed);
        if is_closed {
            assert_eq!(outcome, AnswerOutcome::Closed);
        } else {
            assert_eq!(outcome, AnswerOutcome::Answered);
            this.unsent_ops.push(ReaderOp::Answer { item: Some(nth), at: this.acted_at() });
        }
    }
}
