//! The steps that happen to server, network and reader, with their frequencies.

use proptest::prelude::*;
use tidings_replica::*;

/// The microseconds of a year, by which a clock may be wrong.
pub(super) const YEAR: i64 = 365 * 86_400 * 1_000_000;
/// More than a question has, in microseconds.
const MINUTE: i64 = 61 * 1_000_000;

#[derive(Debug, Clone)]
pub(super) enum Step {
    Post {
        sort: u8,
        to: u8,
    },
    /// A change on another device of the same user.
    Elsewhere {
        act: u8,
        item: usize,
    },
    VisitElsewhere {
        item: usize,
    },
    /// A page is pulled; it is kept for `Repeat`.
    Pull {
        limit: usize,
    },
    /// An earlier page arrives again.
    Repeat {
        page: usize,
    },
    Mark {
        act: u8,
        item: usize,
    },
    MarkThread {
        act: u8,
        thread: usize,
    },
    Visit {
        item: usize,
    },
    ReadAll {
        kind: u8,
    },
    Undo,
    /// Operations reach the server; the answer may be lost.
    Flush {
        limit: usize,
        lost: bool,
    },
    AdvanceClock {
        micros: i64,
    },
    /// The clock moves far, forward or back. What is due ends at the server and here.
    JumpClock {
        micros: i64,
    },
    Wake,
    /// Somebody asks a question.
    Ask {
        article: u8,
    },
    AnswerHere {
        question: usize,
    },
    /// Another user answers.
    AnswerByAnother {
        question: usize,
    },
    /// The publisher takes an item back.
    Recall {
        item: usize,
    },
    /// A user with whom there are messages is removed.
    Go {
        to: u8,
    },
    /// The publisher revises an item, with a new body and maybe another priority.
    Edit {
        item: usize,
        priority: i64,
    },
    /// The publisher marks an item as read.
    Clear {
        item: usize,
    },
    /// Items of an action are of the other class from now on.
    SwitchClass {
        like: bool,
    },
    SetSourceNotify {
        notify: NotifySettings,
    },
    SetThreadNotify {
        thread: usize,
        notify: NotifySettings,
    },
    FromPriority {
        least: u8,
    },
    EarlyWake {
        on: bool,
    },
    Rule {
        rule: Rule,
    },
    Reopen,
    /// The server starts again from a copy of its own past.
    Resync,
}

fn notify() -> impl Strategy<Value = NotifySettings> {
    let level = prop::sample::select(vec![
        None,
        Some(NotifyLevel::Toast),
        Some(NotifyLevel::Badge),
        Some(NotifyLevel::Nothing),
    ]);
    (level, prop::option::of(1..6u8)).prop_map(|(level, from_priority)| NotifySettings {
        level,
        from_priority,
        sound: None,
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let when =
        (prop::option::of(0..3usize), 0..3u8, prop::option::of(1..4u8)).prop_map(|(kind, text, at_most)| {
            RuleWhen {
                kind: kind.map(|n| tidings_model::Kind::ALL[n]),
                actor: if text == 1 { "USER 1".into() } else { String::new() },
                words: if text == 2 { "Other \"words 一些\"".into() } else { String::new() },
                at_most,
                ..RuleWhen::default()
            }
        });
    let then = (any::<[bool; 4]>(), -2..3i8).prop_map(|([mute, archive, read, pin], priority)| RuleThen {
        mute,
        archive,
        read,
        pin,
        priority,
        no_toast: false,
    });
    (0..4i64, any::<bool>(), when, then).prop_map(|(id, on, when, then)| Rule {
        id,
        name: String::new(),
        on,
        when,
        then,
    })
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..5u8, 0..3u8).prop_map(|(sort, to)| Step::Post { sort, to }),
        3 => (0..8u8, 0..99usize).prop_map(|(act, item)| Step::Elsewhere { act, item }),
        1 => (0..99usize).prop_map(|item| Step::VisitElsewhere { item }),
        5 => (1..6usize).prop_map(|limit| Step::Pull { limit }),
        1 => (0..99usize).prop_map(|page| Step::Repeat { page }),
        4 => (0..8u8, 0..99usize).prop_map(|(act, item)| Step::Mark { act, item }),
        2 => (0..12u8, 0..99usize).prop_map(|(act, thread)| Step::MarkThread { act, thread }),
        1 => (0..99usize).prop_map(|item| Step::Visit { item }),
        1 => (0..4u8).prop_map(|kind| Step::ReadAll { kind }),
        1 => Just(Step::Undo),
        3 => (1..5usize, any::<bool>()).prop_map(|(limit, lost)| Step::Flush { limit, lost }),
        2 => (1..400i64).prop_map(|micros| Step::AdvanceClock { micros }),
        1 => prop::sample::select(vec![YEAR, -YEAR, MINUTE]).prop_map(|micros| Step::JumpClock { micros }),
        1 => Just(Step::Wake),
        2 => (0..3u8).prop_map(|article| Step::Ask { article }),
        2 => (0..99usize).prop_map(|question| Step::AnswerHere { question }),
        1 => (0..99usize).prop_map(|question| Step::AnswerByAnother { question }),
        1 => (0..99usize).prop_map(|item| Step::Recall { item }),
        1 => (0..3u8).prop_map(|to| Step::Go { to }),
        2 => (0..99usize, 1..6i64).prop_map(|(item, priority)| Step::Edit { item, priority }),
        1 => (0..99usize).prop_map(|item| Step::Clear { item }),
        1 => any::<bool>().prop_map(|like| Step::SwitchClass { like }),
        1 => notify().prop_map(|notify| Step::SetSourceNotify { notify }),
        2 => (0..99usize, notify()).prop_map(|(thread, notify)| Step::SetThreadNotify { thread, notify }),
        1 => (1..6u8).prop_map(|least| Step::FromPriority { least }),
        1 => any::<bool>().prop_map(|on| Step::EarlyWake { on }),
        1 => rule().prop_map(|rule| Step::Rule { rule }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Resync),
    ]
}
