//! What the user at the terminal may do.

/// A key that was pressed.
// Systems without a terminal have no keys.
#[cfg_attr(target_family = "wasm", expect(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A letter or another sign.
    Sign(char),
    Left,
    Right,
    Home,
    End,
    Enter,
    Backspace,
    Escape,
    /// Ctrl-C or Ctrl-D.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// The terminal has another size, or its content is lost.
    Redraw,
}
