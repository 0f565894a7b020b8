//! Visits every view of the window with a sample inbox, in either language, and calls an inspection for each.

use std::path::Path;

use serde_json::json;
use support::{
    app,
    desktop::{Desktop, DesktopOptions},
    page::{Page, keys},
    wait,
};

use crate::sample_inbox::SampleInbox;

/// A language: the tag in names of screenshots, the desktop's locale, and the texts that the tour clicks.
pub(crate) struct Locale {
    pub(crate) tag: &'static str,
    posix: &'static str,
    compact: &'static str,
    comfortable: &'static str,
    pub(crate) article: &'static str,
    pub(crate) crew: &'static str,
    query: &'static str,
    digest: &'static str,
    /// The body of the notification that is snoozed, and what its row says once it is back.
    door: &'static str,
    woken: &'static str,
    /// Commands of the palette.
    mute: &'static str,
    pause: &'static str,
    make_rule: &'static str,
    /// The title of the dialog that imports sources.
    pub(crate) import: &'static str,
}

pub(crate) const ENGLISH: Locale = Locale {
    tag: "en",
    posix: "en_GB.UTF-8",
    compact: "Density: Compact",
    comfortable: "Density: Comfortable",
    article: "Rust in 2026",
    crew: "Release crew",
    query: "pull",
    digest: "Digest since: a week ago",
    door: "Someone is at the door",
    woken: "Snoozed until",
    mute: "Mute for an hour",
    pause: "Pause toasts for an hour",
    make_rule: "Create a rule from this thread",
    import: "Import sources",
};

pub(crate) const CHINESE: Locale = Locale {
    tag: "zh",
    posix: "zh_CN.UTF-8",
    compact: "密度：紧凑",
    comfortable: "密度：宽松",
    article: "2026 年的 Rust",
    crew: "发布小组",
    query: "同步",
    digest: "摘要，始于：一周前",
    door: "有人在门口",
    woken: "已推迟到",
    mute: "静音一小时",
    pause: "暂停弹窗一小时",
    make_rule: "用此会话创建规则",
    import: "导入来源",
};

/// The sizes of the window in which all views are visited for screenshots, each with what follows the name of a view.
const SIZES: [(&str, u32, u32); 3] = [("", 1280, 800), ("-small", 600, 500), ("-large", 2480, 1400)];

/// The themes of the page.
pub(crate) const THEMES: [&str; 2] = ["light", "dark"];

/// Sets the theme without a command, so that open menus and dialogs stay open.
pub(crate) async fn set_theme(page: &Page<'_>, theme: &str) {
    page.script(&format!("document.documentElement.dataset.theme = {}", json!(theme))).await;
}

/// A desktop with a keyring and room for the largest window.
fn roomy_desktop(locale: &Locale) -> Desktop {
    Desktop::with_options(DesktopOptions {
        locale: locale.posix,
        keyring: true,
        size: "2600x1520",
        ..DesktopOptions::default()
    })
}

