//! What is passed by, because a process ended or a parser failed at it: names it in the window, and has it read again.

use std::sync::Arc;

use tidings_ipc::NoticeCode;
use tidings_render::item::source_name;
use tidings_replica::Source;
use tidings_sandbox::marks;
use tidings_sandbox::marks::Marks;

use super::engine::RunningEngine;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::probe::display_name;
use crate::state::notices::Degradation;

/// The most sources, topics and files that the notice names.
const MAX_NAMED: usize = 5;

part! {
    /// What is passed by, and the notice that names it.
    pub(crate) struct PassedBy {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
    }
}

impl PassedBy {
    /// Raises or clears the notice that names what is passed by.
    pub(crate) fn update_passed_by(&self, sources: &[Source]) {
        let passed_by = marks::of_process().map(Marks::passed_by).unwrap_or_default();
        let mut named: Vec<String> = Vec::new();
        for input in passed_by {
            let source = sources.iter().find(|source| source.id.to_string() == input.of);
            let name = source
                .map_or_else(|| display_name(&input.of), |source| source_name(source, self.context.lang()));
            if !named.contains(&name) && named.len() < MAX_NAMED {
                named.push(name);
            }
        }
        if named.is_empty() {
            self.context.clear(NoticeCode::PassedBy);
        } else {
            self.context.raise(&Degradation::PassedBy(named));
        }
    }

    /// Has everything that is passed by read again: sources with a pull that begins now, files when they are chosen.
    ///
    /// # Errors
    /// If the list can't be changed.
    pub(crate) fn read_again(&self) -> Result<()> {
        for input in marks::of_process().map(Marks::passed_by).unwrap_or_default() {
            if let Some(marks) = marks::of_process() {
                marks.offer_again(&input.id).map_err(Error::Write)?;
            }
        }
        self.context.clear(NoticeCode::PassedBy);
        self.engine.pull_now();
        Ok(())
    }
}
