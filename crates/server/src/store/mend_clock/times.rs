//! Times that a publication names: when a question ends and was answered, and when a delayed publication is due. They are in
//! no order of stamps, so each moves by as much as its publication did. SQLite and PostgreSQL take the same queries.

use tidings_model::{Content, Question, QuestionState, Stamp};

use super::stamps::Range;
use crate::domain::draft::Draft;
use crate::domain::limits::{DELAY_MAX_SECS, MAX_QUESTION_SECS};
use crate::domain::msgid;
use crate::error::Error;

/// Publications that are read at a time.
const PORTION: usize = 100;

/// A time that was reckoned from `was`, which became `is`. A time before it is of a right clock and stays.
fn moved(at: Stamp, was: Stamp, is: Stamp) -> Stamp {
    if at < was { at } else { at.plus_micros(is.as_micros().saturating_sub(was.as_micros())) }
}

/// A question whose publication moved from `was` to `is`. Nothing that has happened lies in the future afterwards.
fn mend_question(question: &mut Question, was: Stamp, is: Stamp, now: Stamp) {
    let has_expired = question.state == QuestionState::Expired;
    let latest = if has_expired { now } else { is.plus_secs(MAX_QUESTION_SECS) };
    question.expires_at = question.expires_at.map(|at| moved(at, was, is).min(latest));
    if let Some(answer) = &mut question.answer {
        answer.at = moved(answer.at, was, is).min(now);
    }
}

/// A publication that asks something, after its stamps were mended.
pub(super) struct Asked {
    pub(super) created_at: Stamp,
    /// Its creation before.
    pub(super) was: Stamp,
    /// JSON.
    pub(super) content: String,
}

impl Asked {
    /// The query of the next ones after a creation that were published or closed in the future: `created_at`, `was` and
    /// `content`. The tables of [`super::stamps::Stamps::collect`] are still there.
    pub(super) fn query(range: &Range, now: Stamp, after: Stamp) -> String {
        let (base, detour, after) = (range.base(now), range.detour(now), after.as_micros());
        format!(
            "SELECT n.created_at, coalesce(m.was, n.created_at), n.content FROM notifications n
                LEFT JOIN mended m ON m.becomes = n.created_at + {detour}
             WHERE n.created_at > {after} AND (n.created_at > {base} OR n.revised_at > {base})
                AND n.content LIKE '%\"question\":%'
             ORDER BY n.created_at LIMIT {PORTION}"
        )
    }

    /// Its content with the times moved, and when the question ends; `None` if it can't be read or nothing moves.
    pub(super) fn mended(&self, now: Stamp) -> Result<Option<(String, Stamp)>, Error> {
        let Ok(mut content) = serde_json::from_str::<Content>(&self.content) else { return Ok(None) };
        let Some(question) = &mut content.question else { return Ok(None) };
        let before = question.clone();
        mend_question(question, self.was, self.created_at, now);
        let Some(due) = question.expires_at.filter(|_| *question != before) else { return Ok(None) };
        Ok(Some((serde_json::to_string(&content.stored(&[]))?, due)))
    }
}

/// A publication that waits to be delivered.
pub(super) struct Waiting {
    pub(super) msgid: String,
    pub(super) deliver_at: Stamp,
    /// JSON.
    pub(super) draft: String,
}

impl Waiting {
    /// The query of the next ones after a msgid that wait for the future: `msgid`, `deliver_at` and `draft`. `$1` or `?1` is the msgid.
    pub(super) fn query(parameter: char, now: Stamp) -> String {
        format!(
            "SELECT msgid, deliver_at, draft FROM scheduled WHERE msgid > {parameter}1 AND deliver_at > {}
             ORDER BY msgid LIMIT {PORTION}",
            now.as_micros()
        )
    }

