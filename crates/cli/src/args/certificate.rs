//! Arguments of `certificate`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Certificate {
    /// Trust the authorities in a file at one address, or show it a client certificate.
    Add {
        /// The address, such as `https://git.example:8443`. The certificates are used for this scheme, host and port only.
        address: String,
        /// A file with any number of certificates as PEM, or one as DER.
        file: PathBuf,
        /// The file is a client certificate: it is shown to the server, and replaces an earlier one. Its key is in the same
        /// file or in that of --key, and is kept in the keyring.
        #[arg(long)]
        client: bool,
        /// The private key of the client certificate, as PEM (PKCS#8, RSA or EC), without a password.
        #[arg(long, value_name = "FILE", requires = "client")]
        key: Option<PathBuf>,
    },
    /// List the certificates by address, each with the end of its validity.
    List,
    /// Remove the certificates of an address, or one of them.
    Remove {
        /// The address.
        address: String,
        /// The fingerprint of the one to remove, as the list shows it [default: all].
        fingerprint: Option<String>,
    },
}
