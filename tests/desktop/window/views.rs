//! Tests that no view in any theme violates the content security policy, that axe finds nothing, and that nothing is
//! covered, cut or out of line.

use std::{cell::RefCell, collections::BTreeSet, fs};

use serde_json::{Value, json};
use support::{
    desktop::Desktop,
    page::{Page, keys},
    program::root,
    wait,
};

use crate::source_tour::every_source_view;
use crate::tour::{
    CHINESE, ENGLISH, Locale, at_first_start, every_view, first_run, resize, set_theme, show_list,
    with_sample_inbox,
};

/// A script that makes the page record violations of its content security policy.
const RECORD_VIOLATIONS: &str = "if (!window.refused) {
    window.refused = [];
    document.addEventListener('securitypolicyviolation', one =>
      window.refused.push(`${one.effectiveDirective} ${one.blockedURI} ${one.sourceFile}:${one.lineNumber}`));
  }";

/// The violations since the last call.
async fn csp_violations(page: &Page<'_>) -> Value {
    page.script(&format!("{RECORD_VIOLATIONS} return window.refused.splice(0)")).await
}

/// Options of axe with all of its rules.
const ALL_RULES: &str = "{}";
/// Options of axe with the rules that ask for colours; the answers of the others are the same in each theme.
const RULES_OF_COLOURS: &str =
    "{ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }";
/// Options of axe without those rules. A language changes fonts alone.
const OTHER_RULES: &str =
    "{ rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } } }";

/// The themes in which a view is looked at, each with the options of axe.
const LOOKS_IN_ENGLISH: [(&str, &str); 2] = [("light", ALL_RULES), ("dark", RULES_OF_COLOURS)];
const LOOKS_IN_CHINESE: [(&str, &str); 1] = [("light", OTHER_RULES)];
/// The looks at a view that was seen in another size or density: its colours in the dark are known from there.
const LOOKS_IN_OTHER_SIZES: [(&str, &str); 1] = [("light", ALL_RULES)];

