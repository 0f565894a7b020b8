//! Tests that the completions of a rule's field stay with it in a low window, inside of the dialog.

use serde_json::json;
use support::{
    app,
    desktop::Desktop,
    page::{Page, keys},
    wait,
};

use crate::tour::resize;

/// Where the completions are: their distance to the field, and whether they are wholly in the dialog, which is in the
/// window. It also says whether they are seen, and whether the form would scroll sideways.
const PLACE: &str = "const box = css => document.querySelector(css)?.getBoundingClientRect();
    const [dialog, field, list] = ['.dialog', '[data-condition=target] input', '.people-list'].map(box);
    if (!list) return null;
    const isIn = (a, b) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
    const form = document.querySelector('.dialog .form');
    const over = document.elementFromPoint((list.left + list.right) / 2, (list.top + list.bottom) / 2);
    return {
      below: Math.round(list.top - field.bottom),
      beside: Math.round(list.left - field.left),
      inside: isIn(list, dialog) && isIn(dialog, new DOMRect(0, 0, innerWidth, innerHeight)),
      seen: over?.closest('.people-list') != null,
      sideways: form.scrollWidth > form.clientWidth,
    }";

async fn stay_with_their_field(page: &Page<'_>) {
    let place = json!({"below": 4, "beside": 0, "inside": true, "seen": true, "sideways": false});
    wait::until_equal("the place of the completions", place, || page.script(PLACE)).await;
}

#[tokio::test]
async fn completions_of_a_rule_stay_with_their_field_while_it_scrolls_and_enter_takes_one() {
    let desktop = Desktop::start();
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for topic in ["nas-01", "nas-02"] {
        server.publish(topic, &format!("Disk of {topic} full"), &[]).await;
        page.wait_for_row(&format!("Disk of {topic} full")).await;
    }
    page.open_section("Notifications", "rules").await;
    page.click("[data-add-rule]").await;
    page.wait_for(".dialog :focus").await;
    for part in ["target", "action", "tags", "kind", "priorities"] {
        page.click(&format!(".dialog [data-part={part}]")).await;
        page.wait_for(&format!("[data-condition={part}] :focus")).await;
    }
    // With these fields the form is longer than a low window.
    resize(&desktop, &page, 600, 500).await;
    page.click("[data-condition=target] input").await;
    page.script("document.activeElement.scrollIntoView({ block: 'center' }); return null").await;
    page.type_text("nas").await;
    wait::until_equal("completions", 2, || async { page.find_all(".people-list [role=option]").await.len() })
        .await;
    stay_with_their_field(&page).await;

    let top = "return Math.round(document.querySelector('[data-condition=target] input').getBoundingClientRect().top)";
    let before = page.script(top).await.as_i64().expect("the field has a place");
    page.script("document.querySelector('.dialog .form').scrollTop += 60; return null").await;
    wait::until_equal("the place of the field", json!(before - 60), || page.script(top)).await;
    stay_with_their_field(&page).await;

    page.press_keys([keys::ENTER]).await;
    let taken = "return [
        document.querySelector('[data-condition=target] input:focus')?.value,
        ...['.people-list', '.dialog', '.field-error'].map(css => document.querySelectorAll(css).length)]";
    // The latest topic is the first. The form was not sent.
    wait::until_equal("what Enter takes", json!(["topic:nas-02", 0, 1, 0]), || page.script(taken)).await;
    page.close().await;
}
