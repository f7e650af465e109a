//! Where text can be cut: the character boundaries next to a byte.
//!
//! A leaf. What `str::floor_char_boundary` and its twin do from Rust 1.91 on.

/// The last boundary that is not behind the byte `at`.
pub fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// The first boundary that is not before the byte `at`; the text's end at the latest.
pub fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::{ceil, floor};

    #[test]
    fn a_character_is_never_cut() {
        let places = |of: fn(&str, usize) -> usize| [0, 1, 2, 3, 4, 9].map(|at| of("a界", at));
        assert_eq!(places(floor), [0, 1, 1, 1, 4, 4]);
        assert_eq!(places(ceil), [0, 1, 4, 4, 4, 4]);
    }
}
