//! TLS to the database and to Redis, by the library that the rest of the program uses.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tidings_model::Code;
use tidings_store::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

/// Makes connections with TLS that verify the certificate and its name. Clones trust the same certificates.
#[derive(Clone)]
pub(super) struct Tls {
    file: Option<PathBuf>,
    connector: Arc<Mutex<TlsConnector>>,
}

impl Tls {
    /// TLS that trusts the certificates in a file, or those of the system.
    ///
    /// # Errors
    /// `invalid` if there are none.
    pub(super) fn trusting(file: Option<&Path>) -> Result<Self, Error> {
        let connector = Arc::new(Mutex::new(connector(file)?));
        Ok(Self { file: file.map(Path::to_owned), connector })
    }

    /// Reads the certificates again, for connections from now on. May block on the disk.
    ///
    /// # Errors
    /// `invalid` if there are none: then those before are trusted further on.
    pub(super) fn reload(&self) -> Result<(), Error> {
        let renewed = connector(self.file.as_deref())?;
        *self.connector.lock() = renewed;
        Ok(())
    }

    /// What encrypts a stream.
    pub(super) fn connector(&self) -> TlsConnector {
        self.connector.lock().clone()
    }
}

fn connector(file: Option<&Path>) -> Result<TlsConnector, Error> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(file) => {
            let unreadable = |_| no_roots(&format!("{} can't be read", file.display()));
            for certificate in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
                roots
                    .add(certificate.map_err(unreadable)?)
                    .map_err(|_| no_roots("one of them is malformed"))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        return Err(no_roots("there are none"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| no_roots("this program has no protocol for them"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn no_roots(why: &str) -> Error {
    Error::refused(Code::Invalid, format!("the certificates to trust: {why}"))
}

/// TLS to one host.
pub(super) struct TlsTo {
    connector: TlsConnector,
    host: ServerName<'static>,
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = TlsTo;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<TlsTo, InvalidDnsNameError> {
        Ok(TlsTo { connector: self.connector(), host: ServerName::try_from(host)?.to_owned() })
    }
}

impl<S> TlsConnect<S> for TlsTo
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Encrypted<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { Ok(Encrypted(self.connector.connect(self.host, stream).await?)) })
    }
}

/// A stream that is encrypted.
pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
