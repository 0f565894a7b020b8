//! The checks that every store has to pass; they need only the store's constructor.
//!
//! A store names its constructor once, in a test module:
//!
//! ```ignore
//! tidings_conformance::store_conformance!(make, make_small);
//! ```
//!
//! It is a package of its own because the test kit may bring a server along, which has the stores. A feature of
//! `tidings-store` would go in a circle. Only for `[dev-dependencies]`.

// A check that fails ends its test at once, with a message; its name says what it checks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::missing_panics_doc, missing_docs)]
#![allow(clippy::wildcard_imports, reason = "the checks share all helpers of this crate")]

mod accounts;
mod arriving;
mod asking;
mod bounds;
mod concurrency;
mod descent;
mod expecting;
mod gotify;
mod groups;
mod leaving;
mod publishers;
mod publishing;
mod reading;
mod recalling;
mod revisions;
mod searching;
mod subscribing;
mod topics;
mod upkeep;
mod uploads;

pub use accounts::*;
pub use arriving::*;
pub use asking::*;
pub use bounds::*;
pub use concurrency::*;
pub use descent::*;
pub use expecting::*;
pub use gotify::*;
pub use groups::*;
pub use leaving::*;
pub use publishers::*;
pub use publishing::*;
pub use reading::*;
pub use recalling::*;
pub use revisions::*;
pub use searching::*;
pub use subscribing::*;
pub use topics::*;
pub use upkeep::*;
pub use uploads::*;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use tidings_model::wire::{Change, Op, Scope};
use tidings_model::{Actor, Class, Clock, Kind, Mark, MsgId, Notification, Stamp, Target, View};
use tidings_store::{
    Applied, Audience, Bearer, ConversationQuery, Draft, Editor, Error, Follow, Group, GroupSummary,
    Idempotency, InboxQuery, ListQuery, Member, NewToken, Outcome, Post, PostedBy, Recipients, RequestedOp,
    SequenceChange, Store, StoredResponse, Subscription, TargetRef, TopicChange, UserKey, Visit,
    WrittenContent,
};
use tidings_testkit::clock::ManualClock;

