//! Tests that every statement of the replica uses an index, and that every index of `items` serves a statement. The other
//! tests are run, and SQLite's query plans are inspected.

use std::path::Path;

use tidings_model::wire::{OpResult, ViewMark};
use tidings_model::{Clock, Kind, MsgId, Notification, Stamp};
use tidings_replica::*;
use tidings_sqlite::{Database, Durability, Options};
use tidings_testkit::statements::{self, Listed, Unrun};

use crate::device::{Device, server};
use crate::server::Server;

const CHECK: &str = "a check reads everything once, on a reader's connection";
const SHORT_TABLE: &str =
    "one row, or one for each thing that the reader set up by hand, at most 100 searches";
const COUNTERS: &str = "at most three rows a source";
const CAPPED: &str = "ends at its LIMIT along an index, 10,000 of what waits or is flagged, 20,000 people";
const FLAGGED: &str = "a partial index of what the reader pinned or muted";
const MUTED: &str = "what the reader muted by hand, at most 1,000 sources and topics";
const LIST: &str = "newest first along an index until the page is full, on a reader's connection";
const ANSWER: &str = "as many rows as the answer has, on a reader's connection";
const ASSUMED: &str = "those of the last operations, until the pull that follows them";
const GROUPS: &str = "one row a group that the user is in, on a reader's connection";
const DEFERRED: &str = "the newest 10,000 that arrived during one silence: no more are kept";
const WOKEN: &str = "at most 1,000 that came back from a snooze and were not told of yet";

const SKIPPED: &str = "the last 100 items of a source that were passed by: no more are kept";
const SALVAGED: &str =
    "it reads a damaged file, whose indexes may be damaged as well, on a connection of its own";

const RULE_ITEMS: &str = "the last 20 items of a rule: no more are kept";

const ACTORS: &str = "all who act in a thread, once one of its latest three has left it";

const fn scan(statement: &'static str, step: &'static str, reason: &'static str) -> Listed {
    Listed { statement, step, reason }
}

const UNREAD: &str = "reads what is unread, which it marks as read up to a time";

