//! Tests that every view can be read at a zoom of 200 %, which leaves a page half of the window's width and height.

use serde_json::{Value, json};
use support::page::Page;

use crate::tour::{ENGLISH, every_view_at};

/// What the page has of a window of 1280 x 1000 pixels; that a zoom leaves so much is tested with the zoom itself.
const AT_200_PERCENT: (u32, u32) = (640, 500);

/// The texts that end at an edge without an ellipsis, and that no scrolling brings into view.
async fn cut_texts(page: &Page<'_>) -> Value {
    page.script(
        "const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), cut = [];
         const isOver = (box, left, right) => box.left < left - 2 || box.right > right + 2;
         while (texts.nextNode()) {
           const text = texts.currentNode, words = document.createRange();
           let one = text.parentElement;
           if (one.closest('.sr-only, svg, script, style') !== null) continue;
           if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
           words.selectNodeContents(text);
           const box = words.getBoundingClientRect();
           if (box.width === 0) continue;
           let isCut = false, isReached = false;
           for (; one !== document.body && !isReached; one = one.parentElement) {
             const { overflowX, textOverflow } = getComputedStyle(one), edges = one.getBoundingClientRect();
             isReached = textOverflow === 'ellipsis' || overflowX === 'auto' || overflowX === 'scroll';
             if (!isReached && overflowX !== 'visible') isCut ||= isOver(box, edges.left, edges.right);
           }
           if (isCut || (!isReached && isOver(box, 0, innerWidth))) cut.push(text.data.trim().slice(0, 80));
         }
         return cut.filter(text => text !== '')",
    )
    .await
}

/// Whether a text that is cut would be noticed.
async fn would_be_noticed(page: &Page<'_>) -> bool {
    page.script(
        "const box = document.createElement('div');
         box.id = 'cut';
         box.style.cssText = 'position:fixed;inset:0 auto auto 0;width:40px;overflow:clip;white-space:nowrap';
         box.textContent = 'A text that is wider than its box';
         document.body.append(box)",
    )
    .await;
    let found = cut_texts(page).await;
    page.script("document.getElementById('cut').remove()").await;
    found == json!(["A text that is wider than its box"])
}

#[tokio::test]
async fn no_text_is_cut_in_any_view_at_a_zoom_of_200_percent() {
    every_view_at(&ENGLISH, AT_200_PERCENT, async |page: &Page<'_>, view: &str| {
        assert_eq!(cut_texts(page).await, json!([]), "these texts are cut in {view}");
        assert!(view != "inbox" || would_be_noticed(page).await);
    })
    .await;
}