    /// When it is due by the right clock, and its draft for that time; `None` if that stays. Its msgid says when it was
    /// scheduled.
    pub(super) fn mended(&self, now: Stamp) -> Result<Option<(Stamp, String)>, Error> {
        let was = msgid::stamp_of(&self.msgid).unwrap_or(now);
        let due = moved(self.deliver_at, was, was.min(now)).min(now.plus_secs(DELAY_MAX_SECS));
        if due == self.deliver_at {
            return Ok(None);
        }
        // One that can't be read is dropped when it is due.
        let Ok(mut draft) = serde_json::from_str::<Draft>(&self.draft) else {
            return Ok(Some((due, self.draft.clone())));
        };
        if let Some(question) = &mut draft.content.question {
            mend_question(question, self.deliver_at, due, now);
        }
        Ok(Some((due, serde_json::to_string(&draft)?)))
    }
}

#[cfg(test)]
mod tests {
    use tidings_model::Answer;

    use super::*;

    const DAY: i64 = 24 * 3_600;
    const NOW: Stamp = Stamp::from_secs(1_800_000_000);
    const AHEAD: Stamp = Stamp::from_secs(1_800_000_000 + 365 * DAY);

    fn asked(expires_at: Stamp, state: QuestionState, at: Option<Stamp>) -> Question {
        let answer = at.map(|at| Answer { id: None, text: None, by: None, at });
        Question { expires_at: Some(expires_at), state, answer, ..Question::default() }
    }

    /// The end of a question and the time of its answer, after its publication moved to now.
    fn times(mut question: Question, was: Stamp) -> (Stamp, Option<Stamp>) {
        mend_question(&mut question, was, was.min(NOW), NOW);
        (question.expires_at.unwrap(), question.answer.map(|answer| answer.at))
    }

    #[test]
    fn a_question_keeps_the_time_it_gave_and_nothing_that_happened_lies_in_the_future() {
        let (open, answered, expired) =
            (QuestionState::Open, QuestionState::Answered, QuestionState::Expired);
        let in_a_day = NOW.plus_secs(DAY);
        assert_eq!(times(asked(AHEAD.plus_secs(DAY), open, None), AHEAD), (in_a_day, None));
        let answer = Some(AHEAD.plus_secs(60));
        assert_eq!(times(asked(AHEAD.plus_secs(DAY), answered, answer), AHEAD), (in_a_day, Some(NOW)));
        let over = AHEAD.plus_secs(DAY);
        assert_eq!(times(asked(over, expired, Some(over)), AHEAD), (NOW, Some(NOW)));
        // Asked before the clock went wrong, and answered after.
        let before = NOW.plus_secs(-60);
        assert_eq!(times(asked(in_a_day, answered, Some(AHEAD)), before), (in_a_day, Some(NOW)));
        // Asked by a right clock, at a stamp after those of the wrong one.
        assert_eq!(times(asked(in_a_day, open, None), AHEAD), (in_a_day, None));
        let most = NOW.plus_secs(MAX_QUESTION_SECS);
        assert_eq!(times(asked(AHEAD.plus_secs(90 * DAY), open, None), AHEAD), (most, None));
    }

    #[test]
    fn a_delayed_publication_keeps_its_delay() {
        let due = |scheduled: Stamp, deliver_at: Stamp| {
            let msgid = msgid::mint(scheduled).as_str().to_owned();
            let waiting = Waiting { msgid, deliver_at, draft: "not JSON".to_owned() };
            waiting.mended(NOW).unwrap().map(|(due, _)| due)
        };
        let in_an_hour = NOW.plus_secs(3_600);
        assert_eq!(due(AHEAD, AHEAD.plus_secs(3_600)), Some(in_an_hour));
        assert_eq!(due(NOW, in_an_hour), None);
        assert_eq!(due(AHEAD, in_an_hour), None, "scheduled by a right clock after the wrong one");
        assert_eq!(due(NOW, AHEAD), Some(NOW.plus_secs(DELAY_MAX_SECS)));
    }
}
