//! Edits by column, held against a line that is a plain list of cells.

use proptest::prelude::*;

use super::*;

/// The slow and obvious line: one entry a column; the right half of a wide character is `None`.
#[derive(Debug, Default, Clone)]
struct Model(Vec<Option<(char, u64)>>);

impl Model {
    fn part(&mut self, column: usize) {
        if column < self.0.len() && self.0[column].is_none() {
            self.0[column] = Some((' ', OLD));
            self.0[column - 1] = Some((' ', OLD));
        }
    }

    fn put(&mut self, column: usize, chars: &[(char, usize)], stamp: u64) {
        let width: usize = chars.iter().map(|c| c.1).sum();
        while self.0.len() < column {
            self.0.push(Some((' ', OLD)));
        }
        self.part(column);
        let end = (column + width).min(self.0.len());
        self.part(end);
        let mut new = Vec::new();
        let mut at = stamp;
        for &(c, width) in chars {
            new.push(Some((c, at)));
            new.extend(std::iter::repeat_n(None, width - 1));
            at += c.len_utf8() as u64;
        }
        self.0.splice(column..end, new);
    }

    fn erase(&mut self, columns: Range<usize>) {
        if columns.start >= self.0.len() {
            return;
        }
        self.part(columns.start);
        if columns.end >= self.0.len() {
            self.0.truncate(columns.start);
        } else {
            self.part(columns.end);
            self.0[columns].fill(Some((' ', OLD)));
        }
    }

    /// Only as far as all that comes in is made up for by what moves.
    fn insert(&mut self, column: usize, count: usize, width: usize) {
        if column < self.0.len() {
            self.part(column);
            self.0.splice(column..column, std::iter::repeat_n(Some((' ', OLD)), count));
            self.part(width);
            self.0.truncate(width);
        }
    }

    fn delete(&mut self, column: usize, count: usize) {
        if column < self.0.len() {
            let end = (column + count).min(self.0.len());
            self.part(column);
            self.part(end);
            self.0.drain(column..end);
        }
    }

    fn text(&self) -> String {
        self.0.iter().flatten().map(|c| c.0).collect()
    }

    fn stamps(&self) -> Vec<u64> {
        let bytes = |&(c, stamp): &(char, u64)| {
            (0..c.len_utf8() as u64).map(move |i| if stamp == OLD { OLD } else { stamp + i })
        };
        self.0.iter().flatten().flat_map(bytes).collect()
    }
}

fn stamps(line: &Line) -> Vec<u64> {
    (0..line.text.len())
        .map(|at| {
            let span = line.spans.partition_point(|s| s.at as usize <= at) - 1;
            line.spans[span].stamp_at(at)
        })
        .collect()
}

#[derive(Debug, Clone)]
enum Edit {
    Ascii(usize, String),
    Wide(usize),
    Narrow(usize),
    Erase(usize, usize),
    Insert(usize, usize),
    Delete(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0usize..24, "[a-z]{1,6}").prop_map(|(c, t)| Edit::Ascii(c, t)),
        (0usize..24).prop_map(Edit::Wide),
        (0usize..24).prop_map(Edit::Narrow),
        (0usize..24, 1usize..8).prop_map(|(c, n)| Edit::Erase(c, n)),
        (0usize..24, 1usize..4).prop_map(|(c, n)| Edit::Insert(c, n)),
        (0usize..24, 1usize..8).prop_map(|(c, n)| Edit::Delete(c, n)),
    ]
}

proptest! {
    #[test]
    fn edits_do_to_text_and_stamps_what_they_do_to_cells(edits in proptest::collection::vec(edit(), 1..30)) {
        let (mut line, mut model) = (Line::default(), Model::default());
        for (i, edit) in edits.into_iter().enumerate() {
            let stamp = 1 + 100 * i as u64;
            match edit {
                Edit::Ascii(column, text) => {
                    line.put_ascii(column, &text, stamp);
                    let chars: Vec<_> = text.chars().map(|c| (c, 1)).collect();
                    model.put(column, &chars, stamp);
                }
                Edit::Wide(column) => {
                    line.put_char(column, '界', 2, stamp);
                    model.put(column, &[('界', 2)], stamp);
                }
                Edit::Narrow(column) => {
                    line.put_char(column, 'é', 1, stamp);
                    model.put(column, &[('é', 1)], stamp);
                }
                Edit::Erase(column, count) => {
                    line.erase(column..column + count);
                    model.erase(column..column + count);
                }
                Edit::Insert(column, count) => {
                    line.insert(column, count, 30);
                    model.insert(column, count, 30);
                }
                Edit::Delete(column, count) => {
                    line.delete(column, count);
                    model.delete(column, count);
                }
            }
            prop_assert_eq!(line.text(), model.text());
            prop_assert_eq!(line.columns(), model.0.len());
            prop_assert_eq!(stamps(&line), model.stamps());
        }
    }
}

#[test]
fn a_combining_character_joins_the_cell_before_it() {
    let mut line = Line::default();
    line.put_ascii(0, "cafe!", 1);
    line.combine(4, '\u{301}', 9);
    assert_eq!((line.text(), line.columns()), ("cafe\u{301}!", 5));
    line.put_ascii(3, "E", 20);
    assert_eq!(line.text(), "cafE!");
}

#[test]
fn what_a_range_of_columns_shows() {
    let mut line = Line::default();
    line.put_ascii(0, "ab", 1);
    line.put_ascii(6, "x", 5);
    assert!(line.shows(0..1) && line.shows(6..9));
    assert!(!line.shows(2..6) && !line.shows(7..90));
    line.put_char(2, '界', 2, 9);
    assert_eq!(line.slice(0..3), "ab界");
    assert_eq!(line.slice(3..5), "界 ");
}
