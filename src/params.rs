//! Every tunable number of the engine, declared once: name, default, range.
//!
//! In the default build [`Params`] is empty and each number a constant. With the cargo feature `tune` it
//! holds the numbers, so that each worker may play with its own.

macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident: $default:literal, $min:literal ..= $max:literal;)*) => {
        /// One set of the engine's numbers.
        #[cfg(not(feature = "tune"))]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Params;

        #[cfg(not(feature = "tune"))]
        impl Params {
            $(
                $(#[doc = $doc])+
                #[inline(always)]
                pub const fn $name(&self) -> i32 { $default }
            )*
        }

        /// One set of the engine's numbers.
        #[cfg(feature = "tune")]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params { $($name: i32,)* }

        #[cfg(feature = "tune")]
        impl Default for Params {
            fn default() -> Self { Self { $($name: $default,)* } }
        }

        #[cfg(feature = "tune")]
        impl Params {
            $(
                $(#[doc = $doc])+
                #[inline(always)]
                pub const fn $name(&self) -> i32 { self.$name }
            )*

            /// Sets one number.
            ///
            /// # Errors
            /// Says so if there is no such name or the value is out of its range.
            pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
                match name {
                    $(stringify!($name) => {
                        if !($min..=$max).contains(&value) {
                            return Err(format!("{name} must be {} to {}", $min, $max));
                        }
                        self.$name = value;
                    })*
                    _ => return Err(format!("no parameter is called {name}")),
                }
                Ok(())
            }
        }

        /// Name, default, least and greatest value of each number.
        pub const TABLE: &[(&str, i32, i32, i32)] = &[$((stringify!($name), $default, $min, $max),)*];

        const _: () = { $(assert!($min <= $default && $default <= $max, stringify!($name));)* };
    };
}

params! {
    /// SEE value of a pawn, centipawns.
    see_pawn: 100, 50..=200;
    /// SEE value of a knight, centipawns.
    see_knight: 320, 200..=500;
    /// SEE value of a bishop, centipawns.
    see_bishop: 330, 200..=500;
    /// SEE value of a rook, centipawns.
    see_rook: 500, 350..=800;
    /// SEE value of a queen, centipawns.
    see_queen: 950, 700..=1500;
}
