//! A server behind TLS, with authorities that nobody else trusts, certificates that are wrong in one way each, and
//! certificates of clients.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// How long a connection that was refused stays open for the client to read why.
const LINGER: Duration = Duration::from_secs(5);

/// An authority.
#[derive(Debug)]
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate with its key, both as PEM.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// The private key, as PKCS#8.
    pub key: String,
}

fn named(name: &str, params: &mut CertificateParams) {
    params.distinguished_name.push(DnType::CommonName, name);
}

impl Authority {
    /// A new authority with a name.
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        named(name, &mut params);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// Its certificate as PEM.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    fn issue(&self, params: &CertificateParams) -> Issued {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate").pem();
        Issued { certificate, key: key.serialize_pem() }
    }

    /// A certificate of a server for a name, and for the loopback address if the name is `localhost`.
    pub fn server(&self, name: &str) -> Issued {
        self.issue(&server_params(name))
    }

    /// A certificate of a server that expired in 2001.
    pub fn expired_server(&self, name: &str) -> Issued {
        let mut params = server_params(name);
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2001, 1, 1));
        self.issue(&params)
    }

    /// A certificate of a client.
    pub fn client(&self, name: &str) -> Issued {
        let mut params = CertificateParams::default();
        named(name, &mut params);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.issue(&params)
    }
}

fn server_params(name: &str) -> CertificateParams {
    let address = (name == "localhost").then_some("127.0.0.1");
    let names: Vec<String> = [Some(name), address].into_iter().flatten().map(str::to_owned).collect();
    let mut params = CertificateParams::new(names).expect("names");
    named(name, &mut params);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params
}

/// A port behind which another server is reached over TLS.
#[derive(Debug)]
pub struct TlsFront {
    port: u16,
    config: Arc<Mutex<Arc<ServerConfig>>>,
    refused: Arc<AtomicUsize>,
    shown: Arc<Mutex<Vec<Option<Vec<u8>>>>>,
}

impl TlsFront {
    /// Leads to a server at `host:port` with a certificate of its own. With `clients` only clients with a certificate of
    /// that authority get there.
    pub async fn start(to: &str, server: &Issued, clients: Option<&Authority>) -> Self {
        let config = Arc::new(Mutex::new(Arc::new(config(server, clients))));
        let (current, refused) = (config.clone(), Arc::<AtomicUsize>::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let shown = Arc::<Mutex<Vec<Option<Vec<u8>>>>>::default();
        let (to, seen, failed) = (to.to_owned(), shown.clone(), refused.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = TlsAcceptor::from(current.lock().unwrap().clone());
                tokio::spawn(lead(acceptor, stream, to.clone(), seen.clone(), failed.clone()));
            }
        });
        Self { port, config, refused, shown }
    }

    /// Shows another certificate from now on, and asks clients for none. No session goes on.
    pub fn exchange(&self, server: &Issued) {
        *self.config.lock().unwrap() = Arc::new(config(server, None));
    }

    /// The number of connections so far for which there was no agreement, as when a client refuses the certificate.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }

    /// Its origin, by the name `localhost`.
    pub fn url(&self) -> String {
        self.url_of("localhost")
    }

    /// Its origin, by another name that leads here.
    pub fn url_of(&self, name: &str) -> String {
        format!("https://{name}:{}", self.port)
    }

    /// The same server by its address, which is another origin.
    pub fn by_address(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// The certificate of the client of each connection so far, in DER; `None` for a connection without.
    pub fn shown(&self) -> Vec<Option<Vec<u8>>> {
        self.shown.lock().unwrap().clone()
    }
}

fn config(server: &Issued, clients: Option<&Authority>) -> ServerConfig {
    let provider = Arc::new(default_provider());
    let chain = vec![CertificateDer::from_pem_slice(server.certificate.as_bytes()).expect("PEM")];
    let key = PrivateKeyDer::from_pem_slice(server.key.as_bytes()).expect("PEM");
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("versions of TLS");
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.0.der().clone()).expect("an authority");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
        }
    };
    builder.with_single_cert(chain, key).expect("a certificate and its key")
}

/// Leads one connection to the server.
async fn lead(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    to: String,
    shown: Arc<Mutex<Vec<Option<Vec<u8>>>>>,
    refused: Arc<AtomicUsize>,
) {
    match acceptor.accept(stream).into_fallible().await {
        Ok(mut client) => {
            let certificate = client.get_ref().1.peer_certificates().and_then(<[_]>::first);
            shown.lock().unwrap().push(certificate.map(|der| der.to_vec()));
            if let Ok(mut server) = TcpStream::connect(to).await {
                drop(copy_bidirectional(&mut client, &mut server).await);
            }
        }
        // The alert was sent. A connection that is closed with bytes that nobody has read takes it back.
        Err((_, mut stream)) => {
            refused.fetch_add(1, Ordering::SeqCst);
            let _ = stream.shutdown().await;
            let mut rest = Vec::new();
            let _ = tokio::time::timeout(LINGER, stream.read_to_end(&mut rest)).await;
        }
    }
}
