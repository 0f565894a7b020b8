//! Which spans the collector has accepted, and what the log says of it. The log has a line when the collector begins to
//! fail, and one when it accepts spans again. At the end it has the number of spans that the collector did not get.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use opentelemetry::Context;
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor},
};

/// Counts of spans since the start of the program.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    finished: AtomicU64,
    taken: AtomicU64,
    fails: AtomicBool,
}

impl Delivery {
    fn sent(&self, spans: usize, sent: &OTelSdkResult) {
        match sent {
            Ok(()) => {
                self.taken.fetch_add(spans as u64, Ordering::Relaxed);
                if self.fails.swap(false, Ordering::Relaxed) {
                    tracing::info!("the collector accepts traces again");
                }
            }
            Err(error) => {
                if !self.fails.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "the collector accepts no traces: spans are dropped until it does");
                }
            }
        }
    }

    /// Says how many spans the collector did not take.
    pub(super) fn ended(&self) {
        let finished = self.finished.load(Ordering::Relaxed);
        let lost = finished.saturating_sub(self.taken.load(Ordering::Relaxed));
        if lost > 0 {
            tracing::warn!(spans = lost, of = finished, "the collector did not accept all spans");
        }
    }
}

/// Counts the spans that finish, before those for which there is no room are dropped.
#[derive(Debug)]
pub(super) struct Counting {
    pub(super) batches: BatchSpanProcessor,
    pub(super) delivery: Arc<Delivery>,
}

impl SpanProcessor for Counting {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.batches.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        self.delivery.finished.fetch_add(1, Ordering::Relaxed);
        self.batches.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

/// Sends batches of spans, and counts those that were taken.
#[derive(Debug)]
pub(super) struct Exporter {
    pub(super) to_collector: opentelemetry_otlp::SpanExporter,
    pub(super) delivery: Arc<Delivery>,
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let sent = self.to_collector.export(batch).await;
        self.delivery.sent(spans, &sent);
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.to_collector.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.to_collector.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.to_collector.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.to_collector.set_resource(resource);
    }
}
