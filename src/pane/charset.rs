//! The line-drawing characters that `ESC ( 0` puts in the place of small letters (W2).

/// What a character of the line-drawing set stands for; other characters stand for themselves.
pub fn line_drawing(c: char) -> char {
    const DRAWN: [char; 31] = [
        '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─',
        '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
    ];
    match c {
        '`'..='~' => DRAWN[c as usize - '`' as usize],
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::line_drawing;

    #[test]
    fn letters_become_lines() {
        let drawn: String = "lqk xmj`~AZ".chars().map(line_drawing).collect();
        assert_eq!(drawn, "┌─┐ │└┘◆·AZ");
    }
}
