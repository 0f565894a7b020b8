//! Serialization of JSON objects that have the fields of a [`Content`] among their own. `#[serde(flatten)]` would
//! buffer the whole object first, which loses the path of a field in errors and slows large pages down; this module
//! reads it in one pass.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::ser::Serializer;

use super::Content;
use super::content::Field;

/// A type whose JSON has the fields of a [`Content`] among its own. [`carries_content`] implements it.
pub trait Carrier: Sized {
    /// The type's name, for error messages.
    const NAME: &'static str;
    /// Names of content fields that this type does not have: ignored on reading, omitted on writing.
    const IGNORED: &'static [&'static str];
    /// The name of a content field whose absence is an error.
    const REQUIRED: Option<&'static str>;

    /// Deserializes the carrier's own fields; the content stays at its default.
    #[doc(hidden)]
    fn read_own<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// The content, which the caller overwrites with what it read.
    #[doc(hidden)]
    fn content_mut(&mut self) -> &mut Content;
}

/// Implements [`Carrier`], `Deserialize` and `Serialize` for a struct that derives the latter two with
/// `#[serde(remote = "Self")]` and has a field `content` with `#[serde(flatten, skip_deserializing)]`.
macro_rules! carries_content {
    ($carrier:ident, ignored: $ignored:expr, required: $required:expr) => {
        impl $crate::notification::Carrier for $carrier {
            const NAME: &'static str = stringify!($carrier);
            const IGNORED: &'static [&'static str] = $ignored;
            const REQUIRED: Option<&'static str> = $required;

            fn read_own<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Self::deserialize(from)
            }

            fn content_mut(&mut self) -> &mut $crate::Content {
                &mut self.content
            }
        }

        impl<'de> serde::Deserialize<'de> for $carrier {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::notification::read(from)
            }
        }

        impl serde::Serialize for $carrier {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, to)
            }
        }
    };
}
pub(crate) use carries_content;

/// Deserializes a carrier in one pass: fields of the content go to the content, all others to the carrier.
pub(crate) fn read<'de, C: Carrier, D: Deserializer<'de>>(from: D) -> Result<C, D::Error> {
    struct Object<C>(PhantomData<C>);

    impl<'de, C: Carrier> Visitor<'de> for Object<C> {
        type Value = C;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "struct {}", C::NAME)
        }

        fn visit_map<M: MapAccess<'de>>(self, members: M) -> Result<C, M::Error> {
            let mut content = Content::default();
            let mut missing = C::REQUIRED;
            let own =
                Own::<C, M> { members, content: &mut content, missing: &mut missing, carrier: PhantomData };
            let mut carrier = C::read_own(MapAccessDeserializer::new(own))?;
            if let Some(field) = missing {
                return Err(M::Error::missing_field(field));
            }
            *carrier.content_mut() = content;
            Ok(carrier)
        }
    }

    from.deserialize_map(Object(PhantomData))
}

/// Serializes the fields of the content, except those in [`Carrier::IGNORED`].
pub(crate) fn write<C: Carrier, S: Serializer>(content: &Content, to: S) -> Result<S::Ok, S::Error> {
    content.write(to, |name, _| !C::IGNORED.contains(&name))
}

/// A map access that yields only the carrier's own members. It consumes the content's members into `content` on the
/// way to the next one.
struct Own<'a, C, M> {
    members: M,
    content: &'a mut Content,
    /// The required field, until it was read.
    missing: &'a mut Option<&'static str>,
    carrier: PhantomData<C>,
}

impl<'de, C: Carrier, M: MapAccess<'de>> MapAccess<'de> for Own<'_, C, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, M::Error> {
        let mut seed = Some(seed);
        loop {
            let name = NameSeed::<C, K> { own: &mut seed, missing: self.missing, carrier: PhantomData };
            match self.members.next_key_seed(name)? {
                Some(Name::Content(field)) => self.content.read(field, &mut self.members)?,
                Some(Name::Own(value)) => return Ok(Some(value)),
                None => return Ok(None),
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.members.next_value_seed(seed)
    }
}

/// The name of a member: a field of the content, or a name that the carrier's own seed deserialized.
enum Name<T> {
    Content(Field),
    Own(T),
}

/// A seed that distinguishes the content's names from the carrier's own.
struct NameSeed<'a, C, K> {
    /// The carrier's seed, taken for the first name that is not a field of the content.
    own: &'a mut Option<K>,
    missing: &'a mut Option<&'static str>,
    carrier: PhantomData<C>,
}

impl<'de, C: Carrier, K: DeserializeSeed<'de>> DeserializeSeed<'de> for NameSeed<'_, C, K> {
    type Value = Name<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl<'de, C: Carrier, K: DeserializeSeed<'de>> Visitor<'de> for NameSeed<'_, C, K> {
    type Value = Name<K::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        if let Some(field) = Field::from_name(name)
            && !C::IGNORED.contains(&name)
        {
            self.missing.take_if(|missing| *missing == name);
            return Ok(Name::Content(field));
        }
        match self.own.take() {
            Some(seed) => seed.deserialize(name.into_deserializer()).map(Name::Own),
            None => Err(E::custom("a name was read twice")),
        }
    }
}
