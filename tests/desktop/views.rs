//! What holds in every view of the real window: nothing asks for more than the content policy allows, and axe, which
//! has a layout and colours here, finds nothing in either theme. Refuses views that are only imagined.

use std::fs;

use serde_json::{Value, json};
use support::{page::Page, program::root, wait};

use crate::tour::{CHINESE, ENGLISH, THEMES, Tongue, every_view, first_run, wear};

/// Notes what the policy refuses.
const WATCH: &str = "if (!window.refused) {
    window.refused = [];
    document.addEventListener('securitypolicyviolation', one =>
      window.refused.push(`${one.effectiveDirective} ${one.blockedURI} ${one.sourceFile}:${one.lineNumber}`));
  }";

/// What was refused since the last look.
async fn refused(page: &Page<'_>) -> Value {
    page.script(&format!("{WATCH} return window.refused.splice(0)")).await
}

/// What axe has to say of the page as it stands.
async fn faults(page: &Page<'_>) -> Value {
    if page.script("return typeof window.axe").await == json!("undefined") {
        let axe = root().join("ui/node_modules/axe-core/axe.min.js");
        page.script(&fs::read_to_string(axe).expect("the page's parts are installed")).await;
    }
    // Its own look at the style sheets would ask for what the policy refuses.
    page.script(
        "window.faults = null;
         const said = one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 160)).join(' | ')}`;
         axe.run(document, { preload: false, resultTypes: ['violations'] }).then(
           ({ violations }) => { window.faults = violations.map(said); },
           error => { window.faults = [`axe: ${error}`]; },
         )",
    )
    .await;
    wait::until("axe", || async {
        let faults = page.script("return window.faults").await;
        faults.is_array().then_some(faults)
    })
    .await
}

/// What moves is looked at once it is there: nothing moved in three pictures on end. The first after the end of a
/// movement still shows it under way.
async fn settled(page: &Page<'_>) {
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

async fn look(page: &Page<'_>, view: &str) {
    for theme in THEMES {
        wear(page, theme).await;
        settled(page).await;
        assert_eq!(refused(page).await, json!([]), "the policy refused this in {view}, {theme}");
        assert_eq!(faults(page).await, json!([]), "axe found this in {view}, {theme}");
        refused(page).await;
    }
}

async fn every_view_holds(tongue: &Tongue) {
    first_run(tongue, async |page: &Page<'_>, view: &str| look(page, view).await).await;
    every_view(tongue, async |page: &Page<'_>, view: &str| look(page, view).await).await;
}

#[tokio::test]
async fn every_view_in_english_keeps_the_policy_and_axe_finds_nothing() {
    every_view_holds(&ENGLISH).await;
}

#[tokio::test]
async fn every_view_in_chinese_keeps_the_policy_and_axe_finds_nothing() {
    every_view_holds(&CHINESE).await;
}

#[tokio::test]
async fn a_style_that_came_with_words_has_no_effect() {
    first_run(&ENGLISH, async |page: &Page<'_>, _: &str| {
        assert_eq!(refused(page).await, json!([]));
        page.script(
            "const box = document.createElement('div');
             box.innerHTML = '<b style=\"position:fixed\">x</b><style>body{opacity:0}</style>';
             document.body.append(box)",
        )
        .await;
        let seen = "return [getComputedStyle(document.body.lastChild.firstChild).position, getComputedStyle(document.body).opacity]";
        assert_eq!(page.script(seen).await, json!(["static", "1"]));
        wait::until("the policy to tell", || async {
            refused(page).await.to_string().contains("style-src").then_some(())
        })
        .await;
    })
    .await;
}
