//! A table of bounds: how much one page, portion or queue of a crate takes. A program takes the usual ones. Tests draw others, so
//! that what lies one past a bound is tried.

/// Declares a struct of bounds, each a `usize` with the smallest value with which work goes on, and the usual one.
///
/// ```
/// tidings_model::bounds! {
///     /// How much one page takes.
///     pub struct Bounds {
///         /// Items of a page.
///         items: 1 => 500,
///     }
/// }
///
/// assert_eq!(Bounds::default().items, 500);
/// assert_eq!(Bounds::SMALLEST.items, 1);
/// assert_eq!(Bounds::picked(|least, usual| (least + usual) / 3).items, 167);
/// ```
#[macro_export]
macro_rules! bounds {
    (
        $(#[$about:meta])*
        $visibility:vis struct $Bounds:ident {
            $($(#[$doc:meta])* $bound:ident: $least:expr => $usual:expr,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visibility struct $Bounds {
            $($(#[$doc])* pub $bound: usize,)+
        }

        impl ::core::default::Default for $Bounds {
            fn default() -> Self {
                Self { $($bound: $usual,)+ }
            }
        }

        impl $Bounds {
            /// The smallest bounds with which work goes on.
            pub const SMALLEST: Self = Self { $($bound: $least,)+ };

            /// The bounds that `pick` gives. It is called for each with the smallest value and the usual one.
            #[must_use]
            pub fn picked(mut pick: impl ::core::ops::FnMut(usize, usize) -> usize) -> Self {
                Self { $($bound: pick($least, $usual),)+ }
            }
        }
    };
}
