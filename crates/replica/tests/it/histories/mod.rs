//! Tests of random histories: whatever happens to server, network and reader, the counts are right after every step,
//! and in the end the replica agrees with the server.

mod steps;
mod world;

use proptest::prelude::*;
use tidings_replica::Bounds;
use tidings_testkit::lot;

use self::steps::{Step, YEAR, step};
use self::world::World;

/// The number of histories: 48, as each is a database of its own, unless `PROPTEST_CASES` is set.
fn cases() -> u32 {
    if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 48 }
}

/// Takes steps in a new world and asserts that its counts are right after each, and that replica and server agree in the
/// end.
fn assert_ends_in_agreement(steps: &[Step], bounds: Bounds) {
    let mut world = World::new(bounds);
    for step in steps {
        world.apply_step(step);
        world.assert_consistent();
    }
    world.sync_until_idle();
    world.assert_consistent();
    world.assert_agrees_with_server();
}

/// Bounds with which marks are written row by row.
fn by_one() -> Bounds {
    Bounds { marked_rows: 1, ..Bounds::default() }
}

/// During a first pull, a view's mark that comes later than an item and does not reach it says nothing of that item.
#[test]
fn what_its_publisher_cleared_stays_read_also_where_its_view_was_read_up_to_an_earlier_item() {
    let announcement = Step::Post { sort: 0, to: 0 };
    let steps = [
        Step::Post { sort: 2, to: 0 },
        announcement.clone(),
        announcement.clone(),
        Step::Pull { limit: 3 },
        announcement.clone(),
        Step::Mark { act: 7, item: 9 },
        Step::Mark { act: 2, item: 19 },
        Step::Edit { item: 32, priority: 1 },
        announcement.clone(),
        Step::Visit { item: 19 },
        announcement.clone(),
        Step::Mark { act: 2, item: 6 },
        announcement,
        Step::Clear { item: 7 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}

/// While a view's mark covers an item, the mark is all that says when it was read. If it goes back, the server says
/// again what it had hidden.
#[test]
fn what_its_publisher_cleared_under_a_mark_is_still_read_when_the_mark_goes_back() {
    let steps = [
        Step::Post { sort: 3, to: 1 },
        Step::Post { sort: 3, to: 1 },
        Step::VisitElsewhere { item: 0 },
        Step::VisitElsewhere { item: 0 },
        Step::Post { sort: 0, to: 0 },
        Step::Elsewhere { act: 2, item: 0 },
        Step::Clear { item: 46 },
        Step::Pull { limit: 3 },
        Step::Elsewhere { act: 1, item: 3 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}

/// A clearing that is the last thing before a visit has the time of that visit's mark.
#[test]
fn what_its_publisher_cleared_just_before_its_view_was_visited_is_still_read_when_the_mark_goes_back() {
    let steps = [
        Step::Post { sort: 3, to: 1 },
        Step::Post { sort: 3, to: 1 },
        Step::Pull { limit: 3 },
        Step::Clear { item: 1 },
        Step::Pull { limit: 3 },
        Step::VisitElsewhere { item: 0 },
        Step::Pull { limit: 3 },
        Step::Elsewhere { act: 1, item: 0 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}

/// Reading an item and taking that back moves nothing at a server if the item was revised meanwhile.
#[test]
fn a_mark_that_the_server_left_where_it_was_is_there_again_after_the_next_pull() {
    let steps = [
        Step::Post { sort: 0, to: 0 },
        Step::Pull { limit: 1 },
        Step::Post { sort: 0, to: 0 },
        Step::Elsewhere { act: 0, item: 19 },
        Step::Mark { act: 0, item: 0 },
        Step::Undo,
        Step::Edit { item: 0, priority: 1 },
        Step::Post { sort: 0, to: 0 },
        Step::Pull { limit: 1 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}

/// A question ends by a clock that is a year ahead, here as at the server, and stays so when the clock is right again.
#[test]
fn a_question_that_ended_by_a_wrong_clock_refuses_the_answer_that_waited() {
    let steps = [
        Step::Ask { article: 0 },
        Step::Pull { limit: 1 },
        Step::AnswerHere { question: 0 },
        Step::JumpClock { micros: YEAR },
        Step::Pull { limit: 1 },
        Step::Ask { article: 1 },
        Step::Pull { limit: 1 },
        Step::JumpClock { micros: -YEAR },
        Step::AnswerHere { question: 0 },
        Step::Flush { limit: 1, lost: true },
        Step::AnswerByAnother { question: 1 },
        Step::Pull { limit: 1 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}

/// Two answers of one time: the one that reached the server counts, though the other one was on its way.
#[test]
fn the_answer_of_another_at_the_same_time_stays_when_the_own_one_is_refused() {
    let steps = [
        Step::Ask { article: 0 },
        Step::Pull { limit: 1 },
        Step::AnswerHere { question: 0 },
        Step::AnswerByAnother { question: 0 },
        Step::Flush { limit: 1, lost: true },
        Step::Pull { limit: 1 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_with_the_replica_as_the_server_is(
        steps in prop::collection::vec(step(), 1..60),
        seed in any::<u64>(),
    ) {
        let bounds = lot::drawn(seed, |lot| Bounds::picked(|least, usual| lot.bound(least, usual)));
        assert_ends_in_agreement(&steps, bounds);
    }
}

/// The server leaves a mark aside that it answered together with a `read_all`.
#[test]
fn a_snooze_from_elsewhere_holds_against_an_earlier_wake_that_was_sent_with_a_reading_of_everything() {
    let steps = [
        Step::Post { sort: 0, to: 0 },
        Step::Pull { limit: 1 },
        Step::Edit { item: 0, priority: 1 },
        Step::Elsewhere { act: 5, item: 0 },
        Step::Pull { limit: 1 },
        Step::Post { sort: 0, to: 0 },
        Step::AdvanceClock { micros: 1 },
        Step::ReadAll { kind: 3 },
        Step::Elsewhere { act: 5, item: 6 },
        Step::Pull { limit: 2 },
    ];
    assert_ends_in_agreement(&steps, by_one());
}
