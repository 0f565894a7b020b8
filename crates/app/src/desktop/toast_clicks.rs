//! Handles what the reader does with a toast: a click, its buttons to mark, the buttons of its item, and an answer in words.
//! Each is about the items that the toast showed.

use std::sync::Arc;

use tidings_ipc::{PendingAction, Sound, ToastClick};
use tidings_model::{Language, MsgId};
use tidings_ports::{Toast, ToastKey, ToastRef, Urgency};
use tidings_render::buttons::offered;
use tidings_render::contexts::RenderContexts;
use tidings_render::item::{link_of, sender, title};
use tidings_replica::{ItemId, Mark, Replica, SourceId, Targets, ThreadId};
use tidings_strings::strings;
use tidings_toasts::policy::{DismissedToast, Pressed, Reply};

use crate::context::{Context, part};
use crate::error::Result;
use crate::events::OpenTarget;
use crate::inbox::actions::Actions;
use crate::inbox::answers::Answers;
use crate::inbox::conversations::Conversations;
use crate::inbox::links::Links;
use crate::notify::toasts::{Toasts, base_toast};
use crate::state::undo_log::UndoLog;

part! {
    /// What the reader does with toasts.
    pub(crate) struct ToastClicks {
        context: Arc<Context>,
        toasts: Arc<Toasts>,
        links: Arc<Links>,
        actions: Arc<Actions>,
        answers: Arc<Answers>,
        conversations: Arc<Conversations>,
        undo_log: Arc<UndoLog>,
    }
}

impl ToastClicks {
    /// Records that a toast is no longer on screen.
    pub(crate) fn closed(&self, toast: ToastRef) {
        self.toasts.closed(toast);
    }

    /// Handles a click on a toast: opens the window at the item that the toast showed, or that item's link if the
    /// reader prefers it. What was opened by its link is read.
    pub(crate) async fn open_toast(&self, toast: ToastRef, token: Option<String>) {
        let dismissed = self.toasts.dismiss_toast(toast).await;
        if self.opened_link_of(toast.key, &dismissed).await {
            if let Err(error) = self.mark_shown(toast.key, dismissed.msgids, Mark::Read, true).await {
                tracing::error!(%error, "what was opened by its link stays unread");
            }
            return;
        }
        if let ToastKey::Thread(thread) = toast.key {
            self.links.request_open(OpenTarget { thread, item: dismissed.newest, action: None });
        }
        self.context.ports.window.show(token);
    }

    /// Marks the items that the toast showed; newer items stay unmarked.
    pub(crate) async fn mark_toast(&self, toast: ToastRef, mark: Mark) -> Result<()> {
        let DismissedToast { msgids, .. } = self.toasts.dismiss_toast(toast).await;
        self.mark_shown(toast.key, msgids, mark, false).await
    }

    /// Opens the link of the newest item that a toast showed. Returns `false` if the reader prefers the thread, there
    /// is no link, or no program for it could be started.
    async fn opened_link_of(&self, key: ToastKey, dismissed: &DismissedToast) -> bool {
        if self.context.settings.get().notify.click != ToastClick::Link {
            return false;
        }
        let (ToastKey::Thread(thread), Some(msgid)) = (key, dismissed.newest.clone()) else { return false };
        let found = self
            .context
            .disk(move |replica| {
                let Some(row) = replica.threads_by_id(&[thread])?.pop() else { return Ok(None) };
                Ok(replica.items_by_msgid(Some(row.source), &[msgid])?.pop())
            })
            .await;
        let link = match found {
            Ok(item) => item.and_then(|item| link_of(&item.notification)),
            Err(error) => {
                tracing::error!(%error, "the link of a toast was not found");
                None
            }
        };
        match link {
            Some(link) => self.links.open_link(&link.url, false).await.is_ok(),
            None => false,
        }
    }

    /// Marks items that a toast showed. `automatic` marks follow from opening.
    async fn mark_shown(&self, key: ToastKey, msgids: Vec<MsgId>, mark: Mark, automatic: bool) -> Result<()> {
        if msgids.is_empty() {
            return Ok(());
        }
        let marked = self
            .context
            .disk(move |replica| {
                let source = match key {
                    ToastKey::Source(id) => Some(id),
                    ToastKey::Thread(id) => replica.threads_by_id(&[id])?.first().map(|thread| thread.source),
                    ToastKey::Program => None,
                };
                let Some(source) = source else { return Ok(None) };
                replica.mark(Targets::Items(items(replica, source, &msgids)?), mark).map(Some)
            })
            .await?;
        self.undo_log.add(marked.and_then(|marked| marked.undo), automatic);
        Ok(())
    }

