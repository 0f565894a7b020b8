//! The notifications of the benchmarks, the same in every run: announcements, reminders and messages, in English and
//! Chinese.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

/// Id of the user whose inbox is measured.
pub(crate) const USER: &str = "reader";
/// Number of actors of reminders; the reader follows them all.
pub(crate) const ACTOR_COUNT: u32 = 400;
/// Number of targets of reminders.
const TARGET_COUNT: u32 = 40_000;
/// Number of users who write messages to the reader.
pub(crate) const PEER_COUNT: u32 = 200;

const ACTIONS: [&str; 5] = ["comment", "reply", "like", "mention", "share"];

const ENGLISH_SENTENCES: [&str; 24] = [
    "the backup of the media volume finished after",
    "I disagree with the conclusion in the second part",
    "could you have a look at the failing integration test",
    "disk usage on the build machine passed ninety per cent",
    "release candidate three is ready for review",
    "thanks, this explains the strange latency we saw",
    "the certificate expires in fourteen days",
    "merged into main and deployed to staging",
    "please compare the figures with those of last week",
    "a new version of the dependency fixes the leak",
    "meeting moved to the small room on the third floor",
    "the nightly job was cancelled by an operator",
    "see the attached log for the full trace",
    "it works on my machine and on the runner as well",
    "we should write this down in the handbook",
    "the index has been rebuilt and queries are quick again",
    "nobody answered the door so the parcel is at the shop",
    "temperature in the server room is back to normal",
    "the translation of the manual is complete",
    "two people asked for the same thing this morning",
    "your subscription was renewed for another year",
    "the patch applies cleanly but one test is flaky",
    "lunch at the usual place",
    "queue length exceeded its threshold for five minutes",
];

const CHINESE_SENTENCES: [&str; 12] = [
    "数据库备份已经完成",
    "我不同意第二部分的结论",
    "请看一下失败的集成测试",
    "构建机器的磁盘使用率超过百分之九十",
    "第三个候选版本可以评审了",
    "谢谢，这解释了我们看到的奇怪延迟",
    "证书将在十四天后过期",
    "已经合并到主分支并部署到预发环境",
    "会议改到三楼的小会议室",
    "索引已经重建，查询又变快了",
    "服务器机房的温度恢复正常",
    "昨晚的任务被管理员取消了",
];

const NAMES: [&str; 20] = [
    "Ana", "Bo", "Cy", "Dana", "Emil", "Fatima", "Goran", "Hana", "Ines", "Jonas", "林晓", "陈博", "王芳",
    "李强", "Kofi", "Lena", "Mina", "Noor", "Olga", "赵敏",
];

/// The body of a request that publishes one notification, by the kind of notification.
pub(crate) enum Post {
    Announcement(Value),
    Reminder(Value),
    Message(Value),
}

/// An endless, pseudo-random sequence of posts.
pub(crate) struct Corpus(SmallRng);

impl Corpus {
    /// The sequence for a seed; equal seeds give equal sequences.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SmallRng::seed_from_u64(seed))
    }

    fn sentences(&mut self) -> String {
        let mut words = Vec::new();
        for _ in 0..self.0.random_range(1..4) {
            let list: &[&str] =
                if self.0.random_ratio(1, 5) { &CHINESE_SENTENCES } else { &ENGLISH_SENTENCES };
            let at = self.0.random_range(0..list.len());
            words.push(list.get(at).copied().unwrap_or_default());
        }
        let number = self.0.random_range(1..100_000).to_string();
        words.push(&number);
        words.join(" ")
    }

    fn actor(&mut self) -> (String, String) {
        let n = self.0.random_range(0..ACTOR_COUNT);
        let name = usize::try_from(n).ok().and_then(|n| NAMES.get(n % NAMES.len())).copied().unwrap_or("Ana");
        (format!("actor{n}"), format!("{name} {n}"))
    }

    /// The number of a target; low numbers are drawn far more often than high ones.
    fn target(&mut self) -> u32 {
        let x: f64 = self.0.random();
        // The square of a uniform number: a quarter of the targets get half of the reminders.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let n = (x * x * f64::from(TARGET_COUNT)) as u32;
        n
    }
}

impl Iterator for Corpus {
    type Item = Post;

    /// One in fifty is an announcement, three in ten are messages, the others are reminders.
    fn next(&mut self) -> Option<Post> {
        let priority = *[3, 3, 3, 3, 3, 3, 2, 1, 4, 5].get(self.0.random_range(0..10_usize))?;
        Some(match self.0.random_range(0..50) {
            0 => Post::Announcement(json!({
                "title": format!("Release {}", self.0.random_range(1..1_000)), "body": self.sentences(),
                "priority": priority,
            })),
            1..=15 => {
                let peer = self.0.random_range(0..PEER_COUNT);
                let message = json!({"from": format!("peer{peer}"), "to": USER, "body": self.sentences(), "priority": priority});
                Post::Message(message)
            }
            _ => {
                let (id, name) = self.actor();
                let target = self.target();
                let action = *ACTIONS.get(self.0.random_range(0..ACTIONS.len()))?;
                Post::Reminder(json!({
                    "actor": {"id": id, "name": name}, "action": action,
                    "target": {"type": "article", "id": target.to_string(),
                        "title": format!("Article {target}: {}", ENGLISH_SENTENCES.get(target as usize % ENGLISH_SENTENCES.len())?),
                        "url": format!("https://blog.example.org/articles/{target}"), "owner": USER},
                    "body": self.sentences(), "priority": priority,
                    "url": format!("https://blog.example.org/articles/{target}#comments"),
                    "tags": if self.0.random_ratio(1, 4) { json!(["work"]) } else { json!([]) },
                }))
            }
        })
    }
}
