//! What a topic expects: a publication every so often. If none comes in that time, one notification says so, and another one
//! says that the topic is back.
//!
//! Time counts only while a server runs and looks ([`Running`]). So a restart, a sleep or a clock that is set raises no
//! false alarm: they leave a gap, and gaps are not counted.

use std::time::Duration;

use serde_json::json;
use tidings_model::template::before_chinese;
use tidings_model::{Lang, Priority, Stamp};

use super::account::UserKey;
use super::draft::Draft;
use super::topic::TopicSettings;

/// The time between two looks at the topics that are due.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(15);
/// Looks that are further apart than this have a gap between them: no server was running, the machine slept, or the clock
/// was set. Seconds.
pub const MAX_GAP_SECS: i64 = 60;
/// Runs of a server that are remembered.
pub const RUNS: usize = 1_000;

const MICROS: i64 = 1_000_000;
/// How often it is looked whether a silent topic is back, seconds of running.
const BACK_SECS: (i64, i64) = (5, 60);
/// The part of its silence after which it is looked at again.
const BACK_PART: i64 = 256;

/// One unbroken run: looks that were at most [`MAX_GAP_SECS`] apart, by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// The first look.
    pub began: Stamp,
    /// The last look.
    pub ended: Stamp,
    /// The running time of all runs before, microseconds.
    pub ran_before: i64,
}

impl Running {
    /// The run that a look at `now` belongs to, after the last one; true if it is a new one.
    pub fn look(last: Option<Self>, now: Stamp) -> (Self, bool) {
        match last {
            Some(last) if now >= last.ended && now <= last.ended.plus_secs(MAX_GAP_SECS) => {
                (Self { ended: now, ..last }, false)
            }
            Some(last) => (Self { began: now, ended: now, ran_before: last.ran() }, true),
            None => (Self { began: now, ended: now, ran_before: 0 }, true),
        }
    }

    /// The running time up to its last look, microseconds.
    pub fn ran(&self) -> i64 {
        self.ran_at(self.ended)
    }

    /// The running time at a stamp, microseconds; what lies outside of the run counts as its begin or its end.
    pub fn ran_at(&self, stamp: Stamp) -> i64 {
        let at = stamp.clamp(self.began, self.ended.max(self.began));
        self.ran_before.saturating_add(at.as_micros().saturating_sub(self.began.as_micros()))
    }
}

/// How topics are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Watch {
    /// The language of the notifications.
    pub lang: Lang,
    /// A user to be subscribed to what is published.
    pub owner: Option<UserKey>,
    /// Publications older than this may be removed, seconds: a topic is looked at before.
    pub retain_secs: Option<i64>,
    /// The most topics that are looked at.
    pub portion: usize,
}

/// What a topic expects, and the state of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The topic.
    pub topic: String,
    /// Seconds between two publications.
    pub every_secs: u32,
    /// Publications up to this stamp were considered.
    pub seen_to: Stamp,
    /// Of the last notification about it, which is no publication that is expected; zero for none.
    pub told_at: Stamp,
    /// The running time at the last publication, microseconds.
    pub heard: i64,
    /// Whether a notification said that none came.
    pub missing: bool,
}

/// The notification that is due about a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// None came in time.
    Missing,
    /// One came again.
    Back,
}

impl Expectation {
    /// One that begins now, after so much running time.
    pub fn new(topic: &str, every_secs: u32, now: Stamp, ran: i64) -> Self {
        let topic = topic.to_owned();
        Self { topic, every_secs, seen_to: now, told_at: Stamp::ZERO, heard: ran, missing: false }
    }

    /// Looks at the topic after so much running time: `newest` is its newest publication after [`Expectation::seen_to`], with
    /// the running time at it.
    pub fn look(&mut self, newest: Option<(Stamp, i64)>, ran: i64) -> Option<Notice> {
        if let Some((stamp, heard)) = newest {
            self.seen_to = self.seen_to.max(stamp);
            self.heard = self.heard.max(heard).min(ran);
            return std::mem::take(&mut self.missing).then_some(Notice::Back);
        }
        if self.missing || self.late_at() > ran {
            return None;
        }
        self.missing = true;
        Some(Notice::Missing)
    }

    /// Takes a notification about it for what it is: none that is expected.
    pub fn notified(&mut self, stamp: Stamp) {
        self.seen_to = self.seen_to.max(self.told_at);
        self.told_at = stamp;
    }

