//! The badge: the number of unread items, as a picture.

/// The picture that the tray shows; each is pre-drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Badge {
    /// Nothing is unread.
    #[default]
    None,
    /// Nothing counts, but there are items that no list has shown.
    Dot,
    /// The number of unread items, 1 to 9.
    Number(u8),
    /// More than 9 unread items.
    NinePlus,
}

impl Badge {
    /// The picture for a number of unread items.
    ///
    /// ```
    /// use tidings_ports::Badge;
    ///
    /// assert_eq!(Badge::of(3).picture(), "3");
    /// assert_eq!(Badge::of(12_400), Badge::NinePlus);
    /// ```
    pub fn of(unread: u64) -> Self {
        match u8::try_from(unread) {
            Ok(0) => Self::None,
            Ok(n @ 1..=9) => Self::Number(n),
            _ => Self::NinePlus,
        }
    }

    /// The picture's name: `none`, `dot`, `1` to `9`, `9plus`.
    pub fn picture(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Dot => "dot".to_owned(),
            Self::Number(n) => n.to_string(),
            Self::NinePlus => "9plus".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_badge_counts_to_nine() {
        let pictures: Vec<String> = [0, 1, 9, 10, 12_400].map(|n| Badge::of(n).picture()).into();
        assert_eq!(pictures, ["none", "1", "9", "9plus", "9plus"]);
    }
}
