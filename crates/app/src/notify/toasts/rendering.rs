//! Renders the toasts of commands: their texts and their buttons.

use tidings_ipc::{ActionView, Sound};
use tidings_model::{Choice, Lang, Language, MsgId};
use tidings_ports::{Toast, ToastKey, Urgency};
use tidings_render::buttons::offered;
use tidings_render::context::RenderContext;
use tidings_render::contexts::RenderContexts;
use tidings_render::conversation::{is_closed, takes_messages};
use tidings_render::item::{source_name, title};
use tidings_render::row::{as_newest, row_text};
use tidings_replica::{Item, Replica, Thread};
use tidings_strings::{Strings, strings};
use tidings_toasts::policy::{OfferedButtons, Reply, ToastCommand, ToastContent};

/// The most buttons of an item's own in a toast; daemons show few.
const MAX_ITEM_BUTTONS: usize = 3;

pub(super) enum RenderedToast {
    Show { toast: Box<Toast>, offer: Option<OfferedButtons>, news: bool },
    Close(ToastKey),
}

pub(super) fn render_toasts(
    replica: &Replica,
    language: &Language,
    preview: bool,
    commands: &[ToastCommand],
) -> tidings_replica::Result<Vec<RenderedToast>> {
    let lang = language.interface();
    let contexts = RenderContexts::load(replica, language)?;
    let mut rendered = Vec::with_capacity(commands.len());
    for command in commands {
        let (key, source, content, base, news) = match command {
            ToastCommand::Close(key) => {
                rendered.push(RenderedToast::Close(*key));
                continue;
            }
            ToastCommand::Show { key, source, content, urgency, sound, news } => {
                (*key, *source, content, base_toast(lang, *key, *urgency, sound.clone()), *news)
            }
        };
        let Some(ctx) = contexts.of(source) else { continue };
        let toast = match content {
            ToastContent::Gap(n) => {
                let title = (strings(lang).toast_gap)(&source_name(ctx.source, lang), *n);
                Some((Toast { title, ..base }, None))
            }
            ToastContent::Storm(n) => {
                let title = (strings(lang).toast_storm)(&source_name(ctx.source, lang), *n);
                Some((Toast { title, ..base }, None))
            }
            ToastContent::Thread { count, .. } if !preview => {
                let title = source_name(ctx.source, lang);
                Some((Toast { title, body: (strings(lang).new)(*count), ..base }, None))
            }
            ToastContent::Thread { count, item } => thread_toast(replica, &ctx, key, *count, item, base)?,
        };
        let show = |(toast, offer)| RenderedToast::Show { toast: Box::new(toast), offer, news };
        rendered.extend(toast.map(show));
    }
    Ok(rendered)
}

/// A toast with the newest item's text and buttons; `None` if the thread was removed.
fn thread_toast(
    replica: &Replica,
    ctx: &RenderContext<'_>,
    key: ToastKey,
    count: u64,
    item: &MsgId,
    base: Toast,
) -> tidings_replica::Result<Option<(Toast, Option<OfferedButtons>)>> {
    let ToastKey::Thread(id) = key else { return Ok(None) };
    let Some(thread) = replica.threads_by_id(&[id])?.pop() else { return Ok(None) };
    let newest = replica.items_by_msgid(Some(thread.source), std::slice::from_ref(item))?.pop();
    // Its thread may have a newer item, as when this one alone came back from a snooze.
    let thread = match &newest {
        Some(item) if count <= 1 => as_newest(thread, item),
        _ => thread,
    };
    let row = row_text(ctx, &thread);
    let table = strings(ctx.lang);
    let (heading, body) = match count {
        0 | 1 => (row.who.clone(), row.text()),
        n if thread.key.starts_with("user:") => ((table.toast_several_from)(&row.who, n), row.text()),
        n => ((table.toast_several)(&title(ctx, &thread), n), row.text_of_several(&thread)),
    };
    let answers: Vec<Choice> = newest.as_ref().map(open_answers).unwrap_or_default();
    let places = MAX_ITEM_BUTTONS.saturating_sub(answers.len());
    let buttons = |item: &Item| {
        let views = offered(&item.notification).map(|(view, _)| view);
        views.take_while(|view| view.copies.is_none()).take(places).collect()
    };
    let buttons: Vec<ActionView> = newest.as_ref().map(buttons).unwrap_or_default();
    let labels = answers.iter().map(|choice| choice.label.clone());
    let actions: Vec<String> = labels.chain(buttons.iter().map(|view| label(table, view))).collect();
    let words = words_for(replica, ctx, &thread, newest.as_ref())?;
    let reply = words.map(|words| match words {
        Reply::Message => table.toast_reply.to_owned(),
        Reply::Answer => table.toast_answer.to_owned(),
    });
    let offer = (reply.is_some() || !actions.is_empty()).then(|| OfferedButtons {
        item: item.clone(),
        answers,
        buttons,
        reply: words,
    });
    Ok(Some((Toast { title: heading, body, actions, reply, ..base }, offer)))
}

/// What words that are written in a toast become: the answer to a question that takes words, else a message.
fn words_for(
    replica: &Replica,
    ctx: &RenderContext<'_>,
    thread: &Thread,
    newest: Option<&Item>,
) -> tidings_replica::Result<Option<Reply>> {
    let question = newest.and_then(|item| item.notification.content.question.as_ref());
    if let Some(question) = question.filter(|question| !question.is_closed()) {
        return Ok(question.text.then_some(Reply::Answer));
    }
    let is_writable = takes_messages(ctx, thread) && !is_closed(replica, thread)?;
    Ok(is_writable.then_some(Reply::Message))
}

/// The answers that a toast offers to a question that is open: the first few, as daemons show few buttons.
fn open_answers(item: &Item) -> Vec<Choice> {
    let question = item.notification.content.question.as_ref().filter(|question| !question.is_closed());
    question
        .map(|question| question.answers.iter().take(MAX_ITEM_BUTTONS).cloned().collect())
        .unwrap_or_default()
}

/// The label of a toast's button; one that sends a request names the host.
fn label(table: &Strings, view: &ActionView) -> String {
    if view.opens { view.label.clone() } else { (table.toast_calls)(&view.label, &view.host) }
}

/// A toast without title and body, with the buttons that every toast has.
pub(crate) fn base_toast(lang: Lang, key: ToastKey, urgency: Urgency, sound: Sound) -> Toast {
    let table = strings(lang);
    let marks = matches!(key, ToastKey::Thread(_));
    Toast {
        key,
        serial: 0,
        title: String::new(),
        body: String::new(),
        urgency,
        open: table.toast_open.to_owned(),
        read: marks.then(|| table.toast_read.to_owned()),
        archive: marks.then(|| table.toast_archive.to_owned()),
        actions: Vec::new(),
        reply: None,
        sound,
    }
}