/// Permitted steps without an index, each with the reason why it is bounded.
const LISTED: &[Listed] = &[
    // Each query of the check begins with the name of the value that differs.
    scan("SELECT '", "SCAN ", CHECK),
    scan("LEFT JOIN views v ON v.id = i.view ORDER BY i.id", "SCAN i", CHECK),
    scan("SELECT '", "USE TEMP B-TREE", CHECK),
    scan("SELECT '", "SEARCH ", CHECK),
    scan("FROM views v JOIN sources s ON s.id = v.source WHERE s.protocol", "SCAN v", CHECK),
    scan("FROM counters", "SCAN counters", COUNTERS),
    scan("FROM sources", "SCAN sources", SHORT_TABLE),
    scan("FROM saved_searches", "SCAN saved_searches", SHORT_TABLE),
    scan("FROM rules", "SCAN rules", SHORT_TABLE),
    scan("ORDER BY position, id", "USE TEMP B-TREE FOR ORDER BY", SHORT_TABLE),
    scan("SELECT key, value FROM settings", "SCAN settings", SHORT_TABLE),
    scan("FROM people ORDER BY last_at DESC LIMIT", "SCAN people USING INDEX people_latest", CAPPED),
    scan("FROM people WHERE +source NOT IN", "SCAN people USING INDEX people_latest", CAPPED),
    scan("threads t INDEXED BY threads_muted", "SCAN t USING INDEX threads_muted", FLAGGED),
    scan("FROM mutes", "SCAN mutes", MUTED),
    scan(" unfaceted", "SCAN unfaceted", "one row, until older items are indexed anew"),
    scan("threads INDEXED BY threads_muted WHERE", "SCAN threads USING INDEX threads_muted", FLAGGED),
    scan("WHERE muted_until IS NOT NULL AND", "USE TEMP B-TREE", FLAGGED),
    scan("threads t INDEXED BY threads_pinned", "SCAN t USING INDEX threads_pinned", FLAGGED),
    scan("removing = 0) ORDER BY i.listed_at, i.id", "SCAN i USING INDEX items_time", ANSWER),
    scan("ORDER BY i.listed_at DESC, i.id DESC LIMIT", "SCAN i USING INDEX items_time", LIST),
    scan("ORDER BY i.listed_at DESC, i.id DESC LIMIT", "SCAN i USING INDEX items_unread", LIST),
    scan(
        "SELECT i.id, i.view, i.content_at FROM items i WHERE i.unread = 1",
        "SCAN i USING INDEX items_unread",
        UNREAD,
    ),
    scan("i.thread IN (SELECT id FROM threads", "USE TEMP B-TREE FOR ORDER BY", LIST),
    scan("ORDER BY i.listed_at DESC LIMIT ?1) x", "SCAN i USING INDEX items_time", LIST),
    scan("FROM receipts WHERE source = ?1 AND msgid = ?2 ORDER BY at, reader", "USE TEMP B-TREE", ANSWER),
    scan("SELECT source, gid, name FROM groups", "SCAN groups", GROUPS),
    scan("SELECT substr(t.key, 7) FROM threads t LEFT JOIN groups g", "USE TEMP B-TREE", GROUPS),
    scan("h.assumed IS NOT NULL AND i.source = ?1", "SCAN h USING INDEX server_state_assumed", ASSUMED),
    scan("FROM rules r CROSS JOIN rule_counts", "SCAN r", SHORT_TABLE),
    scan("rule_items", "USE TEMP B-TREE FOR ORDER BY", RULE_ITEMS),
    scan("FROM thread_actors WHERE thread = ?1 ORDER BY last_at", "USE TEMP B-TREE FOR ORDER BY", ACTORS),
    scan("deferred_toasts", "SCAN d", DEFERRED),
    scan("FROM deferred_toasts d", "USE TEMP B-TREE FOR ORDER BY", DEFERRED),
    scan("FROM woken w", "SCAN w", WOKEN),
    scan("FROM skipped", "USE TEMP B-TREE FOR ORDER BY", SKIPPED),
];

/// Statements that nothing here runs, each with the reason.
const NEVER_RUN: &[Unrun] = &[
    Unrun { statement: "FROM {table} NOT INDEXED WHERE rowid >= ?1", reason: SALVAGED },
    Unrun { statement: "FROM {table} NOT INDEXED WHERE rowid = ?1", reason: SALVAGED },
    Unrun { statement: "FROM sources INDEXED BY sqlite_autoindex_sources_1", reason: SALVAGED },
    Unrun { statement: "FROM threads INDEXED BY sqlite_autoindex_threads_1", reason: SALVAGED },
];

