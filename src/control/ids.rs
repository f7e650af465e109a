//! Panes, windows and sessions, as tmux numbers them: `%3`, `@2`, `$1`.
//!
//! A number is unique in one life of one server and never used again in it.

use std::fmt;

macro_rules! id {
    ($name:ident, $sigil:literal, $what:literal) => {
        #[doc = concat!("A ", $what, "'s number; `", $sigil, "3` in tmux's own spelling.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            #[doc = concat!("Reads `", $sigil, "` and a number, and nothing else.")]
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.strip_prefix($sigil)?;
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                plain.then(|| digits.parse().ok()).flatten().map(Self)
            }

            #[doc = concat!("Like [`", stringify!($name), "::parse`], of bytes.")]
            pub fn parse_bytes(text: &[u8]) -> Option<Self> {
                Self::parse(std::str::from_utf8(text).ok()?)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($sigil, "{}"), self.0)
            }
        }
    };
}

id!(PaneId, "%", "pane");
id!(WindowId, "@", "window");
id!(SessionId, "$", "session");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sigil_and_a_number_is_an_id() {
        assert_eq!(PaneId::parse("%12"), Some(PaneId(12)));
        for bad in ["", "%", "12", "%-1", "%+1", "%1x", "$1", "%99999999999"] {
            assert_eq!(PaneId::parse(bad), None, "{bad}");
        }
        assert_eq!(SessionId(4).to_string(), "$4");
    }
}
