//! What a caller looks for, compiled, within its limits (W15).
//!
//! The engine runs in linear time, whatever the pattern. Stop patterns come first, since within one
//! row they beat the others (W5).

use std::collections::BTreeMap;
use std::ops::Range;

use panewatch_protocol::error::ErrorKind;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::boundary;
use crate::limits::{MAX_COMPILED_BYTES, MAX_PATTERN_BYTES, MAX_PATTERNS, ROW_OVERLAP_BYTES};
use crate::pane::Row;

/// How often a search goes on one character behind a hit that contains nothing new, before it goes
/// on behind the whole hit.
const MAX_STEPS: usize = 1000;

/// The patterns of one wait.
#[derive(Debug, Clone)]
pub struct Patterns {
    /// All of them at once, to pass over most rows quickly.
    any: RegexSet,
    each: Vec<Pattern>,
    stops: usize,
    /// How far before new text a match may begin, in bytes.
    lookback: usize,
    literal: bool,
    /// One of them can match a line break.
    breaks_lines: bool,
}

#[derive(Debug, Clone)]
struct Pattern {
    regex: Regex,
    given: String,
}

/// How a caller wants its patterns read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// As regular expressions.
    pub regex: bool,
    /// Upper and lower case differ.
    pub match_case: bool,
}

/// Where a row answers a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// A stop pattern hit.
    pub stopped: bool,
    /// Which one, in its own list.
    pub index: usize,
    /// The bytes of the row's text that matched.
    pub range: Range<usize>,
}

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The hit.
    pub hit: Option<Hit>,
    /// There is a match that does not count yet, since the row may still grow or change (W4).
    pub unsettled: bool,
}

/// Why patterns are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    /// `invalid_argument` or `invalid_pattern`.
    pub kind: ErrorKind,
    message: String,
}

impl Patterns {
    /// Compiles the two lists. `None`: neither was given.
    pub fn compile(
        patterns: Option<&[String]>,
        stop: Option<&[String]>,
        reading: Reading,
    ) -> Result<Option<Self>, PatternError> {
        for (name, list) in [("patterns", patterns), ("stop", stop)] {
            list.map_or(Ok(()), |list| check_list(name, list))?;
        }
        let stops = stop.unwrap_or_default();
        let given: Vec<&String> = stops.iter().chain(patterns.unwrap_or_default()).collect();
        if given.is_empty() {
            return Ok(None);
        }
        let sources: Vec<String> = given.iter().map(|p| source(p, reading)).collect();
        let each = given.iter().zip(&sources).map(|(p, s)| Pattern::compile(p, s, reading));
        let each = each.collect::<Result<_, _>>()?;
        let any = RegexSetBuilder::new(&sources)
            .case_insensitive(!reading.match_case)
            .size_limit(MAX_COMPILED_BYTES)
            .build()
            .map_err(|e| invalid(format!("the patterns together are too large: {e}")))?;
        let longest = given.iter().map(|p| p.len()).max().unwrap_or(0);
        // a letter may match one that is up to three bytes longer in the other case
        let lookback = if reading.regex { ROW_OVERLAP_BYTES } else { 4 * longest };
        let breaks_lines = sources.iter().any(|s| can_match_line_break(s));
        let (stops, literal) = (stops.len(), !reading.regex);
        Ok(Some(Self { any, each, stops, lookback, literal, breaks_lines }))
    }

    /// Whether one of the patterns can match a line break.
    pub fn breaks_lines(&self) -> bool {
        self.breaks_lines
    }

    /// The groups of a hit in the text where it hit, by number and by name. A literal has none.
    pub fn captures(&self, hit: &Hit, text: &str) -> BTreeMap<String, Option<String>> {
        let regex = &self.each[self.place(hit)].regex;
        let mut groups = BTreeMap::new();
        let Some(found) = regex.captures_at(text, hit.range.start) else { return groups };
        for (number, name) in regex.capture_names().enumerate().skip(1) {
            let text = found.get(number).map(|group| group.as_str().to_owned());
            if let Some(name) = name {
                groups.insert(name.to_owned(), text.clone());
            }
            groups.insert(number.to_string(), text);
        }
        groups
    }

    fn place(&self, hit: &Hit) -> usize {
        if hit.stopped { hit.index } else { self.stops + hit.index }
    }

    /// The pattern of a hit, as it was given.
    pub fn given(&self, hit: &Hit) -> &str {
        &self.each[self.place(hit)].given
    }

    /// Whether a wanted pattern stands in a row, old or new.
    pub fn stands_in(&self, row: &Row<'_>) -> bool {
        self.any.matches(row.text).iter().any(|i| i >= self.stops)
    }

    /// Looks in a row for a match that contains text newer than `start` (W1) and that was not
    /// searched when the row was shown before.
    pub fn search(&self, row: &Row<'_>, start: u64) -> Search {
        let Some(new) = row.first_newer(start.max(row.shown)) else { return Search::default() };
        let from = self.search_from(row, new);
        if !self.any.is_match_at(row.text, from) {
            return Search::default();
        }
        let mut unsettled = false;
        for (i, pattern) in self.each.iter().enumerate() {
            let (range, counts) = match self.first_match(pattern, row, from, start) {
                (Some(range), counts) => (range, counts),
                (None, mixture) => {
                    unsettled |= mixture;
                    continue;
                }
            };
            if counts {
                let stopped = i < self.stops;
                let index = if stopped { i } else { i - self.stops };
                return Search { hit: Some(Hit { stopped, index, range }), unsettled: false };
            }
            unsettled = true;
        }
        Search { hit: None, unsettled }
    }