/// The tests that run the replica's operations.
const REPLAYED_TESTS: &[fn()] = &[
    crate::badge::the_badge_counts_what_deserves_it_and_follows_a_preference_at_once,
    crate::badge::what_a_thread_may_tell_outlives_its_items,
    crate::classes::a_class_that_changes_in_the_catalog_touches_nothing_that_is_there,
    crate::classes::a_revised_item_is_unread_until_its_view_is_looked_at_again,
    crate::classes::what_is_revised_is_listed_searched_and_summed_up_by_the_time_of_its_revision,
    crate::classes::what_was_revised_lately_outlives_the_retention_of_its_server,
    crate::classes::what_its_publisher_cleared_is_read_alone,
    crate::classes::what_its_publisher_cleared_while_everything_was_read_keeps_the_time_of_the_clearing,
    crate::classes::check_tells_a_wrong_class_a_wrong_view_and_a_wrong_mark,
    crate::clocks::what_was_read_on_a_plane_yesterday_stays_unread_if_it_was_marked_so_today,
    crate::clocks::what_was_read_or_put_away_before_a_revision_leaves_the_revision_unread,
    crate::clocks::marks_are_sent_with_the_time_of_the_server_whatever_this_clock_says,
    crate::clocks::a_snooze_and_a_question_end_by_the_clock_of_their_server,
    crate::clocks::a_question_that_ended_by_a_wrong_clock_is_open_again_once_the_clock_is_right,
    crate::clocks::a_snooze_that_moved_with_the_mended_clock_of_its_server_is_not_sent_again,
    crate::clocks::an_assumed_mark_outlives_a_restart_and_ends_with_the_next_complete_pull,
    crate::clocks::reading_everything_ends_at_what_is_here_though_a_letter_waits_with_a_wrong_time,
    crate::clocks::a_mark_on_what_a_restored_server_has_lost_stays,
    crate::salvage::whatever_waits_to_be_sent_waits_in_the_new_file_too,
    crate::salvage::an_answer_whose_time_is_over_at_the_repair_is_sent_and_one_that_came_too_late_is_still_told,
    crate::search::conditions::every_condition_finds_what_it_should,
    crate::search::conditions::an_action_is_found_however_it_is_written_and_its_words_are_not,
    crate::search::conditions::actions_are_completed_from_what_came,
    crate::search::conditions::tags_origins_and_bots_are_found_as_a_whole,
    crate::search::conditions::tags_of_an_older_index_are_found_at_once_and_indexed_in_portions,
    crate::search::conditions::what_is_unread_and_not_on_the_badge_is_quiet,
    crate::search::conditions::all_that_is_asked_of_an_item_holds_for_one_and_the_same,
    crate::search::conditions::people_are_known_by_the_beginning_of_their_names,
    crate::search::conditions::kept_searches_stay_in_the_order_they_were_put_in,
    crate::search::near::a_word_with_a_typing_error_has_the_nearest_words_that_may_be_meant,
    crate::search::near::a_name_with_a_typing_error_has_the_people_who_may_be_meant,
    crate::search::everything::all_that_a_list_holds_is_marked_in_portions_and_taken_back,
    crate::search::everything::others_write_while_all_is_marked,
    crate::archiving::what_is_archived_decides_no_row_of_the_inbox,
    crate::archiving::what_a_rule_archives_neither_lifts_its_thread_nor_speaks_for_it,
    crate::archiving::one_archived_item_is_in_done_while_the_rest_of_its_thread_is_in_the_inbox,
    crate::archiving::what_was_archived_since_a_time_is_counted_by_thread_whenever_it_came,
    crate::archiving::a_list_of_done_goes_on_where_its_page_ended_and_finds_only_what_is_archived,
    crate::noise::what_is_told_most_and_read_least_comes_first,
    crate::noise::a_rule_for_an_origin_mutes_what_comes_from_there_and_nothing_else,
    crate::digest::a_digest_has_what_came_since_a_time_by_source_and_the_important_first,
    crate::digest::archiving_a_digest_takes_exactly_what_it_shows_and_comes_back_whole,
    crate::digest::a_large_digest_is_archived_in_portions_and_names_a_few_threads,
    crate::forgotten::an_old_replica_and_a_fresh_one_agree_after_the_servers_retention,
    crate::forgotten::another_source_keeps_what_is_older_than_what_this_one_forgot,
    crate::forgotten::what_another_source_has_of_the_same_time_keeps_nothing_from_being_forgotten,
    crate::forgotten::what_was_not_forgotten_before_a_crash_goes_with_the_next_page,
    crate::forgotten::a_server_that_began_anew_gives_back_what_it_had_forgotten,
    crate::keeping::sources_come_and_go,
    crate::keeping::messages_wait_in_the_outbox_and_settings_are_kept,
    crate::marking::to_have_looked_at_a_list_is_no_mark_that_waits,
    crate::marking::a_local_mark_wins_until_the_server_has_taken_it,
    crate::marking::a_refused_mark_gives_way_to_what_the_server_says,
    crate::marking::looking_at_a_conversation_reads_what_it_holds_and_a_mark_moves_back_again,
    crate::marking::what_sleeps_leaves_the_inbox_and_wakes_at_its_time,
    crate::marking::everything_can_be_taken_back,
    crate::marking::what_the_server_knows_already_can_be_taken_back_too,
    crate::marking::a_muted_thread_counts_but_stays_off_the_badge,
    crate::muting::a_mute_for_a_time_ends_by_itself_also_while_the_inbox_is_closed,
    crate::muting::an_undone_mute_leaves_the_one_before_it,
    crate::muting::what_is_about_something_muted_is_muted_with_it_until_its_end,
    crate::muting::a_source_that_was_muted_for_a_time_tells_as_it_did_before,
    crate::muting::a_repository_is_muted_with_all_that_is_in_it,
    crate::questions::a_closed_question_that_sleeps_is_not_read_with_everything_else,
    crate::questions::an_answer_holds_at_once_waits_offline_and_reaches_the_other_device,
    crate::questions::an_answer_that_comes_too_late_is_told_and_the_one_that_counts_is_shown,
    crate::questions::a_thread_tells_its_newest_open_question_else_its_newest_one,
    crate::questions::a_question_ends_offline_at_its_very_moment,
    crate::questions::no_rule_and_no_retention_puts_an_open_question_away,
    crate::questions::only_what_a_question_takes_answers_it,
    crate::portions::a_large_page_is_written_at_once_where_nobody_waits,
    crate::portions::few_actors_are_in_the_row_of_their_thread_and_many_in_their_table,
    crate::portions::a_source_is_removed_in_portions_and_what_a_crash_left_goes_at_the_next_start,
    crate::portions::a_long_conversation_is_read_in_portions_and_that_is_taken_back,
    crate::portions::a_long_conversation_that_was_read_elsewhere_is_taken_in_in_portions,
    crate::portions::a_large_mark_and_what_takes_it_back_are_done_to_the_end_after_a_crash,
    crate::portions::reading_everything_that_the_server_refuses_is_taken_back_in_portions,
    crate::portions::the_answer_to_reading_everything_is_taken_in_in_portions_and_the_badge_stays_true,
    crate::portions::answers_and_what_wakes_are_taken_in_portions,
    crate::portions::nothing_waits_for_a_source_that_is_being_removed,
    crate::portions::what_waits_for_a_source_that_is_kept_goes_in_portions_and_after_a_crash_to_the_end,
    crate::portions::another_user_of_a_source_is_taken_in_in_portions_and_after_a_crash_to_the_end,
    crate::portions::who_acts_in_a_long_thread_stays_right_without_counting_it_again,
    crate::pulling::what_is_pulled_can_be_listed_counted_and_found,
    crate::pulling::what_came_after_an_item_is_known_by_its_order,
    crate::pulling::a_page_applied_twice_changes_nothing,
    crate::pulling::a_row_has_the_beginning_of_a_long_item_also_after_it_was_revised,
    crate::pulling::the_servers_numbers_stand_until_the_backlog_is_in,
    crate::pulling::a_server_restored_from_a_backup_takes_nothing_away,
    crate::pulling::every_change_is_told_to_whoever_listens,
    crate::rules::rules_act_on_what_arrives_in_their_order,
    crate::rules::what_a_rule_did_is_not_done_again_and_its_priority_stays,
    crate::rules::rules_leave_alone_what_was_read_and_what_is_own_and_one_that_is_broken_stops_nothing,
    crate::rules::a_rule_that_archives_news_lets_its_thread_sleep,
    crate::rules::a_rule_is_tried_on_what_is_here_before_it_is_kept,
    crate::rules::what_a_rule_marks_as_read_was_never_unread_and_the_server_is_told,
    crate::rules::a_rule_never_reads_what_it_does_not_match,
    crate::rules::any_of_its_tags_is_enough_for_a_rule,
    crate::rules::what_a_rule_did_in_the_last_days_is_kept_through_edits_and_goes_with_it,
    crate::rules::the_fields_of_a_rule_are_completed_from_what_is_here,
    crate::rules::a_rule_is_applied_to_what_is_here_and_undone_as_a_whole,
    crate::service::another_source_may_use_the_same_times_and_names,
    crate::service::news_on_a_known_item_make_it_unread_again_and_take_it_out_of_done,
    crate::service::an_older_version_that_comes_late_changes_nothing,
    crate::service::a_correction_only_increases_the_version,
    crate::service::what_the_service_says_of_read_and_done_holds_in_both_directions,
    crate::service::a_local_mark_wins_until_the_service_has_taken_it,
    crate::service::everything_is_read_until_the_service_has_refused_it,
    crate::service::news_while_a_mark_waits_go_by_what_the_reader_knew,
    crate::service::what_the_service_deleted_does_not_come_back_with_an_older_page,
    crate::service::what_was_done_long_ago_and_removed_here_comes_back_with_news_only,
    crate::service::a_history_that_is_pulled_again_changes_nothing,
    crate::service::messages_and_announcements_of_a_service_are_read_one_by_one,
    crate::service::rules_act_on_news_again_and_not_on_repeats_or_corrections,
    crate::service::news_wake_what_sleeps_unless_it_is_to_sleep_on,
    crate::service::an_item_moves_when_its_thread_or_its_actor_changes,
    crate::service::a_wait_that_a_server_asked_for_outlives_a_restart_and_ends_in_time,
    crate::subscriptions::what_is_wanted_is_in_force_until_the_service_has_answered,
    crate::subscriptions::a_refused_subscription_gives_way_to_what_the_service_said,
    crate::subscriptions::only_the_last_wish_is_sent_and_an_answer_to_an_earlier_one_does_not_end_it,
    crate::subscriptions::a_subscription_is_taken_back_unsent_or_by_another_request,
    crate::subscriptions::subscriptions_are_of_few_threads_that_are_named,
    crate::subscriptions::a_subscription_goes_with_its_thread_and_with_its_source,
    crate::subscriptions::details_are_of_the_version_that_lacked_them,
    crate::talk::a_page_of_a_conversation_begins_at_the_first_unread_message_around_one_or_at_the_beginning,
    crate::talk::a_receipt_may_come_again_and_before_its_message_and_goes_with_it,
    crate::talk::a_group_is_asked_about_once_and_keeps_its_name_when_it_is_withheld,
    crate::talk::who_joined_and_left_a_group_and_its_new_name_are_remembered,
    crate::talk::a_conversation_that_its_server_closed_says_so_with_the_name_until_its_source_goes,
    crate::talk::how_far_the_other_has_read_is_told_and_never_goes_back,
    crate::talk::a_draft_stands_in_its_row_until_it_is_forgotten,
    crate::talk::a_message_is_in_sight_from_its_writing_to_its_return,
    crate::talk::a_file_is_needed_from_the_writing_of_its_message_to_its_return,
    crate::talk::whether_a_server_takes_files_is_known_without_asking_it_again,
    crate::talk::a_conversation_that_one_begins_is_there_at_once_and_stays_the_same_when_it_arrives,
    crate::talk::a_conversation_in_which_nothing_else_was_goes_with_what_was_given_up,
    crate::talk::whom_one_may_write_to_is_whoever_a_source_told_of_partners_first,
    crate::talk::what_is_read_one_by_one_in_a_group_is_one_operation,
    crate::waking::a_snoozed_thread_wakes_early_when_something_new_arrives,
    crate::waking::what_was_there_before_the_sleep_and_what_is_own_or_read_wakes_nobody,
    crate::waking::with_the_switch_off_sleepers_sleep_until_their_time,
    crate::waking::a_page_that_comes_twice_wakes_what_was_put_to_sleep_again_only_once,
    crate::waking::what_was_read_comes_back_from_a_snooze_unread_and_on_top_also_at_the_server,
    crate::waking::a_snooze_of_a_whole_list_comes_back_unread_and_is_taken_back_as_a_whole,
    crate::waking::a_row_speaks_for_the_item_that_came_back_until_something_newer_arrives_or_it_is_archived,
];