    /// The confirmation that a button needs before it runs, because its request changes something elsewhere. `None` if
    /// it needs none, or the item's button differs by now.
    async fn confirmation(
        &self,
        thread: ThreadId,
        item: &MsgId,
        pressed: PendingAction,
    ) -> Result<Option<PendingAction>> {
        if pressed.button.opens || pressed.button.method == "GET" {
            return Ok(None);
        }
        let (language, item) = (self.context.language(), item.clone());
        self.context
            .disk(move |replica| {
                let Some(row) = replica.threads_by_id(&[thread])?.pop() else { return Ok(None) };
                let Some(item) = replica.items_by_msgid(Some(row.source), &[item])?.pop() else {
                    return Ok(None);
                };
                let contexts = RenderContexts::load(replica, &language)?;
                let Some(ctx) = contexts.of(row.source) else { return Ok(None) };
                let current = offered(&item.notification).nth(pressed.index).map(|(view, _)| view);
                let from = sender(&ctx, &item, &title(&ctx, &row));
                Ok(current
                    .filter(|current| *current == pressed.button)
                    .map(|_| PendingAction { from, ..pressed }))
            })
            .await
    }

    /// Handles a button in a toast. An answer is given, an address is opened, and a GET request is sent at once. Any
    /// other request needs a confirmation in the window first. A button that differs from the one shown does nothing. A
    /// failure is shown as a toast.
    pub(crate) async fn act_on_toast(&self, toast: ToastRef, index: usize) {
        let offer = self.toasts.dismiss_toast(toast).await.offer;
        let ToastKey::Thread(thread) = toast.key else { return };
        let failed = match offer.and_then(|offer| offer.at(index)) {
            Some((item, pressed)) => self.press_in_toast(thread, item, pressed).await,
            None => Ok(Some(strings(self.context.lang()).button_changed.to_owned())),
        };
        self.say_failure(thread, failed).await;
    }

    /// Sends what was written in a toast: a message, whose conversation is read with it, or the answer to a question. A
    /// failure is shown as a toast.
    pub(crate) async fn reply_in_toast(&self, toast: ToastRef, text: String) {
        let DismissedToast { msgids, offer, .. } = self.toasts.dismiss_toast(toast).await;
        let ToastKey::Thread(thread) = toast.key else { return };
        let failed = match offer.and_then(|offer| Some((offer.item, offer.reply?))) {
            Some((item, Reply::Answer)) => {
                let text = Some(text.trim().to_owned());
                self.answers.answer_question(thread, item.0, None, text).await.map(|()| None)
            }
            Some((_, Reply::Message)) => self.send_reply(thread, msgids, &text).await.map(|()| None),
            None => Ok(Some(strings(self.context.lang()).reply_changed.to_owned())),
        };
        self.say_failure(thread, failed).await;
    }

    async fn send_reply(&self, thread: ThreadId, msgids: Vec<MsgId>, text: &str) -> Result<()> {
        self.conversations.send_reply(thread, text).await?;
        self.mark_shown(ToastKey::Thread(thread), msgids, Mark::Read, true).await
    }

    /// Shows why a toast's button or answer did nothing, if it did not, under its thread's title.
    async fn say_failure(&self, thread: ThreadId, failed: Result<Option<String>>) {
        let (lang, language) = (self.context.lang(), self.context.language());
        let text = match failed {
            Ok(None) => return,
            Ok(Some(text)) => text,
            Err(error) => error.to_ipc(lang).text,
        };
        let title = match self.context.disk(move |replica| heading(replica, &language, thread)).await {
            // `None`: the thread was removed.
            Ok(title) => title.unwrap_or_else(|| "Tidings".to_owned()),
            Err(error) => {
                tracing::error!(%error, "the result of a button is shown without its thread's title");
                "Tidings".to_owned()
            }
        };
        let base = base_toast(lang, ToastKey::Thread(thread), Urgency::Normal, Sound::SILENT);
        self.toasts.show_toast(Toast { title, body: text, ..base }, None, true);
    }

    /// Runs a button of a toast. Returns a sentence if it failed; `None` also if the window asks for a confirmation.
    async fn press_in_toast(
        &self,
        thread: ThreadId,
        item: MsgId,
        pressed: Pressed,
    ) -> Result<Option<String>> {
        let (index, button) = match pressed {
            Pressed::Button(index, button) => (index, button),
            Pressed::Answer(choice) => {
                self.answers.answer_question(thread, item.0, Some(choice.id), None).await?;
                return Ok(None);
            }
        };
        let pressed = PendingAction { index, button: button.clone(), from: String::new() };
        if let Some(confirmation) = self.confirmation(thread, &item, pressed).await? {
            self.links.request_open(OpenTarget { thread, item: Some(item), action: Some(confirmation) });
            self.context.ports.window.show(None);
            return Ok(None);
        }
        let sentence = self.actions.run_action(thread, item.0, index, &button, false).await?;
        Ok((sentence != strings(self.context.lang()).done).then_some(sentence))
    }
}

fn heading(
    replica: &Replica,
    language: &Language,
    thread: ThreadId,
) -> tidings_replica::Result<Option<String>> {
    let Some(thread) = replica.threads_by_id(&[thread])?.pop() else { return Ok(None) };
    let contexts = RenderContexts::load(replica, language)?;
    Ok(contexts.of(thread.source).map(|ctx| title(&ctx, &thread)))
}

/// The row ids of items by their msgids in one source.
fn items(replica: &Replica, source: SourceId, msgids: &[MsgId]) -> tidings_replica::Result<Vec<ItemId>> {
    Ok(replica.items_by_msgid(Some(source), msgids)?.into_iter().map(|item| item.id).collect())
}
