// Generated from `i18n/` by `cargo test -p tidings-strings export`.
//! Every text that Rust shows, as `i18n/` has it. Tables of all languages have one type.

mod en;
mod zh_cn;

use tidings_model::Lang;

/// The texts of one language about the inbox, toasts, notices, and what does not work.
#[derive(Debug)]
pub struct Strings {
    /// The sender of an announcement.
    pub announcement: &'static str,
    /// The heading of all announcements.
    pub announcements: &'static str,
    /// The name of the user itself.
    pub you: &'static str,
    /// The default name of the own server’s source.
    pub this_computer: &'static str,
    /// The newest message of a group, with its sender.
    pub sender_and_text: fn(name: &str, text: &str) -> String,
    /// Somebody answered a question, or the reader did.
    pub question_answered: fn(by: Option<&str>, answer: &str) -> String,
    /// The time of a question is over; the answer that counts then, if any.
    pub question_unanswered: fn(default: Option<&str>) -> String,
    /// The reader’s own answer came too late.
    pub answer_late: fn(answer: &str) -> String,
    /// The question is answered, or its time is over.
    pub answer_closed: &'static str,
    /// The question takes no such answer.
    pub answer_not_offered: &'static str,
    /// The thread’s target belongs to the reader; `kind` is the word for its type.
    pub yours: fn(kind: &str) -> String,
    /// The number of items: "9 comments".
    pub items: fn(action: Option<&str>, count: u64) -> String,
    /// The number of new items: "5 new".
    pub new: fn(count: u64) -> String,
    /// The verb after a name, in a sentence without a target. Empty for an unknown action.
    pub verbs: fn(action: &str) -> String,
    /// Why a body in Markdown is shown as plain text: its length.
    pub plain_long_markdown: &'static str,
    /// Why only the beginning of a plain body is shown.
    pub plain_long: &'static str,
    /// Why a body is shown as plain text: the depth of its parts.
    pub plain_deep: &'static str,
    /// Why a body is shown as plain text: the number of its parts.
    pub plain_many_parts: &'static str,
    /// The number of members of a group: "5 people".
    pub members: fn(count: u64) -> String,
    /// Who came into a group.
    pub joined: fn(who: &str) -> String,
    /// Who left a group, or was removed.
    pub left: fn(who: &str) -> String,
    /// The new name of a group.
    pub renamed: fn(name: &str) -> String,
    /// Why a server refused a message, from its HTTP status; no peer in a group.
    pub message_refused: fn(status: &str, peer: Option<&str>) -> String,
    /// Why a message with a file was refused, from the HTTP status and the largest size that the server takes. Empty if the file is not the reason.
    pub file_refusal: fn(status: &str, limit: Option<&str>) -> String,
    /// The text is not a valid user name.
    pub compose_bad_name: fn(name: &str) -> String,
    /// The source does not know these users; no names if it did not say which.
    pub compose_unknown: fn(source: &str, names: &[String]) -> String,
    /// The source has no groups of people.
    pub compose_no_groups: fn(source: &str) -> String,
    /// The source, which has to create the group, cannot be reached.
    pub compose_group_offline: fn(source: &str) -> String,
    /// The source, which has to create the group, is paused.
    pub compose_group_paused: fn(source: &str) -> String,
    /// The source refused the new conversation.
    pub compose_refused: fn(source: &str, status: &str) -> String,
    /// The source, which has to change the group, cannot be reached.
    pub group_offline: fn(source: &str) -> String,
    /// The source, which has to change the group, is paused.
    pub group_paused: fn(source: &str) -> String,
    /// The source does not know this user or member; no user if the group itself is gone.
    pub group_unknown: fn(source: &str, user: &str) -> String,
    /// Only the owner may change the group.
    pub group_not_owner: &'static str,
    /// The server of the source is too old for the change.
    pub group_unsupported: fn(source: &str) -> String,
    /// The source refused the change.
    pub group_refused: fn(source: &str, status: &str) -> String,
    /// The source, which has to change what the reader published, cannot be reached.
    pub published_offline: fn(source: &str) -> String,
    /// The source, which has to change what the reader published, is paused.
    pub published_paused: fn(source: &str) -> String,
    /// The source does not have it any more, or another token published it.
    pub published_unknown: fn(source: &str) -> String,
    /// The source refused the subscription that the reader wanted of the thread.
    pub subscription_refused: fn(source: &str, thread: &str) -> String,
    /// The term’s key takes a day, month or year.
    pub query_date: fn(token: &str) -> String,
    /// The term’s key takes a state.
    pub query_state: fn(token: &str) -> String,
    /// The term’s key takes a kind.
    pub query_kind: fn(token: &str) -> String,
    /// The term’s key takes a priority.
    pub query_priority: fn(token: &str) -> String,
    /// The term’s key takes `attachment` or `link`.
    pub query_has: fn(token: &str) -> String,
    /// The thread or item does not exist any more.
    pub error_not_found: &'static str,
    /// The request is invalid.
    pub error_invalid: &'static str,
    /// The replica could not be read or written.
    pub error_storage: &'static str,
    /// The address has a scheme that is not opened.
    pub error_link: &'static str,
    /// No program could be started for the address.
    pub error_open: &'static str,
    /// The page asked too often.
    pub error_too_often: &'static str,
    /// The numbers of unread items, with those that are quiet.
    pub unread_count: fn(counted: u64, quiet: u64) -> String,
    /// Added to the tooltip during quiet hours.
    pub quiet_until: fn(time: &str) -> String,
    /// Added to the tooltip while toasts are paused.
    pub paused: &'static str,
    /// Tray menu: show the window.
    pub menu_open: &'static str,
    /// Tray menu: mark everything as read.
    pub menu_mark_all_read: &'static str,
    /// Tray menu: pause toasts.
    pub menu_pause: &'static str,
    /// Tray menu: pause toasts for an hour.
    pub menu_pause_hour: &'static str,
    /// Tray menu: pause toasts until the next morning.
    pub menu_pause_tomorrow: &'static str,
    /// Tray menu: end the pause.
    pub menu_resume: &'static str,
    /// Tray menu: end the program.
    pub menu_quit: &'static str,
    /// The toast’s button that opens the window.
    pub toast_open: &'static str,
    /// The toast’s button that marks its items as read.
    pub toast_read: &'static str,
    /// The toast’s button that archives its items.
    pub toast_archive: &'static str,
    /// The toast’s button that opens its field for a message.
    pub toast_reply: &'static str,
    /// The toast’s button that opens its field for the answer to a question.
    pub toast_answer: &'static str,
    /// A toast that stands for several items of a thread.
    pub toast_several: fn(heading: &str, count: u64) -> String,
    /// A toast that stands for several messages of one person.
    pub toast_several_from: fn(who: &str, count: u64) -> String,
    /// The summary after a gap or a silence.
    pub toast_gap: fn(source: &str, count: u64) -> String,
    /// The summary in a storm.
    pub toast_storm: fn(source: &str, count: u64) -> String,
    /// The pressed button differs from the one that was shown.
    pub button_changed: &'static str,
    /// The answer in words of a toast whose field has changed since it was shown.
    pub reply_changed: &'static str,
    /// The label of a toast’s button that sends a request.
    pub toast_calls: fn(label: &str, host: &str) -> String,
    /// The address is on this computer or its network, and content may not call it.
    pub private_host: fn(host: &str) -> String,
    /// A button’s request succeeded.
    pub done: &'static str,
    /// The sentence after a button copied a text.
    pub copied: &'static str,
    /// A button’s request was answered with another status than success.
    pub answered: fn(host: &str, status: u16) -> String,
    /// A button’s request got no answer.
    pub no_answer: fn(host: &str) -> String,
    /// Notice: there is no tray host.
    pub notice_no_tray: &'static str,
    /// Notice: no tray host, and the program goes on without its window.
    pub notice_no_tray_goes_on: &'static str,
    /// Notice: there is no notification daemon or no session bus.
    pub notice_no_toasts: &'static str,
    /// Notice: there is no keyring, so tokens are in a file.
    pub notice_no_keyring: &'static str,
    /// Notice that the usual port is in use.
    pub notice_port_taken: fn(usual: u16, now: u16) -> String,
    /// Notice that the own server did not start.
    pub notice_no_server: fn(why: &str) -> String,
    /// Notice that the data folder cannot be written.
    pub notice_read_only: fn(folder: &str) -> String,
    /// Notice: the disk is full.
    pub notice_disk_full: &'static str,
    /// Notice: the disk fails.
    pub notice_disk_fails: &'static str,
    /// Notice that the replica can’t be opened, for example because it is from a newer version.
    pub notice_no_replica: fn(why: &str) -> String,
    /// What these sources sent is passed by.
    pub notice_passed_by: fn(names: &[String]) -> String,
    /// Notice that the replica is damaged.
    pub notice_damaged: &'static str,
    /// Notice that a wrong clock left stamps of the own server in the future.
    pub notice_clock_ahead: &'static str,
    /// Notice that the replica was repaired and is used from the next start on.
    pub notice_repaired: &'static str,
    /// Notice that there is a newer version of the program.
    pub notice_newer_version: fn(version: &str) -> String,
    /// The replica was repaired; `lost` has the sources that could not be read, and `parts` counts what else could not.
    pub repaired: fn(items: u64, lost: &[String], parts: u64) -> String,
    /// The replica could not be repaired.
    pub not_repaired: fn(why: &str) -> String,
    /// The address cannot be used.
    pub trouble_address: &'static str,
    /// There is no TLS on this computer.
    pub trouble_setup: &'static str,
    /// The certificate is of an unknown authority.
    pub trouble_unknown_authority: &'static str,
    /// The certificate is not valid now.
    pub trouble_not_valid_now: &'static str,
    /// The certificate names another host.
    pub trouble_other_name: &'static str,
    /// The certificate is not trusted.
    pub trouble_untrusted: &'static str,
    /// The server requires a client certificate.
    pub trouble_client_wanted: &'static str,
    /// The key of the client certificate cannot be read.
    pub trouble_client_key: &'static str,
    /// There is no network.
    pub trouble_offline: &'static str,
    /// The name server does not know the host.
    pub trouble_name_not_found: &'static str,
    /// Nothing answers.
    pub trouble_unreachable: &'static str,
    /// The answer came too late.
    pub trouble_slow: &'static str,
    /// The server is unavailable.
    pub trouble_unavailable: fn(status: u16) -> String,
    /// The server wants no requests for a while.
    pub trouble_waiting: &'static str,
    /// There is no token, or it is refused.
    pub trouble_sign_in: &'static str,
    /// The server refused the request.
    pub trouble_refused: fn(status: u16) -> String,
    /// The answer has another form.
    pub trouble_malformed: &'static str,
    /// The answer is too large.
    pub trouble_too_large: &'static str,
    /// The answer takes too much memory or time to read.
    pub trouble_too_complex: &'static str,
    /// The answer could not be read before.
    pub trouble_passed_by: &'static str,
    /// The server says that there is more, and sends nothing.
    pub trouble_no_progress: &'static str,
    /// One fetch brought as much as one may.
    pub trouble_ended_at_bytes: fn(mebibytes: u64) -> String,
    /// One fetch brought as many pages as one may.
    pub trouble_ended_at_pages: fn(pages: u64) -> String,
    /// The disk has too little room.
    pub trouble_ended_at_disk: fn(mebibytes: u64) -> String,
    /// The address redirects to one that is not followed.
    pub trouble_redirect_refused: &'static str,
    /// The program has an error.
    pub trouble_fault: &'static str,
    /// The disk is full.
    pub trouble_disk_full: &'static str,
    /// The disk has errors.
    pub trouble_disk_fails: &'static str,
    /// The data folder cannot be written.
    pub trouble_read_only: &'static str,
    /// The inbox did not take what arrived.
    pub trouble_replica: &'static str,
    /// The inbox is damaged.
    pub trouble_damaged: &'static str,
    /// There is no session bus.
    pub trouble_no_session_bus: &'static str,
    /// The session bus lets no program read along.
    pub trouble_monitor_refused: &'static str,
    /// The source is paused.
    pub not_published_paused: fn(source: &str) -> String,
    /// Nothing answers.
    pub not_published_unreachable: fn(source: &str) -> String,
    /// The token is refused.
    pub not_published_sign_in: fn(source: &str) -> String,
    /// The token may not publish there.
    pub not_published_forbidden: fn(source: &str, topic: &str) -> String,
    /// The text is too long.
    pub not_published_too_long: fn(source: &str) -> String,
    /// Too many were published; the minutes to wait, if the server named them.
    pub not_published_too_many: fn(source: &str, minutes: Option<u64>) -> String,
    /// The server refused it.
    pub not_published_refused: fn(source: &str, status: u16) -> String,
    /// It may have been published.
    pub not_published_unanswered: fn(source: &str, topic: &str) -> String,
}