fn page(items: Vec<Notification>) -> Page {
    Page { items, ..Page::default() }
}

/// Reads lists and pages that no other test reads.
fn read_rare_lists(device: &Device, newest: &MsgId) {
    let replica = &device.replica;
    let thread = device.thread_of(newest);
    replica.items_of(thread, &ItemPosition::Before(newest.clone()), 1).unwrap();
    replica.export(&mut |_| true).unwrap();
    let unread = SearchFilter { states: vec![StateFilter::Unread], ..SearchFilter::default() };
    replica.search(&unread, 9).unwrap();
    replica.threads(&ThreadQuery { filter: unread, ..ThreadQuery::top(Place::Inbox, 9) }).unwrap();
    let typed = SearchFilter::words("wo");
    replica.threads(&ThreadQuery { filter: typed, ..ThreadQuery::top(Place::Inbox, 9) }).unwrap();
    assert!(replica.any_unread(device.source, std::slice::from_ref(newest)).unwrap());
    let gone = MsgId("gone".into());
    assert_eq!(replica.deleted(device.source, &[newest.clone(), gone.clone()]).unwrap(), [gone]);
    assert!(!replica.has_unsent(device.source).unwrap());
    assert!(!replica.names_icon(device.source, &|_| false).unwrap());
    let items = replica.items_by_msgid(None, std::slice::from_ref(newest)).unwrap();
    let through = replica.unread_through(thread, newest, 9).unwrap().unwrap();
    assert!(through.contains(&items[0].id));
    assert_eq!(replica.unread_through(thread, &MsgId("elsewhere".into()), 9).unwrap(), None);
    replica.defer_toasts(vec![items[0].id]).unwrap();
    assert_eq!(replica.deferred_toasts().unwrap().len(), 1);
    replica.forget_deferred_toasts(&[items[0].id]).unwrap();
    assert_eq!(replica.deferred_toasts().unwrap(), []);
    replica.clear_deferred_toasts().unwrap();
}

