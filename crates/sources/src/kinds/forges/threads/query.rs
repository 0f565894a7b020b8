//! What is asked of a list of threads.

use tidings_model::Stamp;

use super::super::cursor::whole_second;
use super::super::offset::NumberedPage;

/// What is asked of the list.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::forges) struct Query {
    /// Whether read threads are listed, too.
    pub(in crate::kinds::forges) all: bool,
    pub(in crate::kinds::forges) since: Option<Stamp>,
    pub(in crate::kinds::forges) before: Option<Stamp>,
    pub(in crate::kinds::forges) page: NumberedPage,
}

impl Query {
    pub(super) fn parameters(self, size_parameter: &'static str) -> Vec<(&'static str, String)> {
        let time = |time: Stamp| whole_second(time).to_datetime().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let mut parameters = vec![
            ("all", self.all.to_string()),
            (size_parameter, self.page.size.to_string()),
            ("page", self.page.number.to_string()),
        ];
        parameters.extend(self.since.map(|since| ("since", time(since))));
        parameters.extend(self.before.map(|before| ("before", time(before))));
        parameters
    }
}