/// The texts of a language about the inbox, toasts, notices, and what does not work.
pub const fn strings(lang: Lang) -> &'static Strings {
    match lang {
        Lang::En => &en::STRINGS,
        Lang::ZhCn => &zh_cn::STRINGS,
    }
}

/// The texts of one language about sources, the own server, storage and files.
#[derive(Debug)]
pub struct SettingsStrings {
    /// No address was entered.
    pub no_address: fn(example: &str) -> String,
    /// The entered text is not an address.
    pub bad_address: fn(text: &str, example: &str) -> String,
    /// No token of a Tidings server was entered.
    pub no_token: &'static str,
    /// No token of another service was entered.
    pub no_token_of: fn(service: &str) -> String,
    /// The source takes no token.
    pub takes_no_token: &'static str,
    /// This version does not support the protocol.
    pub unknown_protocol: fn(name: &str) -> String,
    /// The service as the next sentence names it, with an article if it needs one; `label` is its name.
    pub service: fn(protocol: &str, label: &str) -> String,
    /// The host answers, but not as this service.
    pub not_service: fn(host: &str, service: &str) -> String,
    /// The host asks for a sign-in, and no token was sent; whether this type of source takes one.
    pub sign_in_needed: fn(host: &str, takes_token: bool) -> String,
    /// The server refused the token.
    pub wrong_token: fn(host: &str) -> String,
    /// The token may not read an inbox.
    pub no_inbox: fn(host: &str) -> String,
    /// The token of another service may not read notifications.
    pub no_right: fn(host: &str) -> String,
    /// The answer is larger than what is read.
    pub answer_too_large: fn(host: &str) -> String,
    /// A source without a token answered, with its title if it has one.
    pub connected: fn(title: Option<&str>) -> String,
    /// There is no address for the name of the host.
    pub name_not_found: fn(host: &str) -> String,
    /// There is no route to the host.
    pub offline: fn(host: &str) -> String,
    /// Nothing answers at the address.
    pub unreachable: fn(host: &str) -> String,
    /// The answer took too long.
    pub slow: fn(host: &str) -> String,
    /// The server is unavailable.
    pub unavailable: fn(host: &str, status: u16) -> String,
    /// The server refused the request.
    pub refused: fn(host: &str, status: u16) -> String,
    /// This computer cannot make secure connections.
    pub no_tls: &'static str,
    /// There is no session bus, over which programs send notifications.
    pub no_session_bus: &'static str,
    /// The session bus lets no program read along.
    pub monitor_refused: &'static str,
    /// This one answered, of those that an address without a scheme may mean.
    pub answered: fn(url: &str) -> String,
    /// One answered whose requests others in the network can read.
    pub answered_unencrypted: fn(url: &str) -> String,
    /// The address redirects to another host.
    pub redirected: fn(host: &str) -> String,
    /// The certificate of a host is of an unknown authority.
    pub certificate_unknown_authority: fn(host: &str) -> String,
    /// The certificate of a host is not valid now.
    pub certificate_not_valid_now: fn(host: &str) -> String,
    /// The certificate of a host names another one.
    pub certificate_other_name: fn(host: &str) -> String,
    /// The certificate of a host is not trusted.
    pub certificate_untrusted: fn(host: &str) -> String,
    /// A host requires a client certificate.
    pub certificate_client_wanted: fn(host: &str) -> String,
    /// The key of a client certificate cannot be read.
    pub certificate_client_key: fn(host: &str) -> String,
    /// A certificate was not added: the text is not an address with https.
    pub certificate_no_address: fn(text: &str) -> String,
    /// A certificate was not added: the file is too large.
    pub certificate_file_too_large: fn(file: &str) -> String,
    /// A certificate was not added: the file has none.
    pub certificate_file_empty: fn(file: &str) -> String,
    /// A certificate was not added: the file has one that cannot be read.
    pub certificate_file_unreadable: fn(file: &str) -> String,
    /// A certificate was not added: the file has a format that is not read.
    pub certificate_file_pkcs12: fn(file: &str) -> String,
    /// A certificate was not added: its key has a password.
    pub certificate_file_encrypted_key: fn(file: &str) -> String,
    /// A certificate was not added: there is no key.
    pub certificate_file_no_key: fn(file: &str) -> String,
    /// A certificate was not added: its key is of an unknown type.
    pub certificate_file_key_kind: fn(file: &str) -> String,
    /// A certificate was not added: the key is of another certificate.
    pub certificate_file_key_mismatch: fn(file: &str) -> String,
    /// A certificate was not added: there are too many.
    pub certificate_file_too_many: fn(file: &str) -> String,
    /// The disk did not take certificates.
    pub certificates_not_kept: fn(why: &str) -> String,
    /// The entered text is not the address of a proxy.
    pub proxy_address: &'static str,
    /// Authorities were added for an origin.
    pub authorities_added: fn(count: u64, origin: &str) -> String,
    /// A client certificate was added.
    pub client_added: fn(subject: &str, origin: &str) -> String,
    /// The title of the dialog that chooses a file of authorities.
    pub title_authorities: &'static str,
    /// The title of the dialog that chooses a client certificate.
    pub title_client: &'static str,
    /// The title of the dialog that chooses the key of a client certificate.
    pub title_client_key: &'static str,
    /// An application cannot be chosen; at most so many can.
    pub application_not_kept: fn(most: u64) -> String,
    /// The source exists already, under this name.
    pub source_exists: fn(name: &str) -> String,
    /// The sign-in succeeded; each value if it is known.
    pub signed_in: fn(who: Option<&str>, unread: Option<&str>) -> String,
    /// Another source has this name.
    pub name_taken: fn(name: &str) -> String,
    /// A name is missing or too long.
    pub name_needed: &'static str,
    /// The own server cannot be removed.
    pub own_not_removable: &'static str,
    /// A removed source whose items were kept cannot be pulled.
    pub only_kept: &'static str,
    /// The token belongs to another user.
    pub other_user: fn(new_user: &str, user: &str) -> String,
    /// The kept token goes to that host only.
    pub token_of_other_address: fn(host: &str) -> String,
    /// The token could not be stored.
    pub token_not_stored: fn(why: &str) -> String,
    /// The token of a removed source was taken back there.
    pub taken_back: fn(host: &str) -> String,
    /// The token of a removed source is valid until the reader takes it back on this page.
    pub take_back_by_hand: fn(page: &str) -> String,
    /// The service has no sign-in with the browser.
    pub sign_in_not_offered: fn(host: &str) -> String,
    /// No client id was entered.
    pub sign_in_no_client: &'static str,
    /// The service does not take the client id.
    pub sign_in_wrong_client: fn(host: &str) -> String,
    /// The reader did not agree on the page of the service.
    pub sign_in_denied: fn(host: &str) -> String,
    /// Nobody agreed in time.
    pub sign_in_expired: &'static str,
    /// There is no port for the way back from the browser.
    pub sign_in_no_port: fn(why: &str) -> String,
    /// The sign-in has ended or was replaced by another one.
    pub sign_in_over: &'static str,
    /// The page in the browser, after the reader agreed.
    pub sign_in_page_done: &'static str,
    /// The page in the browser, after the reader did not agree.
    pub sign_in_page_denied: &'static str,
    /// The page in the browser for an address that is of no sign-in.
    pub sign_in_page_unknown: &'static str,
    /// So many feeds were written.
    pub feeds_written: fn(count: u64) -> String,
    /// The file is of no program that sources are imported from.
    pub import_unknown: fn(file: &str) -> String,
    /// The file is too large.
    pub import_large: fn(file: &str) -> String,
    /// The file takes too much memory or time to read.
    pub import_complex: fn(file: &str) -> String,
    /// The file could not be read before, and is passed by.
    pub import_passed_by: fn(file: &str) -> String,
    /// No process could read the file.
    pub import_busy: fn(file: &str) -> String,
    /// A source of a file is on this computer or its network, and was not asked.
    pub import_private: &'static str,
    /// The file could not be read.
    pub import_unreadable: fn(file: &str, why: &str) -> String,
    /// The title of the dialog that imports sources.
    pub title_import: &'static str,
    /// The title of the dialog that exports feeds.
    pub title_export_feeds: &'static str,
    /// Another program uses the port; the address where the server goes on, if any.
    pub port_taken: fn(port: u16, at: Option<&str>) -> String,
    /// The process may not use the port; the address where the server goes on, if any.
    pub port_denied: fn(port: u16, at: Option<&str>) -> String,
    /// The server cannot listen there; the address where it goes on, if any.
    pub server_failed: fn(why: &str, at: Option<&str>) -> String,
    /// The text is not the origin of web pages.
    pub bad_origin: fn(text: &str) -> String,
    /// So many origins can be allowed at most.
    pub too_many_origins: fn(most: u64) -> String,
    /// The own server does not run.
    pub no_server: &'static str,
    /// A line with a new token works on this computer alone.
    pub only_here: &'static str,
    /// The own server is not announced in the network.
    pub not_discovered: fn(why: &str) -> String,
    /// The own server did not answer.
    pub own_unanswered: &'static str,
    /// The id of a new user is taken, or was that of one who was removed.
    pub user_taken: fn(id: &str) -> String,
    /// The id of a user is not valid.
    pub user_id_needed: &'static str,
    /// The name of a user is missing or too long.
    pub user_name_needed: &'static str,
    /// The app’s own user can’t be removed.
    pub user_is_own: &'static str,
    /// A user was exported.
    pub user_exported: fn(id: &str) -> String,
    /// The title of the dialog that exports a user.
    pub title_user_export: &'static str,
    /// The label of a token is missing or too long.
    pub label_needed: &'static str,
    /// The text can’t be a token.
    pub token_invalid: &'static str,
    /// The name can’t be a topic; says which characters it may have.
    pub topic_invalid: &'static str,
    /// The name is one that the server uses itself.
    pub topic_reserved: fn(topic: &str) -> String,
    /// The topic to add has settings already.
    pub topic_exists: fn(topic: &str) -> String,
    /// The display name of a topic is too long or has line breaks.
    pub topic_name_wrong: &'static str,
    /// The address of a topic’s icon is none, or too long.
    pub topic_icon_wrong: &'static str,
    /// The users who may publish on a topic, or read it, are too many, or one is no id.
    pub topic_users_wrong: &'static str,
    /// The time within which a notification is expected is none, or out of bounds.
    pub topic_expect_wrong: &'static str,
    /// A topic’s secret is too long.
    pub topic_secret_wrong: &'static str,
    /// The own server refused a request about topics.
    pub topic_refused: fn(status: u16) -> String,
    /// Where a template is wrong; `why` is in English.
    pub template_line: fn(line: &str, why: &str) -> String,
    /// The template can’t be read.
    pub template_wrong: fn(why: &str) -> String,
    /// The text of the message in lines that publish; without quotation marks, backslashes and dollar signs.
    pub example_message: &'static str,
    /// The text of a test notification.
    pub test_message: &'static str,
    /// The own server refused the token of a test notification.
    pub test_refused: &'static str,
    /// The own server refused a test notification.
    pub test_failed: fn(status: u16) -> String,
    /// The own server did not answer to a test notification.
    pub test_unanswered: &'static str,
    /// The disk has too little free space to free up more.
    pub compact_no_room: fn(needed: &str, free: &str) -> String,
    /// The disk has too little free space for restoring a backup.
    pub restore_no_room: fn(needed: &str, free: &str) -> String,
    /// Notifications were exported.
    pub exported: fn(count: &str) -> String,
    /// A backup was written.
    pub backed_up: fn(path: &str, size: &str) -> String,
    /// A backup was restored, with this many notifications.
    pub restored: fn(count: &str) -> String,
    /// The file is no backup.
    pub not_backup: fn(name: &str) -> String,
    /// A backup could not be restored.
    pub not_restored: fn(why: &str) -> String,
    /// The own server’s stamps were not mended.
    pub clock_not_mended: fn(why: &str) -> String,
    /// A file could not be written.
    pub not_written: fn(why: &str) -> String,
    /// The data folder cannot be used in this session.
    pub data_folder_unusable: &'static str,
    /// Settings were exported.
    pub settings_written: &'static str,
    /// The file holds no settings.
    pub not_settings: fn(name: &str) -> String,
    /// Settings were imported, and these parts were added.
    pub settings_added: fn(parts: &[String]) -> String,
    /// So many rules were imported.
    pub rules_added: fn(count: u64) -> String,
    /// So many saved searches were imported.
    pub searches_added: fn(count: u64) -> String,
    /// So many sources were imported.
    pub sources_added: fn(count: u64) -> String,
    /// An imported file would let other devices connect, which it may not.
    pub others_not_allowed: &'static str,
    /// An imported file would let pages in a browser use the own server, which it may not.
    pub origins_not_allowed: &'static str,
    /// Joins two sentences; the first has no full stop.
    pub join_sentences: fn(first: &str, second: &str) -> String,
    /// The title of the dialog that exports the inbox.
    pub title_export: &'static str,
    /// The title of the dialog that writes a backup.
    pub title_backup: &'static str,
    /// The title of the dialog that restores a backup.
    pub title_restore: &'static str,
    /// The title of the dialog that exports settings.
    pub title_settings_export: &'static str,
    /// The title of the dialog that imports settings.
    pub title_settings_import: &'static str,
    /// The title of the dialog that saves an attachment.
    pub title_save: &'static str,
    /// The title of the dialog that chooses a file to attach.
    pub title_attach: &'static str,
    /// The title of the dialog that chooses a file as a sound.
    pub title_sound: &'static str,
    /// The chosen file cannot be a sound.
    pub sound_refused: &'static str,
    /// The file does not exist there any more.
    pub file_gone: fn(host: &str) -> String,
    /// The file is too large.
    pub file_large: fn(most: &str) -> String,
    /// The file’s address redirects to one that is not followed.
    pub file_redirected: &'static str,
    /// What a host answered is no icon that can be shown.
    pub no_icon: fn(host: &str) -> String,
    /// The file could not be stored.
    pub file_disk: fn(why: &str) -> String,
    /// The file was saved where the reader chose.
    pub file_saved: &'static str,
    /// The file has to be downloaded first.
    pub file_not_downloaded: &'static str,
    /// The source’s server takes no files in messages.
    pub attach_no_files: fn(source: &str) -> String,
    /// The chosen file is larger than the server takes.
    pub attach_too_large: fn(most: &str) -> String,
    /// No more files can be attached.
    pub attach_too_many: fn(most: u64) -> String,
    /// A folder or device was chosen.
    pub attach_no_file: &'static str,
    /// The chosen file could not be copied.
    pub attach_failed: fn(why: &str) -> String,
    /// The link’s target is not in this inbox.
    pub link_unknown: &'static str,
    /// The link cannot be parsed.
    pub link_bad: &'static str,
}

