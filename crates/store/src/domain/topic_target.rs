//! How publications on topics stand among those on other targets.

/// The target type of publications on topics.
pub const TOPIC_TARGET: &str = "topic";
/// The action of publications on topics.
pub const TOPIC_ACTION: &str = "publish";

/// The topic that the view of a target's reminders is about, as a store names it; `None` for another target's.
pub fn topic_of_view(view: &str) -> Option<&str> {
    view.strip_prefix(TOPIC_TARGET)?.strip_prefix(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_read_from_its_own_view_alone() {
        let views = ["topic:nas", "topic:a:b", "topics:nas", "topic", "article:nas"];
        assert_eq!(views.map(topic_of_view), [Some("nas"), Some("a:b"), None, None, None]);
    }
}
