//! Text that a capture has and the stream has not: found by laying one over the other.
//!
//! tmux throws away what is queued of a pane when its program ends (tmux-control-mode 4.3), and a link
//! that was cut saw nothing meanwhile. What tmux still holds is its screen and history. The last rows
//! that the stream knows are looked for in them; what is behind is missing.

/// The rows behind the place where `known` ends in `captured`; the first may be the rest of a row whose
/// beginning is known. `None`: `known` is nowhere to be found.
pub fn missing(known: &[String], captured: &[String]) -> Option<Vec<String>> {
    let known = without_blank_end(known);
    let captured = without_blank_end(captured);
    let Some((last, before)) = known.split_last() else { return Some(captured.to_vec()) };
    let place = (0..captured.len())
        .filter(|&i| captured[i].starts_with(last.trim_end()))
        // the longest agreement; of equal ones the last, so that nothing is taken twice
        .max_by_key(|&i| (agreement(before, &captured[..i]), i))?;
    let rest = captured[place].get(last.len()..).unwrap_or_default();
    let rest = (!rest.is_empty()).then(|| rest.to_owned());
    Some(rest.into_iter().chain(captured[place + 1..].iter().cloned()).collect())
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

    fn check(known: &[&str], captured: &[&str], want: Option<&[&str]>) {
        let strings = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let found = missing(&strings(known), &strings(captured));
        assert_eq!(found, want.map(strings), "{known:?} {captured:?}");
    }

    #[test]
    fn what_is_behind_the_last_known_row_is_missing() {
        check(&["1", "2"], &["0", "1", "2", "3", "4"], Some(&["3", "4"]));
        check(&["1", "2", ""], &["0", "1", "2", "", ""], Some(&[]));
        check(&[], &["1", "2", ""], Some(&["1", "2"]));
        check(&["1", "2"], &["8", "9"], None);
    }

    #[test]
    fn the_rest_of_a_row_is_missing_too() {
        check(&["$ ma"], &["$ make", "ok"], Some(&["ke", "ok"]));
        check(&["$ "], &["$ make"], Some(&["make"]));
    }

    #[test]
    fn rows_that_repeat_are_placed_by_those_before_them() {
        let captured = ["a", "$", "b", "$", "c", "$"];
        check(&["a", "$"], &captured, Some(&["b", "$", "c", "$"]));
        check(&["b", "$"], &captured, Some(&["c", "$"]));
        check(&["y", "y"], &["y", "y", "y", "y"], Some(&[]));
    }
}