/// Changes saved searches and other settings of the reader.
fn settings(device: &Device) {
    let replica = &device.replica;
    let search = SavedSearch { id: 0, name: "mine".into(), query: "disk".into() };
    let id = replica.save_search(search).unwrap();
    assert!(replica.saved_search(id).unwrap().is_some());
    let rule = Rule {
        id: 0,
        name: String::new(),
        on: true,
        when: RuleWhen::default(),
        then: RuleThen { pin: true, ..RuleThen::default() },
    };
    let rule = replica.save_rule(rule).unwrap().remove(0);
    replica.save_rule(Rule { on: false, ..rule }).unwrap();
    replica.order_sources(vec![device.source]).unwrap();
}

/// Marks by place, by time and by view; a refused mark; removal of items archived long ago.
fn marks(device: &Device, server: &mut Server, newest: &MsgId) {
    let replica = &device.replica;
    let all = Targets::All { source: Some(device.source), kind: Some(Kind::Announcement), through: None };
    replica.mark(all, Mark::Archive).unwrap();
    let item = replica.items_by_msgid(None, std::slice::from_ref(newest)).unwrap().remove(0).notification;
    replica.visit(device.source, &item.view().unwrap(), Some(item.created_at)).unwrap();
    device.flush(server);
    device.pull(server);
    assert!(replica.apply_retention(device.clock.now().plus_secs(9), 9).unwrap() > 0);
    server.post(1, 1, "words");
    device.pull(server);
    replica.mark(Targets::All { source: None, kind: None, through: None }, Mark::Read).unwrap();
    let ops = replica.pending(device.source, 9).unwrap();
    let refused: Vec<OpResult> =
        ops.into_iter().map(|op| OpResult { id: op.id, ok: false, code: None }).collect();
    replica.acknowledge(device.source, &refused).unwrap();
    device.pull(server);
}

