//! Tests of the texts in both languages: numbers, plurals, and their tone.

mod calls;
mod catalogue;
mod compiler;
mod export;
mod fluent;

use self::catalogue::texts;
use tidings_ipc::NotPublished;
use tidings_model::Lang;

use super::*;

#[test]
fn numbers_are_grouped_and_never_rounded() {
    for (n, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_400, "12,400"), (1_234_567, "1,234,567")]
    {
        assert_eq!(grouped(n), text);
    }
}

#[test]
fn a_gap_is_told_in_one_sentence() {
    assert_eq!((strings(Lang::En).toast_gap)("Work", 214), "Work: 214 new while you were away");
    assert_eq!((strings(Lang::ZhCn).toast_gap)("工作", 214), "工作：离开期间有 214 条新通知");
}

#[test]
fn one_is_not_several() {
    assert_eq!((strings(Lang::En).items)(Some("comment"), 1), "1 comment");
    assert_eq!((strings(Lang::En).items)(Some("reply"), 2), "2 replies");
    assert_eq!((strings(Lang::ZhCn).items)(Some("comment"), 9), "9 条评论");
}

#[test]
fn a_chinese_name_stands_in_a_chinese_sentence_without_a_space() {
    let table = strings(Lang::ZhCn);
    assert_eq!((table.joined)("唐宁"), "唐宁加入了群组");
    assert_eq!((table.left)("唐宁"), "唐宁离开了群组");
    assert_eq!((table.left)("Ana"), "Ana 离开了群组");
    assert_eq!((table.group_paused)("工作"), "工作已暂停，群组没有改变。恢复来源后重试");
    assert_eq!((table.group_offline)("工作"), "无法连接工作，群组没有改变。恢复连接后重试");
    assert_eq!((table.group_offline)("Work"), "无法连接 Work，群组没有改变。恢复连接后重试");
    let forbidden = |source| table.not_published(NotPublished::Forbidden, source, "ci");
    assert!(forbidden("工作").starts_with("你不能发布到工作的“ci”"), "{}", forbidden("工作"));
    assert!(forbidden("Work").starts_with("你不能发布到 Work 的“ci”"), "{}", forbidden("Work"));
}

#[test]
fn a_text_that_leads_to_the_settings_names_one_of_their_pages() {
    // The pages of `ui/src/features/settings/tabs.ts`.
    let en = ["General", "Notifications", "Sources", "This computer", "Keyboard", "Storage", "About"];
    let zh = ["通用", "通知", "来源", "本机", "键盘", "存储", "关于"];
    let mut leads = 0;
    for text in texts() {
        for (before, pages) in [("Settings, ", en), ("“设置”的“", zh)] {
            for way in text.split(before).skip(1) {
                assert!(pages.iter().any(|page| way.starts_with(page)), "{text}");
                leads += 1;
            }
        }
        for former in ["“Certificates”", "“证书”", "“This computer’s server”", "“本机服务器”"]
        {
            assert!(!text.contains(former), "{text}");
        }
    }
    assert!(leads > 10, "{leads}");
}

#[test]
fn no_text_speaks_of_how_the_program_is_built() {
    let built = ["reminder", "reminders", "scope", "scopes", "kind", "kinds", "pull", "pulls", "pulled"];
    for text in texts() {
        let words = text.to_lowercase();
        let mut words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
        assert!(!words.any(|word| built.contains(&word)), "{text}");
        assert!(!["拉取", "类别", "种类", "作用域"].iter().any(|word| text.contains(word)), "{text}");
    }
}

#[test]
fn no_sentence_shouts_or_begs() {
    for text in texts() {
        // A request is none of the program.
        let text = text.replace("请求", "");
        for word in ["!", "！", "lease", "ops", "您", "请"] {
            assert!(!text.contains(word), "{text}: {word}");
        }
    }
}
