//! The types of what the replica takes and returns, besides those of rows.

mod conversation;
mod difference;
mod digest;
mod item_page;
mod mark;
mod noise;
mod pull;
mod rule;
mod service_item;
mod thread_page;
mod waiting_subscription;

pub use self::conversation::{Group, GroupChange, GroupNews, Outgoing, OutgoingFile, Reader, Withheld};
pub use self::difference::Difference;
pub use self::digest::{Digest, DigestLine, DigestPerson, DigestScope, DigestSource};
pub use self::item_page::{ItemFilter, ItemPage, ItemPosition};
pub use self::mark::{AnswerOutcome, Mark, Targets, ViewMark};
pub use self::noise::{Noise, NoiseOrigin, NoiseSource};
pub use self::pull::{Applied, Arrival, Page, Skipped};
pub use self::rule::{Rule, RuleAct, RuleCount, RuleField, RuleThen, RuleTrial, RuleValue, RuleWhen};
pub use self::service_item::{Part, ServiceItem};
pub use self::thread_page::{Hit, ThreadPage, ThreadQuery, UnreadThreads};
pub use self::waiting_subscription::{Subject, WaitingSubscription};