/// The texts of a language about sources, the own server, storage and files.
pub const fn settings_strings(lang: Lang) -> &'static SettingsStrings {
    match lang {
        Lang::En => &en::SETTINGS_STRINGS,
        Lang::ZhCn => &zh_cn::SETTINGS_STRINGS,
    }
}

/// The texts of one language about test notifications, running in the background, and the key for the window.
#[derive(Debug)]
pub struct DesktopStrings {
    /// The title of a test notification that does not come from a server.
    pub test_title: &'static str,
    /// The text of a test notification.
    pub test_body: &'static str,
    /// The desktop showed the toast.
    pub test_shown: &'static str,
    /// Quiet hours hold the toast back until then.
    pub test_quiet: fn(time: &str) -> String,
    /// A pause holds the toast back.
    pub test_paused: &'static str,
    /// The desktop’s do-not-disturb mode holds the toast back.
    pub test_do_not_disturb: &'static str,
    /// The window has the focus, and toasts are off then.
    pub test_in_focus: &'static str,
    /// There is no notification daemon.
    pub test_no_daemon: &'static str,
    /// The daemon refused the toast.
    pub test_refused: &'static str,
    /// What the own server’s source may tell keeps the toast back.
    pub test_source: &'static str,
    /// No toast came in time.
    pub test_nothing: &'static str,
    /// The title of the toast that says once that the program goes on without a window.
    pub background_title: &'static str,
    /// How to come back, without a tray; the global shortcut if there is one.
    pub background_body: fn(keys: Option<&str>) -> String,
    /// These sources were out of reach for 15 minutes.
    pub outage_title: fn(sources: &[String]) -> String,
    /// Why, and what happens to their notifications.
    pub outage_body: fn(reasons: &[String]) -> String,
    /// Another program has these keys.
    pub shortcut_taken: fn(keys: &str) -> String,
    /// The keys cannot be a shortcut of the desktop.
    pub shortcut_invalid: &'static str,
    /// This desktop lets no program have such keys.
    pub shortcut_unsupported: &'static str,
}

