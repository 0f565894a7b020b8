//! Arguments of `certificate`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Certificate {
    /// Trust the authorities in a file at one address, or show it a client certificate.
    Add {
        /// The address, such as `https://git.example:8443`. What is added is used for its scheme, host and port alone.
        address: String,
        /// A file of certificates as PEM, any number of them; one as DER.
        file: PathBuf,
        /// The file is a client certificate: it is shown to the server, in place of one before. Its key is in the same file,
        /// or in that of --key, and is kept in the keyring.
        #[arg(long)]
        client: bool,
        /// The private key of the client certificate, as PEM (PKCS#8, RSA or EC), without a password.
        #[arg(long, value_name = "FILE", requires = "client")]
        key: Option<PathBuf>,
    },
    /// List the certificates, by address, with the time until which each is valid.
    List,
    /// Remove the certificates of an address, or one of them.
    Remove {
        /// The address.
        address: String,
        /// The fingerprint of the one to remove, as the list shows it; all unless given.
        fingerprint: Option<String>,
    },
}
