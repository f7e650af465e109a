//! Words for tmux's own command language, where a command is given as one string.

/// The word as tmux reads it back, whatever it contains. Nothing inside single quotes is special; a
/// quote itself stands outside them behind a backslash.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "%@-_+.,:/".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn a_word_stays_one_word() {
        for (word, want) in [
            ("C-c", "C-c"),
            ("", "''"),
            (";", "';'"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("#{pane_id}", "'#{pane_id}'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quote(word), want);
        }
    }
}
