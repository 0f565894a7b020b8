//! The commands of the page, each declared once: its name, its arguments, its answer and the method that handles it.
//! From this list come the typed dispatch behind the program's one Tauri command, and the page's client
//! (`ui/src/generated/commands.ts`, written by `cargo test -p tidings-app export`).

use serde::{Deserialize, Serialize};
use tidings_model::Mark;

#[allow(clippy::wildcard_imports, reason = "each type is imported for one command")]
use super::*;
use crate::app::App;
use crate::error::{Error, Result};

fn to_json<T: Serialize>(answer: &T) -> Result<String> {
    serde_json::to_string(answer).map_err(|error| Error::Write(error.into()))
}

macro_rules! commands {
    ($app:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident($($arg:ident: $type:ty),*) -> $answer:ty { $($handler:tt)+ }
    )+) => {
        /// A call of the page, as it arrives: `{"command": "threads", "args": {"query": …}}`. Whatever the handler gets
        /// comes from the page and is checked or clamped there.
        ///
        /// ```
        /// use tidings_app::ipc::Command;
        ///
        /// let json = r#"{"command": "mark", "args": {"threads": [7], "mark": {"op": "read"}}}"#;
        /// assert!(matches!(serde_json::from_str(json).unwrap(), Command::mark { .. }));
        /// ```
        #[derive(Deserialize)]
        #[serde(tag = "command", content = "args")]
        #[allow(missing_docs, missing_debug_implementations, non_camel_case_types, reason = "generated: a variant is \
            called like its command, its fields like the arguments; some of them are secret")]
        pub enum Command {
            $($(#[doc = $doc])+ $name { $($arg: $type),* },)+
        }

        impl App {
            /// Handles a command and gives its answer as JSON.
            ///
            /// # Errors
            /// Why it could not be done, in the reader's language.
            pub async fn call(&self, command: Command) -> Result<String, IpcError> {
                let $app = self;
                let answered: Result<String> = match command {
                    $(Command::$name { $($arg),* } => {
                        let answer: Result<$answer> = async move { $($handler)+ }.await;
                        answer.and_then(|answer| to_json(&answer))
                    })+
                };
                answered.map_err(|error| {
                    tracing::warn!(%error, "a command of the page failed");
                    error.to_ipc(self.lang())
                })
            }
        }

        #[cfg(test)]
        fn declared(config: &ts_rs::Config) -> Vec<tests::Declared> {
            use ts_rs::TS;
            vec![$(tests::Declared {
                name: stringify!($name),
                docs: &[$($doc),+],
                args: vec![$((stringify!($arg), <$type as TS>::name(config))),*],
                answer: <$answer as TS>::name(config),
            }),+]
        }

        #[cfg(test)]
        fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $($(visitor.visit::<$type>();)* visitor.visit::<$answer>();)+
        }
    };
}