/// What the styles of languages set besides fonts.
async fn what_a_language_changes(page: &Page<'_>) -> Value {
    page.script(
        "const all = (rules) => [...rules].flatMap((rule) => [rule, ...all(rule.cssRules ?? [])]);
         const ofLanguages = [...document.styleSheets]
           .flatMap((sheet) => all(sheet.cssRules))
           .filter((rule) => /:lang|\\[lang/.test(rule.selectorText ?? ''));
         if (ofLanguages.length === 0) return 'no style of a language was found';
         return ofLanguages.flatMap((rule) => [...rule.style]).filter((name) => !/^(--font|--t-)/.test(name));",
    )
    .await
}

/// The violations that axe finds on the current page with these options.
async fn axe_violations(page: &Page<'_>, options: &str) -> Value {
    if page.script("return typeof window.axe").await == json!("undefined") {
        let axe = root().join("ui/node_modules/axe-core/axe.min.js");
        page.script(&fs::read_to_string(axe).expect("the page's parts are installed")).await;
    }
    // With `preload` axe would fetch the style sheets, which the policy refuses.
    let script = format!(
        "window.faults = null;
         const said = one => `${{one.id}}: ${{one.nodes.map(node => node.html.slice(0, 160)).join(' | ')}}`;
         axe.run(document, {{ preload: false, resultTypes: ['violations'], ...{options} }}).then(
           ({{ violations }}) => {{ window.faults = violations.map(said); }},
           error => {{ window.faults = [`axe: ${{error}}`]; }},
         )"
    );
    page.script(&script).await;
    wait::until("axe", || async {
        let faults = page.script("return window.faults").await;
        faults.is_array().then_some(faults)
    })
    .await
}

/// The labels that lie under or over their own field.
async fn covered_labels(page: &Page<'_>) -> Value {
    page.script(
        "const apart = (a, b) =>
           a.right <= b.left + 1 || a.left >= b.right - 1 || a.bottom <= b.top + 1 || a.top >= b.bottom - 1;
         const isCovered = label => {
           const field = document.getElementById(label.htmlFor);
           if (field === null || label.closest('.sr-only') !== null) return false;
           const words = document.createRange();
           words.selectNodeContents(label);
           return [...words.getClientRects()].some(part => !apart(part, field.getBoundingClientRect()));
         };
         return [...document.querySelectorAll('label[for]')].filter(isCovered).map(label => label.textContent)",
    )
    .await
}

/// What is out of line: times of items that end at different edges, and a cut end of the silence. So are messages as wide
/// as a wide window, and a pane that scrolls under a dialog.
async fn out_of_line(page: &Page<'_>) -> Value {
    page.script(
        "const shown = css => [...document.querySelectorAll(css)].filter(one => one.checkVisibility());
         const box = one => one.getBoundingClientRect();
         const faults = [];
         const ends = shown('.sheet .item-head time').map(time => Math.round(box(time).right));
         if (new Set(ends).size > 1) faults.push(`the times of items end at ${ends}`);
         for (const one of shown('[data-testid=silence]'))
           if (one.scrollWidth > one.clientWidth) faults.push(`cut: ${one.innerText}`);
         for (const one of shown('.conversation, .composer'))
           if (box(one).width > 800) faults.push(`${one.className} is ${box(one).width} px wide`);
         if (document.querySelector('.scrim') !== null)
           for (const one of shown('.scroll'))
             if (getComputedStyle(one).overflowY !== 'hidden') faults.push(`scrolls: ${one.className}`);
         return faults",
    )
    .await
}

/// Whether the foot of the places shows until when toasts are held back. The lines of the text have to be in their own
/// box, that in its button, and that in the window.
async fn shows_end_of_silence(page: &Page<'_>) -> Value {
    page.script(
        "const button = document.querySelector('[data-testid=silence]'), text = button?.querySelector('span');
         if (!text || !/\\d\\d:\\d\\d/.test(text.textContent)) return 'no time is there';
         const lines = document.createRange();
         lines.selectNodeContents(text);
         const boxes = [lines, text, button].map(one => one.getBoundingClientRect());
         boxes.push({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
         const isWithin = (one, box) => one.left >= box.left - 2 && one.right <= box.right + 2
           && one.top >= box.top - 2 && one.bottom <= box.bottom + 2;
         return boxes[0].height > 8 && boxes.slice(1).every((box, at) => isWithin(boxes[at], box))",
    )
    .await
}

/// Waits until the last line of a pane that is scrolled to its end lies above the snackbar.
async fn last_line_is_clear(page: &Page<'_>, pane: &str, lines: &str) {
    page.wait_for(".snackbar").await;
    // With the focus inside, the snackbar stays. Only some rows of a list are in the document.
    let script = format!(
        "document.querySelector('.snackbar button')?.focus();
         const pane = document.querySelector({});
         pane.scrollTop = pane.scrollHeight;
         const last = [...pane.querySelectorAll({})].at(-1), bar = document.querySelector('.snackbar');
         if (!last || !bar || last.ariaPosInSet !== last.ariaSetSize) return null;
         return last.getBoundingClientRect().bottom <= bar.getBoundingClientRect().top",
        json!(pane),
        json!(lines)
    );
    wait::until_equal(&format!("the last line of {pane} above the snackbar"), json!(true), || {
        page.script(&script)
    })
    .await;
}

/// Sets the zoom to what it is, which a snackbar says.
async fn show_zoom(page: &Page<'_>) {
    page.press_chord(keys::CONTROL, '0').await;
}

/// Waits until no animation runs in three consecutive frames. The first frame after the end of an animation still shows
/// it under way.
async fn wait_until_still(page: &Page<'_>) {
    page.script(
        "window.still = 0;
         const count = () => {
           const moves = document.getAnimations().some(one => one.playState === 'running');
           window.still = moves ? 0 : window.still + 1;
           if (window.still < 3) requestAnimationFrame(count);
         };
         requestAnimationFrame(count)",
    )
    .await;
    wait::until_equal("three still pictures", json!(3), || page.script("return window.still")).await;
}

/// The views of a tour that were looked at.
struct Tour<'l> {
    locale: &'l Locale,
    /// Their names, without the size and the density.
    seen: RefCell<BTreeSet<String>>,
}

impl<'l> Tour<'l> {
    fn of(locale: &'l Locale) -> Self {
        Self { locale, seen: RefCell::default() }
    }

    /// How a view is to be looked at now.
    fn looks(&self, view: &str) -> &'static [(&'static str, &'static str)] {
        let name =
            ["-large", "-small", "-compact"].iter().find_map(|end| view.strip_suffix(end)).unwrap_or(view);
        let is_new = self.seen.borrow_mut().insert(name.to_owned());
        match self.locale.tag {
            "zh" => &LOOKS_IN_CHINESE,
            _ if is_new => &LOOKS_IN_ENGLISH,
            _ => &LOOKS_IN_OTHER_SIZES,
        }
    }

    async fn check_view(&self, page: &Page<'_>, view: &str) {
        assert_eq!(covered_labels(page).await, json!([]), "these labels can't be read in {view}");
        assert_eq!(out_of_line(page).await, json!([]), "this is out of line in {view}");
        for (theme, rules) in self.looks(view) {
            set_theme(page, theme).await;
            wait_until_still(page).await;
            assert_eq!(csp_violations(page).await, json!([]), "the policy refused this in {view}, {theme}");
            assert_eq!(axe_violations(page, rules).await, json!([]), "axe found this in {view}, {theme}");
            csp_violations(page).await;
        }
    }
}

async fn check_every_view(locale: &Locale) {
    let tour = Tour::of(locale);
    first_run(locale, async |page: &Page<'_>, view: &str| {
        assert_eq!(what_a_language_changes(page).await, json!([]), "a language changes fonts alone");
        tour.check_view(page, view).await;
    })
    .await;
    every_view(locale, async |page: &Page<'_>, view: &str| tour.check_view(page, view).await).await;
}

async fn check_every_source_view(locale: &Locale) {
    let tour = Tour::of(locale);
    every_source_view(locale, async |page: &Page<'_>, view: &str| tour.check_view(page, view).await).await;
}

#[tokio::test]
async fn every_view_in_english_keeps_the_policy_and_axe_finds_nothing() {
    check_every_view(&ENGLISH).await;
}

#[tokio::test]
async fn every_view_in_chinese_keeps_the_policy_and_axe_finds_nothing() {
    check_every_view(&CHINESE).await;
}

#[tokio::test]
async fn every_view_of_sources_keeps_the_policy_and_axe_finds_nothing() {
    check_every_source_view(&ENGLISH).await;
}

#[tokio::test]
async fn every_view_of_sources_in_chinese_keeps_the_policy_and_axe_finds_nothing() {
    check_every_source_view(&CHINESE).await;
}

#[tokio::test]
async fn in_a_wide_window_and_in_a_small_one_nothing_is_out_of_line_or_under_the_snackbar() {
    with_sample_inbox(&ENGLISH, async |desktop: &Desktop, page: &Page<'_>| {
        page.run_command("Pause toasts for an hour").await;
        page.wait_for("[data-testid=silence]").await;
        for (width, height) in [(2480, 1400), (600, 500)] {
            resize(desktop, page, width, height).await;
            page.open_settings("General").await;
            show_zoom(page).await;
            last_line_is_clear(page, "main > .scroll", ".prefs > *").await;
            show_list(page).await;
            page.click_row(ENGLISH.article).await;
            wait::until("the times of several items", || async {
                page.find_all(".sheet .item-head time").await.len() > 1
            })
            .await;
            assert_eq!(out_of_line(page).await, json!([]), "in a thread, {width} px");
            page.type_text("p").await;
            last_line_is_clear(page, ".reading-pane .scroll", "[data-item-msgid]").await;
            page.type_text("?").await;
            page.wait_for(".scrim").await;
            assert_eq!(out_of_line(page).await, json!([]), "under a dialog, {width} px");
            page.press_keys([keys::ESCAPE]).await;
            page.wait_for("body:not(:has(.scrim))").await;
        }
        show_list(page).await;
        page.type_text("p").await;
        last_line_is_clear(page, ".list [role=listbox]", "[role=option]").await;

        resize(desktop, page, 2480, 1400).await;
        page.click_row(ENGLISH.crew).await;
        page.wait_for(".conversation .bubble").await;
        assert_eq!(out_of_line(page).await, json!([]), "in a conversation");
        page.type_text("p").await;
        last_line_is_clear(page, ".reading-pane .scroll", ".bubble").await;
    })
    .await;
}

#[tokio::test]
async fn a_rail_of_places_says_until_when_toasts_are_held_back() {
    for (locale, pause) in [(&ENGLISH, "Pause toasts for an hour"), (&CHINESE, "暂停弹窗一小时")] {
        at_first_start(locale, async |desktop: &Desktop, page: &Page<'_>| {
            page.run_command(pause).await;
            for width in [1280, 900] {
                resize(desktop, page, width, 700).await;
                wait::until_equal(&format!("the end of the pause at {width} px"), json!(true), || {
                    shows_end_of_silence(page)
                })
                .await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn on_the_first_page_no_line_is_under_the_snackbar() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    page.wait_for("[data-first-test]").await;
    resize(&desktop, &page, 600, 500).await;
    show_zoom(&page).await;
    last_line_is_clear(&page, ".scroll.is-welcome", ".welcome > *").await;
    page.close().await;
}

#[tokio::test]
async fn a_style_that_came_with_words_has_no_effect() {
    first_run(&ENGLISH, async |page: &Page<'_>, _: &str| {
        assert_eq!(csp_violations(page).await, json!([]));
        page.script(
            "const box = document.createElement('div');
             box.innerHTML = '<b style=\"position:fixed\">x</b><style>body{opacity:0}</style>';
             document.body.append(box)",
        )
        .await;
        let seen = "return [getComputedStyle(document.body.lastChild.firstChild).position, getComputedStyle(document.body).opacity]";
        assert_eq!(page.script(seen).await, json!(["static", "1"]));
        wait::until("the policy to tell", || async {
            csp_violations(page).await.to_string().contains("style-src")
        })
        .await;
    })
    .await;
}