    /// The running time at which the topic is to be looked at again.
    pub fn due(&self, ran: i64, retain_secs: Option<i64>) -> i64 {
        if self.missing {
            let (least, most) = (BACK_SECS.0 * MICROS, BACK_SECS.1 * MICROS);
            return ran.saturating_add((ran.saturating_sub(self.heard) / BACK_PART).clamp(least, most));
        }
        let before_removal =
            retain_secs.map(|secs| ran.saturating_add((secs / 2).max(1).saturating_mul(MICROS)));
        before_removal.map_or(self.late_at(), |at| at.min(self.late_at()))
    }

    fn late_at(&self) -> i64 {
        self.heard.saturating_add(i64::from(self.every_secs).saturating_mul(MICROS))
    }

    /// The notification, with the settings of its topic applied.
    pub fn draft(&self, notice: Notice, settings: &TopicSettings, watch: &Watch) -> Draft {
        let name = if settings.name.is_empty() { &self.topic } else { &settings.name };
        let every = every_text(self.every_secs, watch.lang);
        let (title, body, state) = match (notice, watch.lang) {
            (Notice::Missing, Lang::En) => (
                format!("Nothing came on {name}"),
                format!("A notification is expected every {every}. None came in that time."),
                "missing",
            ),
            (Notice::Missing, Lang::ZhCn) => (
                format!("{}没有收到通知", before_chinese(name)),
                format!("应每 {every}收到一条通知，但这段时间内没有收到。"),
                "missing",
            ),
            (Notice::Back, Lang::En) => {
                (format!("{name} is back"), "A notification came again.".to_owned(), "back")
            }
            (Notice::Back, Lang::ZhCn) => {
                (format!("{}已恢复", before_chinese(name)), "又收到通知了。".to_owned(), "back")
            }
        };
        let mut draft = Draft::on_topic(&self.topic, watch.owner);
        let content = &mut draft.content;
        (content.title, content.body) = (title, body);
        content.data = [("expect".to_owned(), json!(state))].into_iter().collect();
        let (priority, tag) = match notice {
            Notice::Missing => (4, "warning"),
            Notice::Back => (3, "white_check_mark"),
        };
        content.priority = Priority::new(priority).unwrap_or_default();
        content.tags = vec![tag.to_owned()];
        settings.apply(&self.topic, &mut draft);
        draft
    }
}

