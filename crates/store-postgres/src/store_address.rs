//! Where a server keeps its data.

use std::fmt;
use std::str::FromStr;

use tidings_model::Code;
use tidings_store::Error;

use super::address::Address;

/// The database of a server: `sqlite`, in its data folder, or `postgres://user:password@host:port/name`, which several
/// processes may use at the same time. It is shown without the password.
///
/// ```
/// use tidings_store_postgres::StoreAddress;
///
/// let address: StoreAddress = "postgres://ann:secret@db.example/tidings".parse()?;
/// assert!(!format!("{address} {address:?}").contains("secret"));
/// assert_eq!("sqlite".parse::<StoreAddress>()?, StoreAddress::default());
/// # Ok::<(), tidings_store::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StoreAddress(Option<String>);

impl StoreAddress {
    /// The address of a PostgreSQL database; `None` for SQLite.
    pub fn postgres(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Whether it is a file in the data folder.
    pub fn is_local(&self) -> bool {
        self.0.is_none()
    }
}

impl FromStr for StoreAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "sqlite" => Ok(Self(None)),
            url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Address::parse(url)?;
                Ok(Self(Some(url.to_owned())))
            }
            // Without the text: it may hold a password.
            _ => Err(Error::refused(
                Code::Invalid,
                "the store must be sqlite or an address such as postgres://user@host/name",
            )),
        }
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.postgres() {
            Some(url) => f.write_str(
                &Address::parse(url).map_or_else(|_| "postgres://".to_owned(), |address| address.shown()),
            ),
            None => f.write_str("sqlite"),
        }
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
