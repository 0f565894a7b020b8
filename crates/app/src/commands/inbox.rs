//! The commands of the inbox: what the page reads, marks, finds, writes and opens in it.

macro_rules! inbox_commands {
    ($next:ident $($then:ident)*; $($tables:tt)*) => {
        $next! { $($then)*; $($tables)* { app;
            /// Returns all data for the page's first paint. Events arrive from then on.
            bootstrap() -> Bootstrap { app.page.bootstrap().await }
            /// Reports that the page shows the data that its document brought. Events arrive from then on.
            listen() -> () { app.page.listen(); Ok(()) }
            /// Reports that the page has its first paint: background work may start.
            first_paint() -> () { app.page.first_paint(); Ok(()) }
            /// Returns one page of a list.
            threads(query: ThreadQuery) -> ThreadPage { app.reading.threads(query).await }
            /// Returns a thread with the items at a position, or with its newest ones.
            thread(id: ThreadId, position: Option<ThreadPosition>) -> ThreadView {
                app.reading.thread(id, position).await
            }
            /// Asks the service for the unknown parts of a thread that the reader opened: details that its newest item lacks,
            /// and its subscription. An event brings the answer; without an answer everything stays as it is.
            look_up(thread: ThreadId) -> () { app.reading.look_up(thread).await }
            /// Starts a pull of every source; does not wait for it.
            pull_now() -> () { app.engine.pull_now(); Ok(()) }
            /// Has what is passed by read again, because it could not be read before.
            read_again() -> () { app.passed_by.read_again() }

            /// Marks threads.
            mark(threads: Vec<ThreadId>, mark: Mark) -> Marked { app.marks.mark(threads, mark).await }
            /// Marks single items of a thread; pins and mutes are of threads only.
            mark_items(thread: ThreadId, msgids: Vec<String>, mark: Mark) -> Marked {
                app.marks.mark_items(thread, msgids, mark).await
            }
            /// Marks as read the items that were on screen: all of a thread up to the item `through`, and those of `seen` that
            /// are read one by one. Items whose view is read as a whole are read up to `through` only.
            read_items(thread: ThreadId, seen: Vec<String>, through: Option<String>) -> Marked {
                app.marks.read_items(thread, seen, through).await
            }
            /// Reports the thread whose end is on screen in a window with the focus; null for none. An item that comes in it
            /// has a toast only if it is not read within a moment.
            watch(thread: Option<ThreadId>) -> () { app.toasts.watch(thread); Ok(()) }
            /// Answers the question of an item: by the id of an answer, by a text, or both. It is shown at once, also offline.
            answer_question(thread: ThreadId, msgid: String, answer: Option<String>, text: Option<String>) -> () {
                app.answers.answer_question(thread, msgid, answer, text).await
            }
            /// Marks an item and the later ones of its thread as unread.
            unread_from(thread: ThreadId, msgid: String) -> Marked { app.marks.unread_from(thread, msgid).await }
            /// Marks everything in a place as read.
            mark_all_read(place: Place) -> Marked { app.marks.mark_all_read(&place).await }
            /// Marks every thread of a list, also those that the page has not loaded.
            mark_bulk(target: BulkTarget, mark: Mark) -> Marked { app.marks.mark_bulk(&target, mark).await }
            /// Undoes a mark, by `Marked.undo`.
            undo(undo: u64) -> () { app.marks.undo(undo).await }

            /// Makes a digest: what happened since a time.
            digest(query: DigestQuery) -> Digest { app.digests.digest(query).await }
            /// Archives exactly the items of a digest, or those of one of its sources or threads.
            archive_digest(target: DigestTarget) -> Marked { app.digests.archive_digest(target).await }
            /// Reports that the reader is at the window. Returns what came during a long absence, as long as the reader has not
            /// answered to it, or null.
            here() -> Option<Away> { app.absences.here().await }
            /// Returns the same, without saying that the reader is here.
            away() -> Option<Away> { app.absences.away().await }
            /// Ends the offer of a digest after an absence.
            close_away() -> () { app.absences.close_away().await }

            /// Returns terms that the query may go on with, at most 6.
            suggest(query: String) -> Vec<Suggestion> { app.searches.suggest(query).await }
            /// Returns at most 3 queries that may have been meant if one finds nothing; each of them finds something.
            corrections(target: BulkTarget) -> Vec<Correction> { app.searches.corrections(&target).await }
            /// Saves a search; an id of 0 adds a new one. Returns all saved searches, as the next two commands do.
            save_search(search: SavedSearch) -> Vec<SavedSearch> { app.searches.save_search(search).await }
            /// Removes a saved search.
            remove_search(id: i64) -> Vec<SavedSearch> { app.searches.remove_search(id).await }
            /// Puts the saved searches into the given order.
            order_searches(ids: Vec<i64>) -> Vec<SavedSearch> { app.searches.order_searches(ids).await }

            /// Puts a message into the outbox at once, also offline, and removes the draft. The first of the attached files, by
            /// their ids, goes with it, each other one in a message of its own.
            send_message(thread: ThreadId, body: String, files: Vec<String>) -> () {
                app.conversations.send_message(thread, body, files).await
            }
            /// Lets the reader choose a file and attaches it in a conversation. Null if the dialog was cancelled.
            choose_file(thread: ThreadId) -> Option<AttachedFile> { app.composer_files.choose_file(thread).await }
            /// Attaches the next one of the files that the reader dropped on the window or pasted last, if the page did not get
            /// them. Null if there is none.
            given_file(thread: ThreadId) -> Option<AttachedFile> { app.composer_files.given_file(thread).await }
            /// Begins to attach a file that was dropped or pasted; its content follows in `add_piece`.
            begin_file(thread: ThreadId, name: String, size: u64) -> AttachedFile {
                app.composer_files.begin_file(thread, &name, size).await
            }
            /// Adds the next piece of such a file: base64 of at most 1 MiB. After an error the file is not attached any more.
            add_piece(id: String, data: String) -> () { app.composer_files.add_piece(&id, &data).await }
            /// Takes an attached file away.
            remove_file(id: String) -> () { app.composer_files.remove_file(&id); Ok(()) }
            /// Starts a conversation and returns its thread. A message to one person goes into the outbox, also offline; a
            /// group of several people is created by its server first. An unknown user is the error `not_found`, and nothing is
            /// sent.
            start_conversation(conversation: NewConversation) -> ThreadId {
                app.conversations.start_conversation(conversation).await
            }
            /// Publishes a notification on a topic of a source, once. Fails without a connection: nothing waits.
            publish_on_topic(publication: NewPublication) -> () { app.on_topic.publish_on_topic(publication).await }
            /// Returns the people who can be written to at a source, as far as the replica knows them.
            people(source: SourceId) -> Vec<Person> { app.conversations.people(source).await }
            /// Asks the server of a source for people whose id or name begins like what is typed. Nobody without a connection.
            find_people(source: SourceId, typed: String) -> Vec<Person> {
                app.conversations.find_people(source, &typed).await
            }
            /// Saves a draft; empty text removes it.
            save_draft(thread: ThreadId, text: String) -> () { app.conversations.save_draft(thread, text).await }
            /// Sends a refused message again.
            retry_message(id: String) -> () { app.conversations.retry_message(id).await }
            /// Discards a message that waits, is being sent, or was refused.
            discard_message(id: String) -> () { app.conversations.discard_message(id).await }
            /// Reports that the reader left a conversation: its reads are acknowledged at once.
            leave_thread(thread: ThreadId) -> () { app.conversations.leave_thread(thread).await }
            /// Returns the readers of a group message.
            read_by(thread: ThreadId, msgid: String) -> ReadBy { app.conversations.read_by(thread, msgid).await }
            /// Returns the members of a group, the reader last.
            members(thread: ThreadId) -> Vec<Member> { app.conversations.members(thread).await }
            /// Changes a group at its server and returns its members then. Fails without a connection: nothing waits.
            change_group(thread: ThreadId, change: GroupChange) -> Vec<Member> {
                app.conversations.change_group(thread, change).await
            }

            /// Returns the body of an item that the reader published, as it was written.
            written_text(thread: ThreadId, msgid: String) -> String {
                app.published.written_text(thread, msgid).await
            }
            /// Gives what the reader published another body, at its server. Fails without a connection: nothing waits.
            edit_item(thread: ThreadId, msgid: String, body: String) -> () {
                app.published.edit_item(thread, msgid, body).await
            }
            /// Takes back what the reader published, from every inbox. Fails without a connection: nothing waits.
            recall_item(thread: ThreadId, msgid: String) -> () { app.published.recall_item(thread, msgid).await }
            /// Returns how many have read an announcement that the reader published, or null if its server does not report
            /// that.
            announcement_readers(thread: ThreadId, msgid: String) -> Option<AnnouncementReaders> {
                app.published.announcement_readers(thread, msgid).await
            }

            /// Opens a web or mail address in its program, a `tidings:` link in this window. With `background` the window keeps
            /// the focus, as far as the desktop lets it.
            open_link(url: String, background: bool) -> () { app.links.open_link(&url, background).await }
            /// Runs a button of an item, unless it differs from `button`; one that opens an address does so as `open_link`.
            /// Returns a sentence that says how it went.
            run_action(thread: ThreadId, msgid: String, index: usize, button: ActionView, background: bool) -> String {
                app.actions.run_action(thread, msgid, index, &button, background).await
            }
            /// Shows a native context menu at a position in the page, px. Returns the id of the chosen line, or null.
            popup(entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String> { Ok(app.settings.popup(entries, at).await) }
            /// Ends the program, as the menu of its tray icon does.
            quit() -> () { app.context.ports.window.quit(); Ok(()) }

            /// Starts to download an attachment, or returns its state; progress arrives as events.
            fetch_file(thread: ThreadId, msgid: String) -> FileState {
                app.attachments.fetch_file(thread, msgid).await
            }
            /// Cancels a download.
            cancel_file(thread: ThreadId, msgid: String) -> () { app.attachments.cancel_file(thread, msgid); Ok(()) }
            /// Returns a preview of a downloaded attachment.
            preview_file(thread: ThreadId, msgid: String) -> Preview {
                app.attachments.preview_file(thread, msgid).await
            }
            /// Returns a preview of the file of a message in the outbox, by the id of the file.
            preview_outgoing(id: String) -> Preview { app.composer_files.preview_outgoing(id).await }
            /// Downloads a remote image that the body of an item shows a box for.
            show_image(thread: ThreadId, msgid: String, address: String) -> Preview {
                app.attachments.show_image(thread, &msgid, &address).await
            }
            /// Returns the icon at an address that an item of a source names. `fetch` gets it from there; else it is
            /// fetched if the source's icons are shown, and `none` without.
            icon(source: SourceId, address: String, fetch: bool) -> Preview {
                app.icons.icon(source, address, fetch).await
            }
            /// Copies a downloaded attachment to a file that the reader chooses. Null if the dialog was cancelled.
            save_file(thread: ThreadId, msgid: String) -> Option<FileResult> {
                app.attachments.save_file(thread, msgid).await
            }
        } }
    };
}