/// A time in words, by its largest unit without a rest.
fn every_text(secs: u32, lang: Lang) -> String {
    let units = [(86_400, "day", "天"), (3_600, "hour", "小时"), (60, "minute", "分钟"), (1, "second", "秒")];
    let whole = |(unit, ..): &&(u32, &str, &str)| secs.is_multiple_of(*unit) && secs > 0;
    let Some((unit, en, zh)) = units.iter().find(whole) else { return String::new() };
    match (secs / unit, lang) {
        (n, Lang::ZhCn) => format!("{n} {zh}"),
        (1, Lang::En) => (*en).to_owned(),
        (n, Lang::En) => format!("{n} {en}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Stamp = Stamp::from_secs(1_800_000_000);

    #[test]
    fn times_are_said_in_words() {
        assert_eq!(every_text(93_600, Lang::En), "26 hours");
        assert_eq!(
            (every_text(86_400, Lang::En), every_text(5_400, Lang::ZhCn)),
            ("day".into(), "90 分钟".into())
        );
    }

    #[test]
    fn only_time_in_which_looks_are_close_together_counts() {
        let minute = |n: i64| START.plus_secs(n * 60);
        let (run, is_new) = Running::look(None, START);
        assert!(is_new && run.ran() == 0);
        let (run, is_new) = Running::look(Some(run), minute(1));
        assert!(!is_new && run.ran() == 60 * MICROS);
        // A night asleep, and a clock that is put back: neither counts.
        for (now, after) in [(minute(600), minute(601)), (minute(-5_000), minute(-4_999))] {
            let (new, is_new) = Running::look(Some(run), now);
            assert!(is_new && new.ran() == run.ran(), "{now}");
            let (new, is_new) = Running::look(Some(new), after);
            assert!(!is_new && new.ran() == run.ran() + 60 * MICROS);
            assert_eq!(
                new.ran_at(minute(9_999)),
                new.ran(),
                "a stamp of a clock that was ahead is one of now"
            );
        }
    }

    #[test]
    fn a_look_at_the_same_moment_goes_on_and_one_a_second_too_late_begins_anew() {
        let (run, _) = Running::look(None, START);
        let is_new = |now| Running::look(Some(run), now).1;
        assert!(!is_new(START) && !is_new(START.plus_secs(MAX_GAP_SECS)));
        assert!(is_new(START.plus_secs(MAX_GAP_SECS + 1)) && is_new(START.plus_micros(-1)));
    }

    #[test]
    fn a_topic_is_late_at_its_very_moment_is_told_once_and_comes_back_once() {
        let mut topic = Expectation::new("nas", 60, START, 1_000);
        let late = 60 * MICROS + 1_000;
        assert_eq!((topic.look(None, late - 1), topic.due(0, None)), (None, late));
        assert_eq!((topic.look(None, late), topic.look(None, 2 * late)), (Some(Notice::Missing), None));
        let (stamp, heard) = (START.plus_secs(95), 95 * MICROS);
        assert_eq!(topic.look(Some((stamp, heard)), 200 * MICROS), Some(Notice::Back));
        assert_eq!((topic.seen_to, topic.heard), (stamp, heard));
        // An older one that is counted later, after less running time.
        assert_eq!(topic.look(Some((START, 97 * MICROS)), 96 * MICROS), None);
        assert_eq!((topic.seen_to, topic.heard), (stamp, 96 * MICROS));
    }

    #[test]
    fn a_topic_is_looked_at_again_when_it_is_late_before_retention_hides_it_or_when_it_may_be_back() {
        let mut topic = Expectation::new("nas", 60, START, 0);
        let due = |topic: &Expectation, secs: i64, retain| topic.due(secs * MICROS, retain) / MICROS;
        assert_eq!(
            [None, Some(100), Some(40), Some(1)].map(|retain| due(&topic, 20, retain)),
            [60, 60, 40, 21]
        );
        topic.missing = true;
        assert_eq!([256, 2_560, 256_000].map(|secs| due(&topic, secs, None)), [261, 2_570, 256_060]);
    }

    #[test]
    fn what_is_told_about_a_topic_is_none_that_it_expects() {
        let mut topic = Expectation::new("nas", 60, START, 0);
        topic.notified(START.plus_secs(1));
        assert_eq!((topic.seen_to, topic.told_at), (START, START.plus_secs(1)));
        topic.notified(START.plus_secs(2));
        assert_eq!((topic.seen_to, topic.told_at), (START.plus_secs(1), START.plus_secs(2)));
    }

    #[test]
    fn a_topic_that_is_silent_or_back_says_so_in_the_language_of_its_reader() {
        let topic = Expectation::new("nas", 60, START, 0);
        let named = TopicSettings { name: "NAS".into(), ..TopicSettings::default() };
        for (notice, lang, settings, title, body) in [
            (
                Notice::Missing,
                Lang::En,
                TopicSettings::default(),
                "Nothing came on nas",
                "A notification is expected every minute. None came in that time.",
            ),
            (
                Notice::Missing,
                Lang::ZhCn,
                named.clone(),
                "NAS 没有收到通知",
                "应每 1 分钟收到一条通知，但这段时间内没有收到。",
            ),
            (Notice::Back, Lang::En, named.clone(), "NAS is back", "A notification came again."),
            (Notice::Back, Lang::ZhCn, named, "NAS 已恢复", "又收到通知了。"),
        ] {
            let watch = Watch { lang, owner: Some(UserKey(7)), retain_secs: None, portion: 1 };
            let draft = topic.draft(notice, &settings, &watch);
            assert_eq!((draft.content.title.as_str(), draft.content.body.as_str()), (title, body));
            assert_eq!((draft.topic(), draft.subscribe), (Some("nas"), watch.owner));
            let (priority, tag, state) = match notice {
                Notice::Missing => (4, "warning", "missing"),
                Notice::Back => (3, "white_check_mark", "back"),
            };
            assert_eq!(
                (draft.content.priority.get(), &draft.content.tags[..]),
                (priority, &[tag.to_owned()][..])
            );
            assert_eq!(draft.content.data["expect"], state);
        }
        assert_eq!((every_text(0, Lang::En), every_text(61, Lang::En)), (String::new(), "61 seconds".into()));
    }
}
