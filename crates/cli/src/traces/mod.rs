//! Traces by OpenTelemetry: spans of the server go to a collector by OTLP over HTTP, if one is named. Nothing waits for the
//! collector: spans wait in a bounded queue, a full queue drops them, and the end of the program waits a second at most.
//!
//! The SDK reads its own variables of the environment: `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`,
//! `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_BSP_*` and others.

mod client;
mod delivery;

use std::{collections::HashMap, sync::Arc, time::Duration};

use opentelemetry::{
    Context, KeyValue,
    propagation::TextMapPropagator,
    trace::{TraceContextExt, TracerProvider},
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    resource::{EnvResourceDetector, TelemetryResourceDetector},
    trace::{BatchSpanProcessor, IdGenerator, RandomIdGenerator, SdkTracerProvider},
};
use tokio::runtime::Handle;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{Layer, filter::Targets, registry::LookupSpan};
use url::Url;

use self::{
    client::CollectorClient,
    delivery::{Counting, Delivery, Exporter},
};
use crate::{
    error::{Error, Result},
    server::env_value,
};

/// How long the collector may take to answer a request.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// How long the end of the program waits until the collector has taken the last spans.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The traces of this process.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    delivery: Arc<Delivery>,
}

impl Traces {
    /// Begins to send spans to a collector. Requests to it run on the runtime.
    ///
    /// # Errors
    /// [`Error::Usage`] if the address, or what the environment says of traces, makes no sense.
    pub(crate) fn start(collector: &str, runtime: Handle) -> Result<Self> {
        let address = traces_address(collector)?;
        // It would fail with each request: the certificates of this system can't be read, for example.
        tidings_net::http::client_for(&address)?;
        let to_collector = SpanExporter::builder()
            .with_http()
            .with_http_client(CollectorClient { address: address.clone(), runtime, answer_time: ANSWER_TIME })
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(address.as_str())
            .with_timeout(ANSWER_TIME)
            .build()
            .map_err(|error| Error::Usage(format!("the settings of traces are not valid: {error}")))?;
        let delivery = Arc::<Delivery>::default();
        let exporter = Exporter { to_collector, delivery: Arc::clone(&delivery) };
        let batches = BatchSpanProcessor::builder(exporter).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource())
            .with_span_processor(Counting { batches, delivery: Arc::clone(&delivery) })
            .build();
        Ok(Self { provider, delivery })
    }

    /// What makes spans of [`tidings_server::traces::TARGET`] spans of traces, and ignores everything else.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("tidings"))
            .with_context_activation(false)
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_target(tidings_server::traces::TARGET, Level::TRACE))
    }

    /// Sends the last spans, within [`FLUSH_TIME`], and says how many were lost in all.
    pub(crate) fn end(self) {
        // What did not go in time is counted as lost.
        let _ = self.provider.shutdown_with_timeout(FLUSH_TIME);
        self.delivery.ended();
    }
}

/// Makes a span that has not begun continue the trace of a `traceparent` (W3C Trace Context); a malformed one is ignored.
/// `tracestate`, which is for those that are called further on, is left out.
pub(crate) fn continue_trace(span: &Span, traceparent: &str) {
    let caller = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &caller);
    if context.span().span_context().is_valid() {
        // It fails for a span that nobody records.
        let _ = span.set_parent(context);
    }
}

/// The address to which a collector takes traces, under the one that names it.
fn traces_address(collector: &str) -> Result<Url> {
    let is_usable = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    // The address is not repeated: it may have a secret in it.
    let usage = || {
        Error::Usage(
            "--traces takes the address of a collector for OTLP over HTTP, such as http://collector:4318; what \
             authorizes a sender goes into OTEL_EXPORTER_OTLP_HEADERS"
                .to_owned(),
        )
    };
    let mut url = Url::parse(collector).ok().filter(is_usable).ok_or_else(usage)?;
    let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// What the spans of this process are spans of. The environment may say it otherwise, the name of the node above all.
fn resource() -> Resource {
    let instance = RandomIdGenerator::default().new_trace_id().to_string();
    let own = Resource::builder_empty()
        .with_attribute(KeyValue::new("service.name", "tidings"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", instance))
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match env_value("OTEL_SERVICE_NAME") {
        Some(name) => own.with_service_name(name).build(),
        None => own.build(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_takes_traces_under_its_own_address() {
        let taken = |collector: &str| traces_address(collector).unwrap().to_string();
        assert_eq!(taken("http://collector:4318"), "http://collector:4318/v1/traces");
        assert_eq!(taken("https://example.org/otlp/"), "https://example.org/otlp/v1/traces");
    }

    #[test]
    fn an_address_that_is_none_or_has_a_secret_is_refused_and_not_repeated() {
        for wrong in
            ["collector:4318", "grpc://secret:4317", "http://me:secret@host", "http://host/?key=secret", ""]
        {
            let error = traces_address(wrong).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