/// Applies items and marks in another order than they were made.
fn pull_rare_pages(device: &Device, server: &mut Server) {
    let replica = &device.replica;
    let name = server.post(2, 9, "read elsewhere");
    let mut item = server.items[&name].clone();
    item.read_at = Some(item.stamp.plus_micros(5));
    replica.apply(device.source, page(vec![item.clone()])).unwrap();
    let mark = ViewMark { view: item.view().unwrap(), through: item.stamp.plus_micros(5), stamp: item.stamp };
    replica.apply(device.source, Page { marks: vec![mark], ..Page::default() }).unwrap();
    let skipped = Skipped { position: "5".into(), msgid: MsgId("large".into()), malformed: false };
    replica.skip(device.source, std::slice::from_ref(&skipped)).unwrap();
    assert_eq!(replica.skipped_since(device.source, Stamp::ZERO).unwrap(), std::slice::from_ref(&skipped));
    let mut tombstone = item.clone();
    (tombstone.msgid, tombstone.deleted) = (skipped.msgid, true);
    replica.apply(device.source, page(vec![tombstone.clone()])).unwrap();
    (tombstone.deleted, tombstone.stamp, tombstone.version) = (false, tombstone.stamp.plus_micros(9), 9);
    replica.apply(device.source, page(vec![tombstone])).unwrap();
    let many = (0..3_100).map(|n| {
        let mut one = item.clone();
        (one.msgid, one.thread, one.read_at) =
            (MsgId(format!("many {n}")), format!("article:{n}#like"), None);
        one.auto = false;
        one
    });
    replica.apply(device.source, page(many.collect())).unwrap();
    let unread = SearchFilter {
        states: vec![StateFilter::Unread],
        words: vec!["read".into()],
        ..SearchFilter::default()
    };
    replica.threads(&ThreadQuery { filter: unread, ..ThreadQuery::top(Place::Inbox, 9) }).unwrap();
    replica.apply(device.source, Page { epoch: Some("another".into()), ..Page::default() }).unwrap();
}