    /// Of a pattern's matches from a byte on that contain something new, the one that was complete first
    /// (W5), since a row need not have been written from left to right; and whether it counts yet, or, if
    /// there is none, whether there is one that is a mixture.
    fn first_match(
        &self,
        pattern: &Pattern,
        row: &Row<'_>,
        from: usize,
        start: u64,
    ) -> (Option<Range<usize>>, bool) {
        let new =
            pattern.matches(row.text, from).filter(|range| row.has_newer(range.clone(), start));
        let (mixtures, whole): (Vec<_>, Vec<_>) = new.partition(|range| row.is_mixture(range));
        match whole.into_iter().min_by_key(|range| row.newest(range.clone())) {
            Some(first) => {
                let counts = !self.may_grow(row, &first);
                (Some(first), counts)
            }
            None => (None, !mixtures.is_empty()),
        }
    }

    fn search_from(&self, row: &Row<'_>, new: usize) -> usize {
        let mut from = new.saturating_sub(self.lookback);
        if row.headless {
            // the text's beginning is not the row's: no `^` there
            from = from.max(1);
        }
        boundary::ceil(row.text, from)
    }

    /// W4: a literal cannot grow, a regular expression's match at the end of an open row can.
    fn may_grow(&self, row: &Row<'_>, range: &Range<usize>) -> bool {
        !self.literal && row.can_grow() && range.end == row.text.len()
    }
}

impl Pattern {
    fn compile(given: &str, source: &str, reading: Reading) -> Result<Self, PatternError> {
        let regex = RegexBuilder::new(source)
            .case_insensitive(!reading.match_case)
            .size_limit(MAX_COMPILED_BYTES)
            .build()
            .map_err(|error| invalid_regex(given, &error))?;
        Ok(Self { regex, given: given.to_owned() })
    }

    /// The matches from a byte on, at most one for each place where one begins.
    fn matches(&self, text: &str, from: usize) -> impl Iterator<Item = Range<usize>> {
        let mut at = Some(from);
        (0..).map_while(move |step| {
            let range = self.regex.find_at(text, at?)?.range();
            let next = if step < MAX_STEPS { range.start } else { range.end };
            at = text[next..].chars().next().map(|c| next + c.len_utf8());
            Some(range)
        })
    }
}

/// Whether a regular expression can match text with a line break in it, read off its parts.
fn can_match_line_break(source: &str) -> bool {
    fn any(part: &Hir) -> bool {
        match part.kind() {
            HirKind::Literal(literal) => literal.0.contains(&b'\n'),
            HirKind::Class(Class::Unicode(class)) => {
                class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&'\n'))
            }
            HirKind::Class(Class::Bytes(class)) => {
                class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&b'\n'))
            }
            HirKind::Repetition(repetition) => any(&repetition.sub),
            HirKind::Capture(capture) => any(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(any),
            HirKind::Empty | HirKind::Look(_) => false,
        }
    }
    regex_syntax::parse(source).is_ok_and(|whole| any(&whole))
}

fn source(pattern: &str, reading: Reading) -> String {
    if reading.regex { pattern.to_owned() } else { regex::escape(pattern) }
}

fn check_list(name: &str, list: &[String]) -> Result<(), PatternError> {
    let refuse = |message| Err(PatternError { kind: ErrorKind::InvalidArgument, message });
    if list.is_empty() {
        return refuse(format!("`{name}` is an empty list; leave it out or name at least one"));
    }
    if list.len() > MAX_PATTERNS {
        let count = list.len();
        return refuse(format!("`{name}` has {count} entries; at most {MAX_PATTERNS} are allowed"));
    }
    for (i, pattern) in list.iter().enumerate() {
        if pattern.is_empty() {
            return Err(invalid(format!("`{name}[{i}]` is empty, which every row would match")));
        }
        if pattern.len() > MAX_PATTERN_BYTES {
            let bytes = pattern.len();
            let message =
                format!("`{name}[{i}]` has {bytes} bytes; at most {MAX_PATTERN_BYTES} are allowed");
            return Err(invalid(message));
        }
    }
    Ok(())
}

fn invalid(message: String) -> PatternError {
    PatternError { kind: ErrorKind::InvalidPattern, message }
}

fn invalid_regex(given: &str, error: &regex::Error) -> PatternError {
    let why = match error {
        regex::Error::CompiledTooBig(limit) => format!("compiled it is larger than {limit} bytes"),
        // the library's text is a drawing over several lines; its last line says what is wrong
        other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
    };
    let shown: String = given.chars().take(100).collect();
    invalid(format!("`{shown}` is not a usable regular expression: {why}"))
}

#[cfg(test)]
mod tests;
