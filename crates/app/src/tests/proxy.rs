//! Tests of the proxy in the settings.

use tidings_ipc::{ProxyForm, ProxyUse, ProxyView};
use tidings_model::Lang;

use super::harness::open;

#[tokio::test]
async fn a_proxy_is_checked_kept_and_shown_without_its_password() {
    let test = open();
    assert_eq!(test.app.proxy.proxy().await.unwrap(), ProxyView::default());
    let form = |address: &str, user: &str, password: &str| ProxyForm {
        choice: ProxyUse::This,
        address: address.into(),
        user: user.into(),
        password: password.into(),
    };
    let set = test.app.proxy.set_proxy(form("proxy.example:3128", " ana ", "3f1c-secret")).await.unwrap();
    let shown = ProxyView {
        choice: ProxyUse::This,
        address: "http://proxy.example:3128".into(),
        user: "ana".into(),
        has_password: true,
    };
    assert_eq!(set, shown);
    assert_eq!(
        test.app.proxy.set_proxy(form(&shown.address, "ana", "")).await.unwrap(),
        shown,
        "it keeps its password"
    );
    let moved = test.app.proxy.set_proxy(form("http://other.example:3128", "ana", "")).await.unwrap();
    assert!(!moved.has_password && moved.user.is_empty(), "it goes to no other proxy: {moved:?}");

    let refused = test.app.proxy.set_proxy(form("ftp://proxy.example", "", "")).await.unwrap_err();
    assert!(refused.to_ipc(Lang::En).text.contains("such as http://proxy.example:3128"), "{refused}");
    assert_eq!(test.app.proxy.proxy().await.unwrap(), moved, "the one of before stays");
    let none = ProxyForm { choice: ProxyUse::None, ..ProxyForm::default() };
    assert_eq!(test.app.proxy.set_proxy(none).await.unwrap().choice, ProxyUse::None);
    let said = format!("{:?}", form("", "ana", "3f1c-secret"));
    assert!(!said.contains("3f1c"), "{said}");
}