/// Makes a test of every check, for the store that a constructor returns.
///
/// The second constructor makes the same store with [`small_bounds`], for the checks of what lies one past each of them.
///
/// The constructor takes an `Arc<ManualClock>` and returns a future of an `Arc<dyn Store>` and of a value that has to
/// live as long as the store. Each call makes a separate store, which is empty.
#[macro_export]
macro_rules! store_conformance {
    ($make:expr, $small:expr) => {
        $crate::store_conformance!(@checks [@each $make;]);
        $crate::store_conformance!(@bounds [@each $small;]);
    };
    (@checks [$($then:tt)*]) => {
        $crate::store_conformance! { $($then)*
            a_user_is_there_until_it_is_removed,
            people_are_found_by_the_beginning_of_their_ids_and_of_words_of_their_names,
            nothing_is_sent_in_the_name_of_a_removed_user,
            a_removed_users_follows_end_and_its_conversations_are_closed,
            what_nobody_can_read_any_more_goes_with_its_user,
            a_question_of_a_removed_user_stays_with_who_can_answer_it_and_its_words_go_with_them,
            files_go_with_their_user_where_nobody_else_has_them,
            what_waits_and_its_names_go_with_their_publisher,
            a_new_name_is_on_what_comes_later,
            what_a_user_wrote_is_listed_in_pages,
            what_a_user_wrote_is_revised_by_new_content_alone,
            what_a_removed_user_wrote_is_recalled_before_the_rest_goes,
            a_token_is_found_by_its_hash_and_gone_when_revoked,
            what_a_token_made_goes_with_it,
            a_token_revokes_only_tokens_that_may_no_more_than_it,
            generations_of_tokens_have_a_bound,
            many_tokens_that_one_made_go_in_portions,
            whatever_is_asked_twice_under_a_key_is_done_once,
            the_same_key_is_done_once,
            stamps_only_grow,
            a_post_is_all_or_nothing,
            an_announcement_is_for_those_who_are_there,
            a_reminder_needs_a_subscription_made_before_it,
            a_follow_brings_what_somebody_does,
            a_followed_topic_brings_what_is_published_on_it,
            what_is_brought_in_is_brought_in_once,
            a_long_absence_is_brought_in_page_by_page,
            preferences_hold_when_it_is_brought_in,
            an_announcement_is_read_for_who_posted_it,
            a_message_is_in_both_inboxes,
            a_pull_goes_on_where_it_ended,
            what_is_still_to_come_is_counted,
            the_inbox_is_newest_first,
            operations_are_applied_once_and_in_order,
            of_two_opposite_marks_the_later_one_holds_in_whatever_order_they_arrive,
            the_later_of_two_marks_holds_while_the_clock_is_behind_the_newest_stamp,
            what_was_marked_as_unread_before_a_later_item_of_its_view_was_read_stays_read,
            reading_everything_reads_items_and_moves_marks_of_views_that_hold_anything_unread,
            a_view_is_read_up_to_its_mark,
            what_was_created_before_its_views_mark_is_read_when_it_is_brought_in,
            what_is_read_individually_comes_again_where_its_views_mark_goes_back,
            numbers_stop_at_the_cap,
            conversations_are_latest_first,
            one_conversation_past_those_that_are_named_is_counted_and_listed,
            a_group_is_seen_from_within,
            a_group_that_changes_is_named_to_whoever_is_or_was_in_it,
            a_group_that_was_ended_is_nobodys_any_more_and_its_id_stays_taken,
            a_group_whose_owner_went_belongs_to_who_joined_first,
            how_far_the_other_has_read_comes_with_the_pull,
            what_cannot_be_delivered_is_known_before_it_is_stored,
            an_old_message_that_is_read_changes_its_senders_item,
            a_user_finds_its_groups_before_anybody_writes,
            many_messages_of_groups_come_to_whoever_was_there,
            a_list_of_members_misses_nobody_while_one_of_them_leaves_and_joins_again,
            receipts_wait_for_their_sender,
            a_message_has_arrived_with_whom_a_device_has_pulled_it,
            a_message_that_is_read_has_arrived_however_it_came,
            a_page_of_a_pull_delivers_what_it_brings_and_no_more,
            a_message_has_arrived_with_who_counts_also_when_they_went,
            the_newest_messages_are_told_at_once_and_the_one_before_when_it_is_counted,
            positions_of_pulls_go_with_what_retention_removes,
            old_receipts_are_given_to_be_archived_before_they_and_their_messages_go,
            a_sequence_changes_what_was_published,
            what_is_recalled_leaves_every_inbox_and_comes_once_more_without_content,
            who_left_or_unsubscribed_is_told_what_becomes_of_what_they_have,
            a_direct_message_is_recalled_before_anybody_has_pulled_it,
            only_whoever_posted_it_recalls_it,
            what_is_recalled_leaves_its_topic_its_name_and_its_files,
            what_is_recalled_leaves_gotifys_lists,
            what_is_edited_is_revised_in_every_inbox_that_has_it,
            only_whoever_posted_it_edits_it_and_under_the_limits_of_a_post,
            every_id_of_a_sequence_leads_to_its_notification,
            who_posted_an_announcement_is_told_how_many_of_those_who_got_it_have_read_it,
            an_announcement_that_was_edited_is_read_by_who_has_read_its_new_text,
            the_first_answer_counts_for_everybody_who_has_the_item,
            a_question_ends_at_its_time_with_its_default,
            a_question_ends_at_its_very_moment_whoever_asks_first,
            a_closed_question_stays_uncounted_when_its_views_mark_goes_back,
            an_answer_reads_when_it_was_given_and_a_later_mark_holds,
            what_was_cleared_stays_read_when_its_question_is_closed,
            a_clear_whose_question_was_closed_since_leads_to_its_notification,
            a_question_that_waits_to_be_delivered_is_open_for_who_posted_it,
            what_is_revised_keeps_its_question_and_what_became_of_it,
            what_asks_again_under_its_sequence_waits_anew_unless_it_still_waits,
            what_was_answered_before_its_sequence_asked_again_answers_the_earlier_question,
            an_answer_to_what_is_recalled_meanwhile_is_no_error,
            what_happens_on_a_topic_is_listed_in_order,
            what_waits_on_a_topic_is_listed_replaced_and_cancelled,
            a_name_on_a_topic_belongs_to_its_publisher,
            who_publishes_for_others_means_its_own_and_then_the_newest_of_anybody,
            a_name_behind_the_newest_of_many_is_found_by_its_publisher_and_its_msgid,
            what_waits_is_replaced_and_cancelled_by_its_publisher,
            what_waits_is_taken_back_by_its_msgid_for_its_publisher,
            what_was_cancelled_is_cancelled_again_for_a_day_by_who_may_cancel_it,
            listeners_of_a_topic_are_told_a_name_of_the_first_who_has_it,
            what_waits_has_a_bound_for_each_topic_and_each_publisher,
            what_is_scheduled_comes_when_it_is_due,
            a_file_is_known_until_it_is_forgotten,
            a_file_expires_with_its_publication,
            a_delayed_file_belongs_to_what_is_delivered,
            files_have_a_bound_for_each_uploader_and_for_all,
            a_topic_has_the_settings_that_were_set,
            a_topic_is_read_by_those_whom_its_settings_name,
            what_is_revised_leaves_who_may_not_read_it_any_more,
            what_waits_is_listed_to_its_publisher_alone,
            the_last_payloads_of_a_topic_are_kept_within_bounds,
            payloads_go_with_their_topic_and_with_age,
            a_silent_topic_is_told_once_and_once_more_when_it_is_back,
            time_in_which_no_server_runs_raises_no_alarm,
            what_is_not_expected_any_more_is_not_missed,
            many_topics_are_watched_in_portions_and_retention_hides_nothing,
            the_catalog_decides_the_class,
            a_revised_item_of_auto_class_is_unread_until_its_views_mark_passes_the_revision,
            an_alert_that_fires_again_comes_to_whoever_subscribed_since,
            what_is_revised_comes_to_who_has_switched_its_action_on_since,
            what_was_deleted_comes_again_only_as_a_reminder_that_one_would_get,
            an_announcement_is_revised_where_it_is_and_nowhere_else,
            an_edited_message_keeps_its_read_state_and_its_place,
            what_is_revised_and_then_cleared_has_the_new_content_and_is_read,
            lists_go_by_the_time_of_the_content,
            retention_keeps_what_was_revised_a_second_ago,
            old_things_are_forgotten,
            an_open_question_goes_with_retention_and_is_never_ended,
            only_inboxes_that_changed_lately_are_recounted,
            a_backup_is_taken_while_it_stays_in_use,
            a_new_epoch_is_another_one,
            only_the_concerned_are_named,
            an_application_is_its_users_and_has_a_token,
            a_client_is_there_as_long_as_its_token,
            messages_are_listed_by_growing_numbers,
            what_leaves_gotifys_lists_is_archived_and_what_is_deleted_leaves_them,
            an_application_goes_and_its_notifications_stay,
            pictures_are_their_applications_and_bounded,
            what_gotify_lists_goes_with_its_user_and_with_retention,
            what_is_posted_beside_a_pull_is_pulled_once,
            a_key_that_is_sent_several_times_at_once_is_done_once,
            a_refusal_is_of_one_request_alone,
            one_name_that_is_published_several_times_at_once_is_one_publication,
            what_is_due_is_delivered_once_however_many_deliver_it,
            what_is_added_several_times_at_once_is_there_once,
        }
    };
    (@bounds [$($then:tt)*]) => {
        $crate::store_conformance! { $($then)*
            one_revision_past_the_bound_is_not_lost,
            one_changed_group_past_the_bound_is_named,
            one_mark_past_the_bound_of_a_page_comes_on_the_next,
            one_closed_conversation_past_the_bound_of_a_page_comes_on_the_next,
            one_item_past_the_bytes_of_a_page_comes_on_the_next,
            one_mark_past_the_bytes_of_a_page_comes_on_the_next,
            one_reminder_or_message_past_the_bound_is_brought_in,
            one_membership_past_the_bound_of_a_page_of_readers_is_not_lost,
            retention_goes_past_a_slice_of_revised_ones,
            one_question_past_the_bound_is_ended,
            one_due_publication_past_the_bound_is_delivered,
            one_step_past_a_segment_of_operations_is_done,
            one_view_past_the_bound_is_read_with_everything,
            one_writer_past_the_bound_learns_that_the_message_is_read,
            one_row_past_a_short_write_is_written_and_deleted,
            an_application_goes_with_one_message_past_a_short_write,
            one_publication_past_the_bound_goes_with_its_removed_user,
            one_subscription_past_those_of_a_user_is_refused,
            one_application_past_those_of_a_user_is_refused,
            one_client_past_those_of_a_user_is_refused,
            one_message_past_the_bound_is_archived,
            many_messages_arrive_and_are_told_in_portions,
            the_newest_publication_is_found_behind_any_number_of_deleted_ones,
            with_one_target_type_past_the_bound_the_type_is_asked_for,
            with_one_recipient_past_the_bound_everybody_gets_a_hint,
            idle_users_past_the_bound_of_a_recount_hide_nobody,
            one_change_past_the_bound_ends_the_count_of_what_is_to_come,
            one_inbox_past_a_statement_is_told_to_another_process,
        }
    };
    (@in_turn $make:expr; $($check:ident),* $(,)?) => {{$(
        let clock = ::std::sync::Arc::new(::tidings_testkit::clock::ManualClock::default());
        let (store, _guard) = ($make)(::std::sync::Arc::clone(&clock)).await;
        let store: ::std::sync::Arc<dyn ::tidings_store::Store> = store;
        $crate::$check(&*store, &clock).await;
        assert_eq!(store.check().await.unwrap(), []);
    )*}};
    (@each $make:expr; $($check:ident),* $(,)?) => {$(
        #[tokio::test]
        async fn $check() {
            let clock = ::std::sync::Arc::new(::tidings_testkit::clock::ManualClock::default());
            let (store, _guard) = ($make)(::std::sync::Arc::clone(&clock)).await;
            let store: ::std::sync::Arc<dyn ::tidings_store::Store> = store;
            $crate::$check(&*store, &clock).await;
            assert_eq!(store.check().await.unwrap(), [], "every counter agrees with its recount");
        }
    )*};
}

