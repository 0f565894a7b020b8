//! Tests of near words: what a typing error may have made of a word of the index, or of a name.

use serde_json::json;

use super::Device;

fn device() -> Device {
    let mut device = Device::new(1);
    for (n, body) in ["deploy done", "deploy failed", "deployed", "employ", "disk full", "数据库 deploy"]
        .iter()
        .enumerate()
    {
        device.add_item(0, &format!("t{n}"), &json!({"body": body}));
    }
    device.add_item(0, "t9", &json!({"body": "x", "actor": {"id": "ana", "name": "Ana Ruiz"}}));
    device
}

#[test]
pub(crate) fn a_word_with_a_typing_error_has_the_nearest_words_that_may_be_meant() {
    let device = device();
    let near = |word: &str| device.replica.near_words(word, 3).unwrap();
    assert_eq!(near("deplyo"), ["deploy"], "two letters changed places");
    assert_eq!(near("Deploi"), ["deploy"], "another letter, whatever its case");
    assert_eq!(near("deeploy"), ["deploy"], "one too many, before a longer word");
    assert_eq!(near("edploy"), ["deploy", "employ"], "at its beginning, too");
    assert_eq!(near("dsk"), ["disk"], "one too few");
    assert_eq!(near("dks"), [""; 0], "a short word has one error at most");
    assert_eq!(near("keplio"), [""; 0], "nor is everything near");
    assert_eq!(near("deploy"), ["deployed"], "the word itself is not near");
    assert_eq!(near("数据裤"), [""; 0]);
    assert_eq!(near("4812"), [""; 0]);
    assert!(device.replica.has_word("depl").unwrap() && !device.replica.has_word("deplyo").unwrap());
    assert!(!device.replica.has_word("--").unwrap());
}

#[test]
pub(crate) fn a_name_with_a_typing_error_has_the_people_who_may_be_meant() {
    let device = device();
    let near = |name: &str| device.replica.near_names(name, 3).unwrap();
    assert_eq!(near("Kesler"), ["kessler"]);
    assert_eq!(near("riuz"), ["ruiz"]);
    assert_eq!(near("bbo"), ["bob"]);
    assert_eq!(near("zoe"), [""; 0]);
}
