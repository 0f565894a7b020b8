//! Carries out the toast policy: renders, shows and closes toasts.

mod on_screen;
mod rendering;
mod woken;

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_ipc::Sound;
use tidings_model::{MsgId, text};
use tidings_ports::{Toast, ToastKey, ToastRef, Urgency};
use tidings_render::contexts::RenderContexts;
use tidings_render::item::source_name;
use tidings_render::row::row_text;
use tidings_replica::{Replica, SourceId, ThreadId};
use tidings_strings::strings;
use tidings_sync::EngineEvent;
use tidings_toasts::policy::{
    DismissedToast, OfferedButtons, ToastCommand, ToastContext, ToastOnScreen, ToastPolicy,
};

pub(crate) use self::rendering::base_toast;
use self::rendering::{RenderedToast, render_toasts};
use crate::context::Context;
use crate::error::Result;

/// The toasts on screen and those that are deferred, and the thread that is being read.
pub(crate) struct Toasts {
    context: Arc<Context>,
    policy: Mutex<ToastPolicy>,
    /// The thread whose end is on screen in a window with the focus.
    watched: Mutex<Option<ThreadId>>,
}

impl Toasts {
    /// No toast is on screen, and those that an earlier session deferred wait for the end of their silence.
    pub(crate) fn open(context: &Arc<Context>) -> Result<Self> {
        let mut policy = ToastPolicy::new(context.now());
        let in_force = context.settings.get().toast_context(context.zone.as_ref(), context.now());
        policy.restore_deferred(context.replica.deferred_toasts()?, &in_force);
        Ok(Self { context: Arc::clone(context), policy: Mutex::new(policy), watched: Mutex::new(None) })
    }

    /// Records that a toast is no longer on screen.
    pub(crate) fn closed(&self, toast: ToastRef) {
        self.policy.lock().closed(toast);
    }

    /// Whether a critical toast is on screen.
    pub(crate) fn has_critical(&self) -> bool {
        self.policy.lock().has_critical()
    }

    /// The settings and the silence that apply to toasts now.
    pub(crate) fn toast_context(&self) -> ToastContext {
        self.context.settings.get().toast_context(self.context.zone.as_ref(), self.context.now())
    }

    /// Handles an event of the engine: shows toasts for what it applied, and stores those that were deferred.
    pub(crate) async fn handle_engine_event(self: &Arc<Self>, event: EngineEvent) {
        let (now, context) = (self.context.now(), self.toast_context());
        if let EngineEvent::SubscriptionRefused { thread, .. } = event {
            return self.say_subscription_refused(thread).await;
        }
        let commands = match &event {
            // The reader sees the items in the focused window; only the texts of their toasts may change.
            EngineEvent::Applied { source, applied, reason } if self.toasts_are_off_in_focus() => {
                let known: Vec<_> = applied.updated.iter().filter(|one| !one.unread_again).cloned().collect();
                self.policy.lock().arrived(*source, *reason, &[], &known, &context, now)
            }
            EngineEvent::Applied { source, applied, reason } => {
                let told = self.hold_back_watched(*source, *reason, &applied.arrived);
                self.policy.lock().arrived(*source, *reason, &told, &applied.updated, &context, now)
            }
            EngineEvent::CaughtUp { source, .. } => self.policy.lock().caught_up(*source, &context, now),
            EngineEvent::SubscriptionRefused { .. } => Vec::new(),
        };
        self.tell(commands).await;
    }