/// A token of a user, as a request has it.
pub fn bearer(user: UserKey, scopes: &[Scope]) -> Bearer {
    let text = || "x".to_owned();
    Bearer { user, id: text(), name: text(), token: text(), scopes: scopes.to_vec() }
}

async fn user(store: &dyn Store, id: &str) -> UserKey {
    match store.add_user(id, &id.to_uppercase(), None).await.unwrap() {
        Outcome::Done(user) => user.key,
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

fn announcement(title: &str) -> Draft {
    let mut draft = Draft::new(
        Kind::Announcement,
        Audience::Everyone,
        Actor { id: "press".into(), name: "Press".into() },
    );
    draft.content.title = title.into();
    draft
}

fn reminder(actor: &str, action: &str, id: &str) -> Draft {
    let by = Actor { id: actor.into(), name: actor.into() };
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by);
    draft.action = action.into();
    draft.target = Some(Target { kind: "article".into(), id: id.into(), ..Target::default() });
    draft
}

/// A publication that its publisher revises by posting it again.
fn alert(name: &str, title: &str) -> Draft {
    let mut draft = reminder("disk", "publish", name);
    draft.target = Some(Target { kind: "topic".into(), id: "disk".into(), ..Target::default() });
    draft.sequence = Some(name.into());
    draft.content.title = title.into();
    draft
}

async fn subscribe_to_alerts(store: &dyn Store, user: UserKey) {
    let target = TargetRef { kind: "topic".into(), id: "disk".into() };
    store.subscribe(user, target, vec!["publish".into()], None).await.unwrap();
}

fn message(from: &str, to: &str) -> Draft {
    let by = Actor { id: from.into(), name: from.into() };
    Draft::new(Kind::Message, Audience::User(to.into()), by)
}

fn to_group(from: &str, group: &str) -> Draft {
    Draft { audience: Audience::Group(group.into()), ..message(from, "") }
}

async fn post(store: &dyn Store, draft: Draft) -> Post {
    match store.post(vec![draft], None).await.unwrap() {
        Outcome::Done(mut posts) => posts.pop().unwrap(),
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

async fn subscribe(store: &dyn Store, user: UserKey, id: &str, actions: &[&str]) {
    let target = TargetRef { kind: "article".into(), id: id.into() };
    let actions = actions.iter().map(|a| (*a).to_owned()).collect();
    store.subscribe(user, target, actions, None).await.unwrap();
}

async fn fan_in(store: &dyn Store, user: UserKey) {
    while store.fan_in(user).await.unwrap() {}
}

async fn all(store: &dyn Store, user: UserKey) -> Vec<Notification> {
    fan_in(store, user).await;
    store.sync(user, Stamp::ZERO, 1_000).await.unwrap().items().unwrap()
}

async fn apply(store: &dyn Store, user: UserKey, changes: Vec<Change>) -> Applied {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    let ops = changes
        .into_iter()
        .map(|change| {
            let id = NEXT.fetch_add(1, Ordering::SeqCst).to_string();
            RequestedOp { id: id.clone(), op: Some(Op { id, change }) }
        })
        .collect();
    match store.apply(user, ops, 99, None).await.unwrap() {
        Outcome::Done(applied) => applied,
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

async fn unread(store: &dyn Store, user: UserKey) -> u64 {
    fan_in(store, user).await;
    store.unread(user, 99).await.unwrap().total.count
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, Error>, code: &str) {
    match result {
        Err(Error::Refused(problem)) => assert_eq!(problem.code.as_str(), code),
        other => panic!("it should be refused as {code}, but: {other:?}"),
    }
}

fn done<T>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::Done(done) => done,
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

async fn group(store: &dyn Store, owner: UserKey, id: &str, members: &[&str]) -> Group {
    let members = members.iter().map(|m| (*m).to_owned()).collect();
    done(store.add_group(owner, Some(id.to_owned()), id.to_uppercase(), members, None).await.unwrap())
}