commands! { app;
    /// All that the page shows first. Events arrive from then on.
    bootstrap() -> Bootstrap { app.bootstrap().await }
    /// The first picture is on screen: what waited for it may start.
    first_paint() -> () { app.first_paint(); Ok(()) }
    /// A page of a list.
    threads(query: ThreadQuery) -> ThreadPage { app.threads(query).await }
    /// The newest items of a thread, or those before `before` (a msgid).
    thread(id: ThreadId, before: Option<String>) -> ThreadView { app.thread(id, before).await }
    /// Pulls every source now, without waiting.
    pull_now() -> () { app.pull_now(); Ok(()) }

    /// Marks threads.
    mark(threads: Vec<ThreadId>, mark: Mark) -> Marked { app.mark(threads, mark).await }
    /// Unread again: this item and those after it.
    unread_from(thread: ThreadId, msgid: String) -> Marked { app.unread_from(thread, msgid).await }
    /// Marks everything in a place read.
    mark_all_read(place: Place) -> Marked { app.mark_all_read(&place).await }
    /// Marks every thread of a list, also those that are not on the page.
    mark_bulk(target: BulkTarget, mark: Mark) -> Marked { app.mark_bulk(&target, mark).await }
    /// Takes a mark back, by `Marked.undo`.
    undo(undo: u64) -> () { app.undo(undo).await }

    /// What could stand in a query next, at most 6.
    suggest(query: String) -> Vec<Suggestion> { app.suggest(query).await }
    /// Saves a search or changes it; an id of 0 is a new one. Answers all saved searches, as the next two do.
    save_search(search: SavedSearch) -> Vec<SavedSearch> { app.save_search(search).await }
    /// Removes a saved search.
    remove_search(id: i64) -> Vec<SavedSearch> { app.remove_search(id).await }
    /// Puts the saved searches into this order.
    order_searches(ids: Vec<i64>) -> Vec<SavedSearch> { app.order_searches(ids).await }

    /// Puts a message into the outbox at once, also offline; the draft is gone with it.
    send_message(thread: ThreadId, body: String) -> () { app.send_message(thread, body).await }
    /// With one person the first message goes into the outbox, also offline; several become a group, which its server
    /// makes. Answers the thread. A name that is not known there is `not_found`, and nothing is sent.
    start_conversation(conversation: NewConversation) -> ThreadId { app.start_conversation(conversation).await }
    /// Who may be written to at a source, as far as is known here.
    people(source: SourceId) -> Vec<Person> { app.people(source).await }
    /// Saves what was written and not sent; empty text removes it.
    save_draft(thread: ThreadId, text: String) -> () { app.save_draft(thread, text).await }
    /// Sends a refused message again.
    retry_message(id: String) -> () { app.retry_message(id).await }
    /// Gives up a message that waits or was refused.
    discard_message(id: String) -> () { app.discard_message(id).await }
    /// The reader left a conversation: what was read in it is acknowledged at once.
    leave_thread(thread: ThreadId) -> () { app.leave_thread(thread).await }
    /// Who has read a message of a group.
    read_by(thread: ThreadId, msgid: String) -> ReadBy { app.read_by(thread, msgid).await }
    /// Who is in a group; the reader last.
    members(thread: ThreadId) -> Vec<Member> { app.members(thread).await }

    /// Opens a web or mail address outside, a `tidings:` link here.
    open_link(url: String) -> () { app.open_link(&url).await }
    /// Runs a button of an item, as its reader saw it. Answers a sentence that says how it went.
    run_action(thread: ThreadId, msgid: String, index: usize, button: ActionView) -> String {
        app.run_action(thread, msgid, index, &button).await
    }
    /// Shows a context menu of the desktop at a position of the page, px. Answers what was chosen, or null.
    popup(entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String> { Ok(app.inner.ports.menus.popup(entries, at).await) }

    /// Stores settings. Answers those in force.
    settings(settings: Settings) -> Settings { app.settings(&settings).await }
    /// Whether the app starts with the computer. Answers what is true afterwards.
    autostart(on: bool) -> bool { Ok(app.autostart(on)) }
    /// No toasts until then: milliseconds since 1970; 0 until switched on again; null resumes.
    pause_toasts(until: Option<i64>) -> () { app.pause_toasts(until).await }
    /// Sets what a source notifies of. Answers what is in force.
    set_source_notify(source: SourceId, notify: NotifySettings) -> NotifySettings {
        app.set_source_notify(source, notify).await
    }
    /// Sets what a thread notifies of. Answers what is in force.
    set_thread_notify(thread: ThreadId, notify: NotifySettings) -> NotifySettings {
        app.set_thread_notify(thread, notify).await
    }
    /// The rules in their order.
    rules() -> Vec<Rule> { app.rules().await }
    /// Saves a rule; an id of 0 is a new one. Answers all rules in order, as the next two do.
    save_rule(rule: Rule) -> Vec<Rule> { app.save_rule(rule).await }
    /// Removes a rule.
    remove_rule(id: i64) -> Vec<Rule> { app.remove_rule(id).await }
    /// Puts the rules into this order.
    order_rules(ids: Vec<i64>) -> Vec<Rule> { app.order_rules(ids).await }
    /// What a rule would have matched, without saving it.
    try_rule(rule: Rule) -> RuleTrial { app.try_rule(rule).await }

    /// Tries a source without saving anything.
    test_source(form: SourceForm) -> SourceTest { app.test_source(form).await }
    /// Adds a source that could be reached. Answers its id.
    add_source(form: SourceForm) -> SourceId { app.add_source(form).await }
    /// Renames a source.
    rename_source(source: SourceId, name: String) -> () { app.rename_source(source, name).await }
    /// Pauses or resumes a source.
    pause_source(source: SourceId, on: bool) -> () { app.pause_source(source, on).await }
    /// Removes a source; `keep` leaves what it brought in the inbox.
    remove_source(source: SourceId, keep: bool) -> () { app.remove_source(source, keep).await }
    /// Gives a source another token of the same user.
    sign_in_source(source: SourceId, token: String) -> SourceTest { app.sign_in_source(source, token).await }
    /// Pulls one source now.
    try_source(source: SourceId) -> () { app.try_source(source).await }
    /// Puts the sources into this order.
    order_sources(ids: Vec<SourceId>) -> () { app.order_sources(ids).await }

    /// This computer's own server and its tokens.
    server() -> ServerView { app.server().await }
    /// Moves the own server; where the new address fails it stays where it is, and the error says why.
    set_server(port: Option<u16>, others: bool) -> ServerView { app.set_server(port, others).await }
    /// Makes a token. The answer is the only place where its secret stands.
    create_token(label: String, reads: bool) -> NewToken { app.create_token(label, reads).await }
    /// Revokes a token.
    revoke_token(id: String) -> ServerView { app.revoke_token(id).await }

    /// What lies on the disk.
    storage() -> StorageView { app.storage().await }
    /// Gives back what the files do not need.
    compact() -> StorageView { app.compact().await }
    /// Writes the whole inbox into a file. Null where the desktop's dialog was cancelled, as in the next four.
    export_inbox(format: ExportFormat) -> Option<FileResult> { app.export_inbox(format).await }
    /// Copies server and inbox into one file.
    backup() -> Option<FileResult> { app.backup().await }
    /// Puts a backup in the place of server and inbox.
    restore() -> Option<FileResult> { app.restore().await }
    /// Writes settings, sources, rules and saved searches into a file.
    export_settings() -> Option<FileResult> { app.export_settings().await }
    /// Takes over what such a file holds.
    import_settings() -> Option<FileResult> { app.import_settings().await }
    /// Shows a folder in the desktop's file manager.
    open_folder(folder: Folder) -> () { app.open_folder(folder) }

    /// Starts to download a file, or says how far it is; the rest arrives as events.
    fetch_file(thread: ThreadId, msgid: String) -> FileState { app.fetch_file(thread, msgid).await }
    /// Gives up a download.
    cancel_file(thread: ThreadId, msgid: String) -> () { app.cancel_file(thread, msgid) }
    /// A preview of a file that was downloaded.
    preview_file(thread: ThreadId, msgid: String) -> Preview { app.preview_file(thread, msgid).await }
    /// A remote picture that an item of the thread shows.
    show_image(thread: ThreadId, address: String) -> Preview { app.show_image(thread, &address).await }
    /// Copies a downloaded file to where its reader wants it. Null where the desktop's dialog was cancelled.
    save_file(thread: ThreadId, msgid: String) -> Option<FileResult> { app.save_file(thread, msgid).await }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
