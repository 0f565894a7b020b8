//! The keys of a query and the values that they take, in English and Chinese.

use tidings_model::Kind;
use tidings_replica::StateFilter;

/// A key of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The actor.
    From,
    /// The state.
    Is,
    /// The kind.
    Kind,
    /// The source.
    Source,
    /// The action of a reminder.
    Reason,
    /// Before a date.
    Before,
    /// On or after a date.
    After,
    /// Within a day, month or year.
    On,
    /// The least priority.
    Priority,
    /// A property such as an attachment.
    Has,
    /// A tag.
    Tag,
    /// The topic, application or repository.
    In,
}

/// Each key with its spellings; the first one is written, all are read.
pub(crate) const KEYS: [(Key, &[&str]); 12] = [
    (Key::From, &["from", "来自"]),
    (Key::Is, &["is", "是"]),
    (Key::Kind, &["type", "类型", "kind"]),
    (Key::Source, &["source", "来源"]),
    (Key::Reason, &["reason", "原因"]),
    (Key::Before, &["before", "之前"]),
    (Key::After, &["after", "之后"]),
    (Key::On, &["on", "日期"]),
    (Key::Priority, &["priority", "优先级"]),
    (Key::Has, &["has", "带有"]),
    (Key::Tag, &["tag", "标签"]),
    (Key::In, &["in", "主题"]),
];

pub(crate) const STATES: [(StateFilter, &[&str]); 7] = [
    (StateFilter::Unread, &["unread", "未读"]),
    (StateFilter::Read, &["read", "已读"]),
    (StateFilter::Pinned, &["pinned", "置顶", "已置顶"]),
    (StateFilter::Snoozed, &["snoozed", "已推迟", "稍后提醒"]),
    (StateFilter::Done, &["done", "完成", "已完成"]),
    (StateFilter::Muted, &["muted", "静音", "已静音"]),
    (StateFilter::Quiet, &["quiet", "静默"]),
];

/// What `is:` asks for besides a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// It has the tag "merged", as a pull request gets it.
    Merged,
    /// It has the tag "closed", as an issue gets it.
    Closed,
    /// It is from a bot.
    Bot,
}

pub(crate) const QUALITIES: [(Quality, &[&str]); 3] = [
    (Quality::Merged, &["merged", "已合并", "合并"]),
    (Quality::Closed, &["closed", "已关闭", "关闭"]),
    (Quality::Bot, &["bot", "机器人"]),
];

impl Quality {
    pub(crate) fn name(self) -> &'static str {
        canonical(&QUALITIES, self)
    }
}

pub(crate) const KINDS: [(Kind, &[&str]); 3] = [
    (Kind::Announcement, &["announcement", "announcements", "公告"]),
    (Kind::Reminder, &["activity", "动态", "reminder", "reminders", "提醒"]),
    (Kind::Message, &["message", "messages", "消息"]),
];

/// A property that a notification may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Has {
    /// An attachment.
    Attachment,
    /// An address to open.
    Link,
}

pub(crate) const HAS: [(Has, &[&str]); 2] =
    [(Has::Attachment, &["attachment", "附件"]), (Has::Link, &["link", "链接"])];

impl Has {
    pub(crate) fn name(self) -> &'static str {
        canonical(&HAS, self)
    }
}

impl Key {
    /// The key as it is written in a query.
    pub(crate) fn name(self) -> &'static str {
        canonical(&KEYS, self)
    }
}

pub(crate) fn kind_name(kind: Kind) -> &'static str {
    canonical(&KINDS, kind)
}

pub(crate) fn state_name(state: StateFilter) -> &'static str {
    canonical(&STATES, state)
}

fn canonical<T: Copy + PartialEq>(table: &[(T, &[&'static str])], value: T) -> &'static str {
    table
        .iter()
        .find(|(known, _)| *known == value)
        .and_then(|(_, spellings)| spellings.first())
        .copied()
        .unwrap_or_default()
}

/// The value that a word stands for; letter case is ignored.
pub(crate) fn lookup<T: Copy>(table: &[(T, &[&str])], spelling: &str) -> Option<T> {
    let spelling = spelling.to_lowercase();
    table.iter().find(|(_, spellings)| spellings.contains(&spelling.as_str())).map(|(value, _)| *value)
}