/// The texts of a language about test notifications, running in the background, and the key for the window.
pub const fn desktop_strings(lang: Lang) -> &'static DesktopStrings {
    match lang {
        Lang::En => &en::DESKTOP_STRINGS,
        Lang::ZhCn => &zh_cn::DESKTOP_STRINGS,
    }
}

/// The texts of one language about what works on this computer, and what to do.
#[derive(Debug)]
pub struct DoctorStrings {
    /// The name of a part.
    pub part_session: &'static str,
    /// The name of a part.
    pub part_tray: &'static str,
    /// The name of a part.
    pub part_notifications: &'static str,
    /// The name of a part.
    pub part_sounds: &'static str,
    /// The name of a part.
    pub part_keyring: &'static str,
    /// The name of a part.
    pub part_portals: &'static str,
    /// The name of a part.
    pub part_web_view: &'static str,
    /// The name of a part.
    pub part_autostart: &'static str,
    /// The name of a part.
    pub part_folder: &'static str,
    /// The name of a part.
    pub part_disk: &'static str,
    /// The name of a part.
    pub part_inbox: &'static str,
    /// The name of a part.
    pub part_server: &'static str,
    /// The name of a part.
    pub part_port: &'static str,
    /// The name of a part.
    pub part_clock: &'static str,
    /// The name of a part.
    pub part_version: &'static str,
    /// The name of a part.
    pub part_source: &'static str,
    /// There is no desktop’s session here.
    pub no_session: &'static str,
    /// There is a session bus.
    pub bus: &'static str,
    /// There is no session bus.
    pub no_bus: &'static str,
    /// What to do then.
    pub no_bus_advice: &'static str,
    /// Something shows tray icons.
    pub tray_host: &'static str,
    /// Nothing shows tray icons.
    pub no_tray_host: &'static str,
    /// What to do then.
    pub no_tray_host_advice: &'static str,
    /// What shows notifications, with what it can do.
    pub daemon: fn(name: &str, version: &str, abilities: &[String]) -> String,
    /// What shows notifications has no buttons.
    pub no_buttons: fn(daemon: &str) -> String,
    /// What to do then.
    pub no_buttons_advice: &'static str,
    /// Nothing shows notifications.
    pub no_daemon: &'static str,
    /// What to do then.
    pub no_daemon_advice: &'static str,
    /// What plays sounds.
    pub sounds: fn(player: &str) -> String,
    /// Nothing plays sounds.
    pub no_sounds: &'static str,
    /// What to do then.
    pub no_sounds_advice: &'static str,
    /// The keyring is open.
    pub keyring_open: &'static str,
    /// The keyring is locked.
    pub keyring_locked: &'static str,
    /// What to do then.
    pub keyring_locked_advice: &'static str,
    /// There is no keyring.
    pub no_keyring: &'static str,
    /// What to do then.
    pub no_keyring_advice: &'static str,
    /// The interfaces of the portal.
    pub portals: fn(names: &[String]) -> String,
    /// There is no portal.
    pub no_portals: &'static str,
    /// What to do then.
    pub no_portals_advice: &'static str,
    /// There is no web view.
    pub no_web_view: &'static str,
    /// What to do then.
    pub no_web_view_advice: &'static str,
    /// The app starts at login.
    pub autostart_on: &'static str,
    /// The app does not start at login.
    pub autostart_off: &'static str,
    /// The data folder can be written.
    pub folder: &'static str,
    /// The data folder cannot be written.
    pub folder_refused: fn(why: &str) -> String,
    /// What to do then.
    pub folder_refused_advice: &'static str,
    /// The free space of the disk.
    pub disk_free: fn(free: &str) -> String,
    /// So little space is free that nothing is fetched.
    pub disk_low: fn(free: &str) -> String,
    /// The disk is full.
    pub disk_full: &'static str,
    /// What to do if there is little space or none.
    pub disk_advice: &'static str,
    /// The disk has room for no more files.
    pub no_files_left: &'static str,
    /// What to do then.
    pub no_files_left_advice: &'static str,
    /// There is no such database yet.
    pub no_database: &'static str,
    /// The database is intact.
    pub database_sound: &'static str,
    /// The database is damaged.
    pub database_damaged: &'static str,
    /// What to do then.
    pub damaged_inbox_advice: &'static str,
    /// What to do then.
    pub damaged_server_advice: &'static str,
    /// Another program has the database for itself.
    pub database_in_use: &'static str,
    /// What to do then.
    pub database_in_use_advice: &'static str,
    /// The database cannot be opened.
    pub database_refused: fn(why: &str) -> String,
    /// What to do then.
    pub database_refused_advice: &'static str,
    /// A shared database answers.
    pub database_answers: &'static str,
    /// A shared database does not answer.
    pub database_silent: &'static str,
    /// What to do then.
    pub database_silent_advice: &'static str,
    /// The server’s times are in the future.
    pub stamps_ahead: &'static str,
    /// What to do then.
    pub stamps_ahead_advice: &'static str,
    /// The port on which the own server answers.
    pub port: fn(port: u16) -> String,
    /// Another program has the own server’s port; the port on which it answers instead, if it runs.
    pub port_taken: fn(wanted: u16, actual: Option<&str>) -> String,
    /// What to do then.
    pub port_taken_advice: &'static str,
    /// The own server does not run.
    pub server_off: &'static str,
    /// The own server did not start.
    pub server_failed: fn(why: &str) -> String,
    /// What to do then.
    pub server_failed_advice: &'static str,
    /// The clock agrees with those of the servers.
    pub clock_right: &'static str,
    /// The clock differs from that of a server by some time.
    pub clock_off: fn(is_behind: bool, span: &str, host: &str) -> String,
    /// What to do then.
    pub clock_off_advice: &'static str,
    /// A time of several days.
    pub days: fn(count: u64) -> String,
    /// A time of several hours.
    pub hours: fn(count: u64) -> String,
    /// A time of minutes.
    pub minutes: fn(count: u64) -> String,
    /// The clock jumped, so that nothing is removed by age for some hours of running.
    pub age_hold: fn(hours: u64) -> String,
    /// What to do then.
    pub age_hold_advice: &'static str,
    /// There is a newer version.
    pub newer_version: fn(version: &str) -> String,
    /// What to do then.
    pub newer_version_advice: &'static str,
    /// There is no newer version.
    pub newest_version: &'static str,
    /// The feed of releases did not answer.
    pub no_releases: &'static str,
    /// What to do then.
    pub no_releases_advice: &'static str,
    /// The reader paused the source.
    pub paused: &'static str,
    /// When something was last fetched.
    pub last_fetched: fn(time: &str) -> String,
    /// Nothing was fetched yet.
    pub nothing_fetched: &'static str,
    /// Why a source is not up to date, and when it last was.
    pub source_trouble: fn(trouble: &str, fetched: &str) -> String,
    /// What to do then.
    pub sign_in_advice: &'static str,
    /// What to do then.
    pub unknown_authority_advice: &'static str,
    /// What to do then.
    pub not_valid_now_advice: &'static str,
    /// What to do then.
    pub client_certificate_advice: &'static str,
    /// What to do then.
    pub setup_advice: &'static str,
    /// What to do then.
    pub offline_advice: &'static str,
    /// What to do then.
    pub name_not_found_advice: &'static str,
    /// What to do then.
    pub unreachable_advice: &'static str,
    /// What to do then.
    pub local_advice: &'static str,
    /// What to do then.
    pub other_advice: &'static str,
}

/// The texts of a language about what works on this computer, and what to do.
pub const fn doctor_strings(lang: Lang) -> &'static DoctorStrings {
    match lang {
        Lang::En => &en::DOCTOR_STRINGS,
        Lang::ZhCn => &zh_cn::DOCTOR_STRINGS,
    }
}
