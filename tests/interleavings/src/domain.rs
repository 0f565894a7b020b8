//! What the files of the server know of users, tokens and topics.

/// The limits of the server. Its file imports those of the store from here; the scenarios need none of them.
pub(crate) mod limits {
    pub(crate) use crate::server_limits::*;
}

pub(crate) mod account {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub(crate) struct UserKey(pub(crate) i64);

    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Bearer {
        pub(crate) user: UserKey,
        pub(crate) id: String,
    }

    pub(crate) const TOKEN_PREFIX: &str = "tdg_";

    pub(crate) fn hash(_token: &str) -> [u8; 32] {
        [0; 32]
    }
}

pub(crate) mod topic {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(crate) struct TopicSettings {
        pub(crate) expect_secs: u32,
    }
}
