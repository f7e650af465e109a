//! The only printer: text for people, JSON for programs, and never half of each.

use std::io::{self, Write};

use serde::Serialize;

use super::exit::Exit;
use crate::client::ClientError;

/// Where a command prints.
#[derive(Debug)]
pub struct Output {
    json: bool,
}

impl Output {
    /// Prints JSON, or text.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints an answer: whole, as JSON, or as `text` says it.
    pub fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        text: impl FnOnce(&T) -> String,
    ) -> io::Result<()> {
        let text = if self.json { serde_json::to_string(answer)? } else { text(answer) };
        if text.is_empty() { Ok(()) } else { self.line(&text) }
    }

    /// Prints a line. A reader that has had enough, such as `head`, is no error.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        match writeln!(io::stdout().lock(), "{text}") {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            printed => printed,
        }
    }

    /// Says in words, beside the answer, how a command went.
    pub fn remark(&mut self, text: &str) {
        if !self.json {
            writeln!(io::stderr().lock(), "panewatch: {text}").ok();
        }
    }

    /// Says what went wrong.
    pub fn error(&mut self, error: &anyhow::Error) -> Exit {
        if self.json {
            let refused = error.downcast_ref::<ClientError>();
            let (kind, code) = match refused {
                Some(ClientError::Refused { kind, code, .. }) => (*kind, Some(*code)),
                _ => (None, None),
            };
            let message = format!("{error:#}");
            let object =
                serde_json::json!({"error": {"message": message, "kind": kind, "code": code}});
            self.line(&object.to_string()).ok();
        } else {
            writeln!(io::stderr().lock(), "panewatch: {error:#}").ok();
        }
        Exit::Wrong
    }
}

/// Columns of text, as wide as their widest cells.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = [["a", "bcd", "e"], ["fgh", "", "i"]].map(|r| r.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "a    bcd  e\nfgh       i");
        assert_eq!(table(&[]), "");
    }
}
