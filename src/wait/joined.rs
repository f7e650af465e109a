//! Finished rows, joined by line ends, for patterns that can match a line break (W4).
//!
//! A window over the last rows: what was before it no longer matches together with what comes.

use crate::limits::JOINED_BYTES;
use crate::pane::row::{OLD, RowText, Span};
use crate::pane::{Kind, Row};

/// The last finished rows of a pane, since a wait began.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    rows: RowText,
    position: u64,
}

impl Joined {
    /// Adds a row, if it is finished. The rows so far, as one that has been shown up to the last of them.
    pub fn add(&mut self, row: &Row<'_>) -> Option<Row<'_>> {
        if row.kind != Kind::Finished {
            return None;
        }
        if !self.rows.text.is_empty() {
            // the line end belongs to the row before it
            self.rows.push("\n", &[Span { at: 0, stamp: OLD }]);
        }
        self.rows.push(row.text, row.spans);
        self.rows.keep_end(JOINED_BYTES);
        let shown = std::mem::replace(&mut self.position, row.position);
        let (text, spans) = (self.rows.text.as_str(), self.rows.spans.as_slice());
        Some(Row { text, spans, edge: text.len(), headless: false, shown, ..*row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_rows_are_joined_within_a_window() {
        let mut joined = Joined::default();
        let spans = [Span { at: 0, stamp: 1 }];
        let row = |text, kind| Row { kind, ..Row::finished(text, &spans, 9) };
        assert!(joined.add(&row("a", Kind::Open)).is_none());
        joined.add(&row("a", Kind::Finished));
        joined.add(&row("", Kind::Finished));
        assert_eq!(joined.add(&row("b", Kind::Finished)).unwrap().text, "a\n\nb");
        for _ in 0..5000 {
            joined.add(&row("0123456789", Kind::Finished));
        }
        assert!(joined.rows.text.len() <= JOINED_BYTES);
    }
}
