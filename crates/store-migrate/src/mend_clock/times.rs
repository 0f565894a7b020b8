//! Times that are in no order of stamps. They are the end and the answer of a question, the end of a snooze or a file,
//! and when a delayed publication is due. Each moves by as much as the stamp that it was computed from. What was computed
//! by a right clock stays. SQLite and PostgreSQL take the same statements.

use tidings_model::{Content, Question, QuestionState, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::limits::{DELAY_MAX_SECS, MAX_QUESTION_SECS};
use tidings_store::domain::msgid;

use super::stamps::Range;

/// Publications that are read at a time.
const PORTION: usize = 100;

/// Columns of ends, each with its table and the stamp that it was reckoned from.
const ENDS: [(&str, &str, &str); 2] =
    [("items", "snoozed_until", "snooze_marked_at"), ("files", "expires_at", "published_at")];

/// Statements that move the ends of snoozes with their marks, and those of files with their publications, after the stamps
/// were mended. The tables of [`super::stamps::Stamps::collect`] are still there.
pub(super) fn move_ends(range: &Range, now: Stamp) -> String {
    let (detour, now) = (range.detour(now), now.as_micros());
    let moves = ENDS.map(|(table, end, stamp)| {
        let moved =
            format!("FROM mended m WHERE m.becomes = {table}.{stamp} + {detour} AND m.was <= {table}.{end}");
        format!(
            "UPDATE {table} SET {end} = {end} - (SELECT m.was - m.becomes + {detour} {moved})
             WHERE {end} > {now} AND EXISTS (SELECT 1 {moved});"
        )
    });
    moves.concat()
}

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

/// The end of the file of a content that moved from `was` to `is`.
fn mend_file(content: &mut Content, was: Stamp, is: Stamp) {
    if let Some(expires) = content.attachment.as_mut().and_then(|file| file.expires.as_mut()) {
        *expires = moved(Stamp::from_secs(*expires), was, is).as_secs();
    }
}

/// The publications that name times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Publications {
    /// Those with a question or a file that were published or closed in the future.
    Published,
    /// Those that wait for the future to be delivered.
    Waiting,
}

/// One of them, after its stamps were mended.
pub(super) struct Row {
    /// Its creation as digits, or its msgid.
    pub(super) key: String,
    /// Its creation before, or when it is due.
    pub(super) at: Stamp,
    /// Its content, or its draft.
    pub(super) json: String,
}

/// A statement of both databases. `$1`, `$2` are its texts.
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) texts: Vec<String>,
}

impl Publications {
    pub(super) const ALL: [Self; 2] = [Self::Published, Self::Waiting];
    /// A key before all others.
    pub(super) const START: &'static str = "0";

    /// The query of the next rows after the key `$1`. The tables of [`super::stamps::Stamps::collect`] are still there.
    pub(super) fn query(self, range: &Range, now: Stamp) -> String {
        match self {
            Self::Published => {
                let (base, detour) = (range.base(now), range.detour(now));
                format!(
                    "SELECT CAST(n.created_at AS text), coalesce(m.was, n.created_at), n.content FROM notifications n
                        LEFT JOIN mended m ON m.becomes = n.created_at + {detour}
                     WHERE n.created_at > CAST($1 AS bigint) AND (n.created_at > {base} OR n.revised_at > {base})
                        AND (n.content LIKE '%\"question\":%' OR n.content LIKE '%\"expires\":%')
                     ORDER BY n.created_at LIMIT {PORTION}"
                )
            }
            Self::Waiting => format!(
                "SELECT msgid, deliver_at, draft FROM scheduled WHERE msgid > $1 AND deliver_at > {}
                 ORDER BY msgid LIMIT {PORTION}",
                now.as_micros()
            ),
        }
    }

    /// The statements that move the times of a row; none if they stay or it can't be read.
    pub(super) fn statements(self, row: &Row, now: Stamp) -> Result<Vec<Statement>, Error> {
        match self {
            Self::Published => published(row, now),
            Self::Waiting => waiting(row, now),
        }
    }
}

fn published(row: &Row, now: Stamp) -> Result<Vec<Statement>, Error> {
    let Row { key, at, json } = row;
    let (Ok(is), Ok(mut content)) =
        (key.parse::<i64>().map(Stamp::from_micros), serde_json::from_str::<Content>(json))
    else {
        return Ok(Vec::new());
    };
    let before = content.clone();
    mend_file(&mut content, *at, is);
    if let Some(question) = &mut content.question {
        mend_question(question, *at, is, now);
    }
    if content == before {
        return Ok(Vec::new());
    }
    let texts = vec![serde_json::to_string(&content.stored(&[]))?];
    let mut statements = vec![Statement {
        sql: format!("UPDATE notifications SET content = $1 WHERE created_at = {}", is.as_micros()),
        texts,
    }];
    if let Some(due) = content.question.and_then(|question| question.expires_at) {
        let (due, is) = (due.as_micros(), is.as_micros());
        let sql = format!("UPDATE open_questions SET due = {due} WHERE created_at = {is}");
        statements.push(Statement { sql, texts: Vec::new() });
    }
    Ok(statements)
}

/// Its msgid says when it was scheduled, and its file uploaded.
fn waiting(row: &Row, now: Stamp) -> Result<Vec<Statement>, Error> {
    let was = msgid::stamp_of(&row.key).unwrap_or(now);
    let is = was.min(now);
    let due = moved(row.at, was, is).min(now.plus_secs(DELAY_MAX_SECS));
    if due == row.at {
        return Ok(Vec::new());
    }
    let draft = match serde_json::from_str::<Draft>(&row.json) {
        Ok(mut draft) => {
            mend_file(&mut draft.content, was, is);
            if let Some(question) = &mut draft.content.question {
                mend_question(question, row.at, due, now);
            }
            serde_json::to_string(&draft)?
        }
        // One that can't be read is dropped when it is due.
        Err(_) => row.json.clone(),
    };
    let (due, from) = (due.as_micros(), was.as_micros());
    let ahead = from.saturating_sub(is.as_micros());
    Ok(vec![
        Statement {
            sql: format!("UPDATE scheduled SET deliver_at = {due}, draft = $1 WHERE msgid = $2"),
            texts: vec![draft, row.key.clone()],
        },
        Statement {
            sql: format!(
                "UPDATE files SET published_at = {due},
                    expires_at = CASE WHEN expires_at < {from} THEN expires_at ELSE expires_at - {ahead} END
                 WHERE msgid = $1 AND expires_at > 0"
            ),
            texts: vec![row.key.clone()],
        },
    ])
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
            let key = msgid::mint(scheduled).as_str().to_owned();
            let row = Row { key, at: deliver_at, json: "not JSON".to_owned() };
            Publications::Waiting
                .statements(&row, NOW)
                .unwrap()
                .first()
                .map(|statement| statement.sql.clone())
        };
        let at = |due: Stamp| {
            let due = due.as_micros();
            Some(format!("UPDATE scheduled SET deliver_at = {due}, draft = $1 WHERE msgid = $2"))
        };
        let in_an_hour = NOW.plus_secs(3_600);
        assert_eq!(due(AHEAD, AHEAD.plus_secs(3_600)), at(in_an_hour));
        assert_eq!(due(NOW, in_an_hour), None);
        assert_eq!(due(AHEAD, in_an_hour), None, "scheduled by a right clock after the wrong one");
        assert_eq!(due(NOW, AHEAD), at(NOW.plus_secs(DELAY_MAX_SECS)));
    }
}