/// Calls `inspect` for the window on the first start.
pub(crate) async fn first_run(locale: &Locale, inspect: impl AsyncFn(&Page<'_>, &str)) {
    at_first_start(locale, async |_: &Desktop, page: &Page<'_>| inspect(page, "first-run").await).await;
}

/// Calls `inspect` for the window on the first start in every size, with the view's name and that of the size.
pub(crate) async fn first_run_in_every_size(locale: &Locale, inspect: impl AsyncFn(&Page<'_>, &str)) {
    at_first_start(locale, async |desktop: &Desktop, page: &Page<'_>| {
        for (size, width, height) in SIZES {
            resize(desktop, page, width, height).await;
            inspect(page, &format!("first-run{size}")).await;
        }
    })
    .await;
}

/// Opens the window for the first time and calls `visit` with it.
pub(crate) async fn at_first_start(locale: &Locale, visit: impl AsyncFn(&Desktop, &Page<'_>)) {
    let desktop = roomy_desktop(locale);
    let page = Page::open(&desktop).await;
    // It is there once the own server runs.
    page.wait_for("[data-first-test]").await;
    dismiss_notices(&page).await;
    visit(&desktop, &page).await;
    page.close().await;
}

/// Opens the window over a sample inbox and calls `visit` with it.
pub(crate) async fn with_sample_inbox(locale: &Locale, visit: impl AsyncFn(&Desktop, &Page<'_>)) {
    with_prepared_inbox(locale, async |_: &Path| (), visit).await;
}

/// [`with_sample_inbox`], after `prepare` has changed its data folder.
pub(crate) async fn with_prepared_inbox(
    locale: &Locale,
    prepare: impl AsyncFn(&Path),
    visit: impl AsyncFn(&Desktop, &Page<'_>),
) {
    let visit = async |desktop: &Desktop, page: &Page<'_>, _: SampleInbox| visit(desktop, page).await;
    with_inbox_of_team(locale, prepare, visit).await;
}

/// [`with_prepared_inbox`] for a visit that lets the team do something.
async fn with_inbox_of_team(
    locale: &Locale,
    prepare: impl AsyncFn(&Path),
    visit: impl AsyncFn(&Desktop, &Page<'_>, SampleInbox),
) {
    let desktop = roomy_desktop(locale);
    let team = desktop.path().join("team");
    let sample = SampleInbox::fill(&desktop.data_dir(), &team, locale.tag == "zh").await;
    prepare(&desktop.data_dir()).await;
    let page = Page::open(&desktop).await;
    page.wait_for_row(locale.article).await;
    page.wait_for_row(locale.crew).await;
    dismiss_notices(&page).await;
    visit(&desktop, &page, sample).await;
    page.close().await;
}

/// Calls `inspect` in every view of a sample inbox, with the view's name.
pub(crate) async fn every_view(locale: &Locale, inspect: impl AsyncFn(&Page<'_>, &str)) {
    let visit = async |desktop: &Desktop, page: &Page<'_>, team: SampleInbox| {
        views(page, locale, &inspect).await;
        other_sizes(desktop, page, locale, &inspect).await;
        last_views(desktop, page, team, locale, &SIZES[..1], &inspect).await;
    };
    with_inbox_of_team(locale, async |_: &Path| (), visit).await;
}

/// Calls `inspect` in the views of a sample inbox in a window of this size, with the view's name.
pub(crate) async fn every_view_at(
    locale: &Locale,
    (width, height): (u32, u32),
    inspect: impl AsyncFn(&Page<'_>, &str),
) {
    with_sample_inbox(locale, async |desktop: &Desktop, page: &Page<'_>| {
        resize(desktop, page, width, height).await;
        views(page, locale, &inspect).await;
    })
    .await;
}

/// Calls `inspect` in every view of a sample inbox in every size, with the view's name and that of the size.
pub(crate) async fn every_view_in_every_size(locale: &Locale, inspect: impl AsyncFn(&Page<'_>, &str)) {
    let visit = async |desktop: &Desktop, page: &Page<'_>, team: SampleInbox| {
        for (size, width, height) in SIZES {
            resize(desktop, page, width, height).await;
            views(page, locale, &async |page: &Page<'_>, view: &str| {
                inspect(page, &format!("{view}{size}")).await;
            })
            .await;
        }
        other_sizes(desktop, page, locale, &inspect).await;
        last_views(desktop, page, team, locale, &SIZES, &inspect).await;
    };
    with_inbox_of_team(locale, async |_: &Path| (), visit).await;
}

/// The views of the window in the size that it has. They begin and end with the list of the inbox.
async fn views(page: &Page<'_>, locale: &Locale, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    thread_views(page, locale, inspect).await;
    conversation_views(page, locale, inspect).await;
    search_views(page, locale, inspect).await;
    palette_and_bulk_views(page, inspect).await;
    digest_and_item_views(page, locale, inspect).await;
    settings_pages(page, inspect).await;
    dialog_views(page, inspect).await;
}

/// Returns from a thread to the list in a window with one pane.
pub(crate) async fn show_list(page: &Page<'_>) {
    wait::until("the list", || async {
        let shown = "return document.querySelector('.list')?.checkVisibility() ?? false";
        if page.script(shown).await == json!(true) {
            return Some(());
        }
        page.press_keys([keys::ESCAPE]).await;
        None
    })
    .await;
}

/// The inbox with a thread, in both densities, and the thread's notify settings.
async fn thread_views(page: &Page<'_>, locale: &Locale, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    show_list(page).await;
    page.click_row(locale.article).await;
    page.wait_for(".reading-pane :is(.hl-keyword, .earlier)").await;
    inspect(page, "inbox").await;

    page.run_command(locale.compact).await;
    page.wait_for("[data-density=compact]").await;
    inspect(page, "inbox-compact").await;
    page.run_command(locale.comfortable).await;
    page.wait_for("[data-density=comfortable]").await;

    page.click(".reading-pane .pane-head [aria-haspopup=menu]:last-child").await;
    page.click("[data-notify-option=level]").await;
    page.wait_for("[role=menuitemradio]").await;
    inspect(page, "notify-settings").await;
    page.press_keys([keys::ESCAPE]).await;
}

/// A group: its messages, a message's receipts, its members.
async fn conversation_views(page: &Page<'_>, locale: &Locale, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    show_list(page).await;
    page.click_row(locale.crew).await;
    page.wait_for(".conversation").await;
    inspect(page, "conversation").await;
    // The last message has readers who did not answer it.
    let receipts = "return [...document.querySelectorAll('[data-receipt]')].at(-1)?.dataset.receipt ?? ''";
    let last = page.script(receipts).await;
    let receipt = format!("[data-receipt='{}']", last.as_str().unwrap_or_default());
    for (button, list, view) in [
        (receipt.as_str(), ".popover time", "conversation-readers"),
        ("[data-members]", ".popover li", "conversation-members"),
    ] {
        page.click(button).await;
        page.wait_for(list).await;
        inspect(page, view).await;
        page.press_keys([keys::ESCAPE]).await;
        page.wait_for("body:not(:has(.popover))").await;
    }
    new_conversation_views(page, inspect).await;
}

/// The form of a new conversation: two members, and suggestions for a third.
async fn new_conversation_views(page: &Page<'_>, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.press_keys([keys::ESCAPE]).await;
    // In the pane of a conversation a letter is text.
    page.wait_for(".list [role=listbox]:focus").await;
    page.type_text("c").await;
    page.wait_for(".people-field input:focus").await;
    page.type_text("ana,bo,").await;
    page.wait_for(".compose-name").await;
    page.type_text("c").await;
    page.wait_for(".people-list").await;
    inspect(page, "conversation-new").await;
    page.press_keys([keys::ESCAPE, keys::BACKSPACE, keys::BACKSPACE, keys::BACKSPACE, keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.dialog))").await;
}

/// The results of a search with one of them open, and the form that saves the search.
async fn search_views(page: &Page<'_>, locale: &Locale, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.press_keys([keys::ESCAPE]).await;
    page.type_text("/").await;
    page.type_text(locale.query).await;
    page.wait_for("[role=option] mark").await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for(".reading-pane mark").await;
    show_list(page).await;
    inspect(page, "search").await;

    page.click(".search-status button").await;
    page.wait_for(".popover input").await;
    inspect(page, "search-kept").await;
    page.press_keys([keys::ESCAPE]).await;
    page.type_quickly("gi").await;
    page.wait_for_row(locale.article).await;
}

/// The palette, and several selected threads.
async fn palette_and_bulk_views(page: &Page<'_>, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.press_chord(keys::CONTROL, 'k').await;
    page.wait_for(".palette input:focus").await;
    page.type_text("re").await;
    inspect(page, "palette").await;
    page.press_keys([keys::ESCAPE]).await;

    page.type_text("jx").await;
    for _ in 0..2 {
        page.press_chord(keys::SHIFT, 'J').await;
    }
    page.type_text("h").await;
    page.wait_for(".snooze [role=option]").await;
    inspect(page, "selection").await;
    page.click("[data-calendar]").await;
    page.wait_for("[role=grid]").await;
    inspect(page, "calendar").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.popover))").await;
    page.press_keys([keys::ESCAPE]).await;
}

/// The digest of the last week, and the menu of a single item.
async fn digest_and_item_views(page: &Page<'_>, locale: &Locale, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.run_command(locale.digest).await;
    page.wait_for("[data-digest-thread]").await;
    inspect(page, "digest").await;
    page.press_keys([keys::ESCAPE]).await;
    page.type_quickly("gi").await;
    show_list(page).await;
    page.click_row(locale.article).await;
    page.wait_for(".reading-pane :is(.hl-keyword, .earlier)").await;
    // The button is there while the focus is in its item. In a low window the line of earlier items comes first.
    for _ in 0..2 {
        page.press_chord(keys::CONTROL, keys::DOWN).await;
    }
    page.wait_for("[data-item-msgid]:focus").await;
    page.script("document.activeElement.querySelector('[data-item-menu]').focus()").await;
    page.press_keys([keys::ENTER]).await;
    page.wait_for("[role=menu]").await;
    inspect(page, "item-menu").await;
    page.press_keys([keys::ESCAPE]).await;
}

/// Closes the banners about what this machine lacks.
async fn dismiss_notices(page: &Page<'_>) {
    page.script("document.querySelectorAll('[data-notice] .icon-btn').forEach(close => close.click())").await;
}

/// For pages of the settings, by a selector each: an element that is there once the program has answered the page,
/// closed and open.
const TOLD: [(&str, &[&str], &[&str]); 5] = [
    (
        "notifications",
        &[],
        &[
            "[data-testid=quiet-now]",
            "[data-section=rules] :is(ol, .box-row + .box-row)",
            "[data-section=noise] .box",
        ],
    ),
    ("computer", &["[data-others]"], &["[data-section=publish] .box", "[data-add-topic]"]),
    ("keyboard", &["[data-testid=global-shortcut]"], &[]),
    ("storage", &["[data-export]"], &[]),
    ("about", &[".is-about ~ .box-row .btn"], &["[data-first-test]"]),
];

/// Calls `inspect` for each page of the settings, as it begins and with all of its sections open.
pub(crate) async fn settings_pages(page: &Page<'_>, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.press_chord(keys::CONTROL, ',').await;
    let names = "return [...document.querySelectorAll('[data-settings]')].map(one => one.dataset.settings)";
    let tabs = wait::until("the settings", || async {
        let tabs = page.script(names).await.as_array().cloned().unwrap_or_default();
        (!tabs.is_empty()).then_some(tabs)
    })
    .await;
    for tab in tabs {
        let tab = tab.as_str().unwrap();
        page.click(&format!("[data-settings={tab}]")).await;
        let (closed, opened) = TOLD
            .iter()
            .find_map(|(name, closed, opened)| (*name == tab).then_some((*closed, *opened)))
            .unwrap_or_default();
        for part in closed {
            page.wait_for(part).await;
        }
        inspect(page, &format!("settings-{tab}")).await;
        let open = "const closed = [...document.querySelectorAll('[data-section] h2 [aria-expanded=false]')];
                    closed.forEach(head => head.click());
                    return closed.length";
        if page.script(open).await != json!(0) {
            for part in opened {
                page.wait_for(part).await;
            }
            // In a low window the sections would be below its edge.
            page.script("if (innerHeight < 600) document.querySelector('[data-section]').scrollIntoView()")
                .await;
            inspect(page, &format!("settings-{tab}-open")).await;
        }
    }
    page.press_keys([keys::ESCAPE]).await;
    page.type_quickly("gi").await;
}

/// Dialogs of the settings: the name of the view, the page and its section, and what opens the dialog.
const DIALOGS: [(&str, &str, &str, &str); 4] = [
    ("rule-new", "notifications", "rules", "[data-add-rule]"),
    ("topic-new", "computer", "topics", "[data-add-topic]"),
    ("token-new", "computer", "tokens", "[data-make-token]"),
    ("person-new", "computer", "people", "[data-add-user]"),
];

/// The list of keys, and dialogs of the settings.
async fn dialog_views(page: &Page<'_>, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.type_text("?").await;
    dialog_view(page, "keys", inspect).await;
    page.press_chord(keys::CONTROL, ',').await;
    for (view, tab, section, opener) in DIALOGS {
        page.click(&format!("[data-settings={tab}]")).await;
        // By a script, as the page may still move below the pointer.
        let head = format!("[data-section={section}] h2 [aria-expanded=false]");
        page.wait_for(&head).await;
        page.script(&format!("document.querySelector('{head}').click()")).await;
        page.click(opener).await;
        dialog_view(page, view, inspect).await;
    }
    page.click("[data-settings=sources]").await;
    // The last one is the server of this computer, which has no address to edit.
    page.click(".source:first-child [data-source-menu]").await;
    page.click("[role=menu] [data-line=edit]").await;
    dialog_view(page, "sources-edit", inspect).await;
    page.press_keys([keys::ESCAPE]).await;
    page.type_quickly("gi").await;
}

/// Calls `inspect` for the dialog that has just been opened, and closes it.
async fn dialog_view(page: &Page<'_>, view: &str, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    page.wait_for(".dialog :focus").await;
    inspect(page, view).await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has(.dialog))").await;
}

/// The views after which the inbox is another one, in these sizes.
async fn last_views(
    desktop: &Desktop,
    page: &Page<'_>,
    team: SampleInbox,
    locale: &Locale,
    sizes: &[(&str, u32, u32)],
    inspect: &impl AsyncFn(&Page<'_>, &str),
) {
    snooze_ends(desktop, page, locale).await;
    group_changes(page, &team, locale).await;
    quiet_begins(page, locale).await;
    for (size, width, height) in sizes {
        resize(desktop, page, *width, *height).await;
        let inspect = async |page: &Page<'_>, view: &str| inspect(page, &format!("{view}{size}")).await;
        changed_views(page, locale, &inspect).await;
    }
    quiet_ends(page).await;
    done_views(desktop, page, locale, sizes, inspect).await;
    offline_views(desktop, page, team, sizes, inspect).await;
}

/// Lets a thread come back from a snooze.
async fn snooze_ends(desktop: &Desktop, page: &Page<'_>, locale: &Locale) {
    let (data, door) = (desktop.data_dir(), locale.door);
    let snooze = move || {
        let items = app::tidings_json(&data, &["list", "--limit", "1000"]);
        let mut items = items.as_array().into_iter().flatten();
        let item = items.find(|item| item.to_string().contains(door)).expect("it was published");
        app::tidings(&data, &["snooze", item["msgid"].as_str().unwrap(), "--until", "5s"]);
    };
    // The team's server runs in this thread.
    tokio::task::spawn_blocking(snooze).await.expect("it is snoozed");
    page.wait_for_row(locale.woken).await;
}

/// Lets a member join and leave the group, which is renamed.
async fn group_changes(page: &Page<'_>, team: &SampleInbox, locale: &Locale) {
    show_list(page).await;
    page.click_row(locale.crew).await;
    page.wait_for(".conversation").await;
    team.change_group(locale.tag == "zh", async |count: usize| {
        wait::until_equal("lines about the group", count, || async {
            page.find_all("[data-group-line]").await.len()
        })
        .await;
    })
    .await;
}

/// Mutes a thread and pauses toasts, both for an hour.
async fn quiet_begins(page: &Page<'_>, locale: &Locale) {
    show_list(page).await;
    page.click_row(locale.article).await;
    page.run_command(locale.mute).await;
    page.run_command(locale.pause).await;
    page.wait_for("[data-testid=silence]").await;
    dismiss_snackbar(page).await;
}

/// The list with a row that came back and a muted one while toasts are paused, and what changed in a group. After them
/// come the spans of mutes, a rule that begins as a thread is, and what is quiet now. They begin and end with the list of
/// the inbox.
async fn changed_views(page: &Page<'_>, locale: &Locale, inspect: &impl AsyncFn(&Page<'_>, &str)) {
    show_list(page).await;
    inspect(page, "quiet").await;
    page.click_row(locale.crew).await;
    page.wait_for("[data-group-line]").await;
    inspect(page, "conversation-changed").await;

    show_list(page).await;
    page.click_row(locale.article).await;
    page.wait_for(".reading-pane :is(.hl-keyword, .earlier)").await;
    page.click(".reading-pane .pane-head [aria-haspopup=menu]:last-child").await;
    page.click("[role=menu] [data-line=mute]").await;
    page.wait_for("[role=menu] [data-line=hour]").await;
    inspect(page, "mute-menu").await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for("body:not(:has([role=menu]))").await;
    page.run_command(locale.make_rule).await;
    dialog_view(page, "rule-from-thread", inspect).await;

    show_causes(page).await;
    inspect(page, "quiet-now").await;
    page.press_keys([keys::ESCAPE]).await;
    page.type_quickly("gi").await;
    page.wait_for_row(locale.article).await;
}

/// Opens the list of what is quiet now.
async fn show_causes(page: &Page<'_>) {
    page.press_chord(keys::CONTROL, ',').await;
    page.click("[data-settings=notifications]").await;
    page.click("[data-section=quiet-hours] button").await;
    page.wait_for("[data-testid=quiet-now] li:nth-child(2) button").await;
    page.script("document.querySelector('[data-testid=quiet-now]').scrollIntoView({ block: 'nearest' })")
        .await;
}

/// Ends all that is quiet.
async fn quiet_ends(page: &Page<'_>) {
    show_causes(page).await;
    wait::until("nothing to be quiet", || async {
        let end = "const end = document.querySelector('[data-testid=quiet-now] li button');
                   end?.click();
                   return end === null";
        page.script(end).await == json!(true)
    })
    .await;
    page.press_keys([keys::ESCAPE]).await;
    page.type_quickly("gi").await;
    dismiss_snackbar(page).await;
}

async fn dismiss_snackbar(page: &Page<'_>) {
    page.script("document.querySelector('.snackbar .icon-btn')?.click()").await;
}

/// The inbox after all of it was archived, with the number of today, and the place of what is done.
async fn done_views(
    desktop: &Desktop,
    page: &Page<'_>,
    locale: &Locale,
    sizes: &[(&str, u32, u32)],
    inspect: &impl AsyncFn(&Page<'_>, &str),
) {
    page.wait_for_row(locale.article).await;
    page.press_chord(keys::CONTROL, 'a').await;
    page.type_text("e").await;
    wait::until("the number of today", || async {
        let empty = page.script("return document.querySelector('.list .empty')?.innerText ?? ''").await;
        empty.as_str().is_some_and(|text| text.contains(|letter: char| letter.is_ascii_digit()))
    })
    .await;
    dismiss_snackbar(page).await;
    for (size, width, height) in sizes {
        resize(desktop, page, *width, *height).await;
        page.type_quickly("gi").await;
        page.wait_for(".list .empty").await;
        inspect(page, &format!("inbox-empty{size}")).await;
        page.type_quickly("gd").await;
        page.wait_for_row(locale.article).await;
        inspect(page, &format!("done{size}")).await;
    }
}

/// What is done while no source can be reached, with a thread that was brought back and the way to undo that.
async fn offline_views(
    desktop: &Desktop,
    page: &Page<'_>,
    team: SampleInbox,
    sizes: &[(&str, u32, u32)],
    inspect: &impl AsyncFn(&Page<'_>, &str),
) {
    page.press_chord(keys::CONTROL, ',').await;
    page.click("[data-settings=sources]").await;
    // The last one is the server of this computer, which is always there unless it is paused.
    page.wait_for("[data-source-menu]").await;
    page.script("[...document.querySelectorAll('[data-source-menu]')].at(-1).click()").await;
    page.click("[role=menu] [data-line=pause]").await;
    team.stop().await;
    page.wait_for("[data-testid=offline]").await;
    page.press_keys([keys::ESCAPE]).await;
    for (size, width, height) in sizes {
        resize(desktop, page, *width, *height).await;
        page.type_quickly("gd").await;
        wait::until("what is done", || async { !page.rows().await.is_empty() }).await;
        page.type_quickly("je").await;
        page.wait_for("[data-testid=snackbar] .btn").await;
        inspect(page, &format!("offline{size}")).await;
    }
}

/// The window at widths with the places as a rail and with a single pane, small and large, in both densities.
async fn other_sizes(
    desktop: &Desktop,
    page: &Page<'_>,
    locale: &Locale,
    inspect: &impl AsyncFn(&Page<'_>, &str),
) {
    let sizes = [
        ("rail", 900, 700),
        ("narrow", 500, 700),
        ("small", 600, 500),
        ("large", 2480, 1400),
        ("", 1280, 800),
    ];
    for (name, width, height) in sizes {
        resize(desktop, page, width, height).await;
        if name.is_empty() {
            continue;
        }
        // In a window with one pane an open thread would take the place of the list.
        show_list(page).await;
        inspect(page, name).await;
        page.run_command(locale.compact).await;
        page.wait_for("[data-density=compact]").await;
        inspect(page, &format!("{name}-compact")).await;
        page.run_command(locale.comfortable).await;
        page.wait_for("[data-density=comfortable]").await;
    }
}

/// Gives the window a size, in pixels.
pub(crate) async fn resize(desktop: &Desktop, page: &Page<'_>, width: u32, height: u32) {
    let ids = desktop.run("xdotool", &["search", "--onlyvisible", "--class", "tidings"]);
    let id = ids.lines().next().unwrap();
    desktop.run("xdotool", &["windowsize", id, &width.to_string(), &height.to_string()]);
    wait::until("the window's size", || async { page.script("return innerWidth").await == json!(width) })
        .await;
}
