//! JSON objects that have the fields of a [`Content`] among their own. What `#[serde(flatten)]` would read into a buffer
//! first, so that errors lose the path of their field and large pages take longer, is read here in one pass.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::ser::Serializer;

use super::Content;
use super::content::Field;

/// A type whose JSON has the fields of a [`Content`] among its own. [`carries_content`] implements it.
pub trait Carrier: Sized {
    /// The type's name, for errors.
    const NAME: &'static str;
    /// Fields of the content that are ignored when they come and left out when they go.
    const IGNORED: &'static [&'static str];
    /// A field of the content that must come.
    const REQUIRED: Option<&'static str>;

    /// Reads the carrier's own fields and sets the content beside them to its default.
    #[doc(hidden)]
    fn read_own<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// The content, to be filled.
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

/// Reads a carrier: fields of the content go into it as they come, all others to the carrier.
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

/// Writes the fields of the content that a carrier does not ignore.
pub(crate) fn write<C: Carrier, S: Serializer>(content: &Content, to: S) -> Result<S::Ok, S::Error> {
    content.write(to, |name, _| !C::IGNORED.contains(&name))
}

/// The members of an object that are the carrier's own; those of the content are read on the way to the next one.
struct Own<'a, C, M> {
    members: M,
    content: &'a mut Content,
    /// The required field, until it came.
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

/// The name of a member: the content's, or what the carrier's own seed made of it.
enum Name<T> {
    Content(Field),
    Own(T),
}

/// Reads a name.
struct NameSeed<'a, C, K> {
    /// Taken for a name that is not the content's.
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