/// Runs the seldom operations of a reader and a server.
fn run_rare_operations() {
    let mut server = server();
    let device = Device::at(&server);
    for _ in 0..3 {
        server.post(0, 1, "words");
        server.post(3, 1, "words");
    }
    let newest = server.post(3, 1, "words");
    device.pull(&server);
    read_rare_lists(&device, &newest);
    settings(&device);
    marks(&device, &mut server, &newest);
    pull_rare_pages(&device, &mut server);
    let user = Some("p1".into());
    device.replica.change_source(device.source, SourceChange { user, ..SourceChange::default() }).unwrap();
    device.replica.contacts(device.source, 9).unwrap();
}

#[test]
fn every_statement_of_the_replica_goes_through_an_index() {
    statements::record();
    for replayed in REPLAYED_TESTS {
        replayed();
    }
    run_rare_operations();
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Normal, readers: 1, migrations: MIGRATIONS };
    let db = Database::open(&dir.path().join(FILE), &options).unwrap();
    let found = db.read(|conn| statements::audit(conn, LISTED)).unwrap();
    // Each item that is pulled is written to all of them.
    let unused = db.read(|conn| statements::unused_indexes(conn, "items")).unwrap();
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let never = statements::never_ran(sources, &|_: &Path| false, NEVER_RUN).unwrap();
    assert!(found.is_empty() && never.is_empty(), "{found:#?}\nnever ran: {never:#?}");
    assert!(unused.is_empty(), "indexes that no statement uses: {unused:?}");
}