    /// Says in the window that a service refused the subscription of a thread.
    async fn say_subscription_refused(&self, thread: ThreadId) {
        let (lang, language) = (self.context.lang(), self.context.language());
        let said = self
            .context
            .disk(move |replica| {
                let contexts = RenderContexts::load(replica, &language)?;
                let row = replica.threads_by_id(&[thread])?.pop();
                Ok(row.and_then(|row| {
                    let ctx = contexts.of(row.source)?;
                    let service = source_name(ctx.source, lang);
                    Some((strings(lang).subscription_refused)(&service, &row_text(&ctx, &row).sentence))
                }))
            })
            .await;
        match said {
            Ok(Some(text)) => self.context.events.update(|dirty| dirty.announcement = Some(text)),
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "a refused subscription could not be said"),
        }
    }

    /// Carries out commands of the policy, and stores the toasts that it deferred.
    async fn tell(&self, commands: Vec<ToastCommand>) {
        if let Err(error) = self.execute(commands).await {
            tracing::error!(%error, "a toast could not be rendered");
        }
        let newly_deferred = self.policy.lock().newly_deferred();
        if newly_deferred.is_empty() {
            return;
        }
        if let Err(error) = self.context.disk(move |r| r.defer_toasts(newly_deferred)).await {
            tracing::error!(%error, "deferred toasts are remembered in this session only");
        }
    }

    /// Updates the toasts on the screen after changes of their items. A toast closes if none of its items is unread. It is no
    /// longer urgent if the urgent ones were read, and says nothing of one that was deleted.
    pub(crate) async fn follow_toast_items(&self) -> Result<()> {
        let shown = self.policy.lock().on_screen();
        if shown.is_empty() {
            return Ok(());
        }
        let changed = self.context.disk(move |replica| changed_toasts(replica, shown)).await?;
        let commands = {
            let mut policy = self.policy.lock();
            policy.calm(&changed.calm);
            let mut commands = policy.close_read(&changed.read);
            commands.extend(policy.remove_deleted(&changed.deleted));
            commands
        };
        self.execute(commands).await
    }

    /// Shows the summaries of the deferred toasts that no silence holds back any more.
    pub(crate) async fn end_silence(&self) -> Result<()> {
        let context = self.toast_context();
        let released = self.policy.lock().released(&context);
        if released.is_empty() {
            return Ok(());
        }
        let unread = self.context.disk(move |replica| still_unread(replica, &released)).await?;
        let (commands, told, rest) = {
            let mut policy = self.policy.lock();
            let (commands, told) = policy.silence_ended(&unread, &context, self.context.now());
            (commands, told, policy.has_deferred())
        };
        self.execute(commands).await?;
        if rest {
            return self.context.disk(move |replica| replica.forget_deferred_toasts(&told)).await;
        }
        self.context.disk(Replica::clear_deferred_toasts).await
    }

    async fn execute(&self, commands: Vec<ToastCommand>) -> Result<()> {
        if commands.is_empty() {
            return Ok(());
        }
        let language = self.context.language();
        let preview = self.context.settings.get().notify.preview;
        let rendered =
            self.context.disk(move |replica| render_toasts(replica, &language, preview, &commands)).await?;
        for command in rendered {
            match command {
                RenderedToast::Show { toast, offer, news } => self.show_toast(*toast, offer, news),
                RenderedToast::Close(key) => self.context.ports.toasts.close(key),
            }
        }
        Ok(())
    }

    /// Shows a toast. One without news is shown only if its text differs from that on the screen.
    pub(crate) fn show_toast(&self, toast: Toast, offer: Option<OfferedButtons>, news: bool) {
        let line = |text: &str| text::line(text).into_owned();
        let toast = Toast {
            title: line(&toast.title),
            // Line breaks of the body are kept.
            body: toast.body.lines().map(line).collect::<Vec<_>>().join("\n"),
            actions: toast.actions.iter().map(|label| line(label)).collect(),
            ..toast
        };
        let mut policy = self.policy.lock();
        if !news && policy.reads_as_before(&toast, offer.as_ref()) {
            return;
        }
        let serial = policy.record_shown(toast.key, offer);
        policy.record_text(&toast);
        drop(policy);
        self.context.ports.toasts.show(Toast { serial, ..toast });
    }

    /// Whether no toasts are shown now, because the window has the focus and the settings say so.
    pub(crate) fn toasts_are_off_in_focus(&self) -> bool {
        !self.context.settings.get().behaviour.toasts_in_focus && self.context.ports.window.is_focused()
    }

    /// Shows a sentence of the program itself, in place of an earlier one. A click on it opens the window.
    pub(crate) fn show_program_toast(&self, title: &str, body: &str) {
        let base = base_toast(self.context.lang(), ToastKey::Program, Urgency::Normal, Sound::SILENT);
        self.show_toast(Toast { title: title.to_owned(), body: body.to_owned(), ..base }, None, true);
    }

    /// Takes a toast off the screen and returns what it showed. An error while showing newer items is only logged.
    pub(crate) async fn dismiss_toast(&self, toast: ToastRef) -> DismissedToast {
        let dismissed = self.policy.lock().dismiss(toast);
        let shown = match &dismissed.then {
            ToastCommand::Close(key) => {
                self.context.ports.toasts.close(*key);
                Ok(())
            }
            show @ ToastCommand::Show { .. } => self.execute(vec![show.clone()]).await,
        };
        if let Err(error) = shown {
            tracing::error!(%error, "the items after a dismissed toast were not shown");
        }
        dismissed
    }
}

/// The toasts on screen whose items changed.
#[derive(Default)]
struct ChangedToasts {
    /// Those without an unread item.
    read: Vec<ToastOnScreen>,
    /// Those with unread items, of which none is urgent any more.
    calm: Vec<ToastOnScreen>,
    /// Those of threads that go on without these items, which were deleted.
    deleted: Vec<(ToastKey, Vec<MsgId>)>,
}

fn changed_toasts(replica: &Replica, shown: Vec<ToastOnScreen>) -> tidings_replica::Result<ChangedToasts> {
    let mut changed = ChangedToasts::default();
    for toast in shown {
        if !replica.any_unread(toast.source, &toast.msgids)? {
            changed.read.push(toast);
            continue;
        }
        if matches!(toast.key, ToastKey::Thread(_)) {
            let deleted = replica.deleted(toast.source, &toast.msgids)?;
            changed.deleted.extend(Some((toast.key, deleted)).filter(|(_, deleted)| !deleted.is_empty()));
        }
        if !toast.urgent.is_empty() && !replica.any_unread(toast.source, &toast.urgent)? {
            changed.calm.push(toast);
        }
    }
    Ok(changed)
}

fn still_unread(
    replica: &Replica,
    deferred: &[(SourceId, Vec<MsgId>)],
) -> tidings_replica::Result<HashSet<(SourceId, MsgId)>> {
    let mut unread = HashSet::new();
    for (source, msgids) in deferred {
        for msgid in msgids {
            if replica.any_unread(*source, std::slice::from_ref(msgid))? {
                unread.insert((*source, msgid.clone()));
            }
        }
    }
    Ok(unread)
}
