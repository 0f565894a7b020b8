//! The methods of a store whose type is known; `dyn Store` has them by itself.

pub use super::{
    DeliveryStore as _, FileStore as _, FollowStore as _, GotifyStore as _, GroupStore as _, InboxStore as _,
    LiveStore as _, PreferenceStore as _, PublishingStore as _, ReadStateStore as _, ReceiptStore as _,
    RetentionStore as _, RevisionStore as _, SubscriptionStore as _, TokenStore as _, TopicEventStore as _,
    TopicStore as _, UnreadStore as _, UpkeepStore as _, UserStore as _,
};
