//! Text that a capture has and the stream has not: found by laying one over the other.
//!
//! tmux throws away what is queued of a pane when its program ends (tmux-control-mode 4.3), and a link
//! that was cut saw nothing meanwhile. What tmux still holds is its screen and history. The last rows
//! that the stream knows are looked for in them; what is behind is missing.

/// What a capture has and the stream has not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// The rows.
    pub rows: Vec<String>,
    /// How many bytes of the first of them are known.
    pub known: usize,
}

/// The rows behind the place where `known` ends in `captured`. `None`: it is nowhere to be found.
pub fn missing(known: &[String], captured: &[String]) -> Option<Missing> {
    let known = without_blank_end(known);
    let captured = without_blank_end(captured);
    let Some((last, before)) = known.split_last() else {
        return Some(Missing { rows: captured.to_vec(), known: 0 });
    };
    let last = last.trim_end();
    let place = (0..captured.len())
        .filter(|&i| captured[i].starts_with(last))
        // the longest agreement; of equal ones the last, so that nothing is taken twice
        .max_by_key(|&i| (agreement(before, &captured[..i]), i))?;
    let is_whole = captured[place].trim_end().len() == last.len();
    let rows = captured[place + usize::from(is_whole)..].to_vec();
    Some(Missing { rows, known: if is_whole { 0 } else { last.len() } })
}

/// How many rows two lists have in common, counted from their ends.
fn agreement(a: &[String], b: &[String]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a.trim_end() == b.trim_end()).count()
}

fn without_blank_end(rows: &[String]) -> &[String] {
    let end = rows.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
    &rows[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(known: &[&str], captured: &[&str], want: Option<(&[&str], usize)>) {
        let strings = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let found = missing(&strings(known), &strings(captured));
        let want = want.map(|(rows, known)| Missing { rows: strings(rows), known });
        assert_eq!(found, want, "{known:?} {captured:?}");
    }

    #[test]
    fn what_is_behind_the_last_known_row_is_missing() {
        check(&["1", "2"], &["0", "1", "2", "3", "4"], Some((&["3", "4"], 0)));
        check(&["1", "2", ""], &["0", "1", "2", "", ""], Some((&[], 0)));
        check(&[], &["1", "2", ""], Some((&["1", "2"], 0)));
        check(&["1", "2"], &["8", "9"], None);
    }

    #[test]
    fn the_rest_of_a_row_is_missing_too() {
        check(&["$ ma"], &["$ make", "ok"], Some((&["$ make", "ok"], 4)));
        check(&["$ "], &["$ make"], Some((&["$ make"], 1)));
    }

    #[test]
    fn rows_that_repeat_are_placed_by_those_before_them() {
        let captured = ["a", "$", "b", "$", "c", "$"];
        check(&["a", "$"], &captured, Some((&["b", "$", "c", "$"], 0)));
        check(&["b", "$"], &captured, Some((&["c", "$"], 0)));
        check(&["y", "y"], &["y", "y", "y", "y"], Some((&[], 0)));
    }
}
