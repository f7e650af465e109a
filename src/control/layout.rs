//! The sizes that a `%layout-change` carries, so that a resize has its exact place in the stream.
//!
//! A layout is `checksum,CELL`; a CELL is `WxH,X,Y` followed by `,ID` for a pane, or by cells in
//! `{}` (side by side), `[]` (one above the other) or, from 3.8 on, `<>` (floating).

use super::PaneId;

/// A pane's size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneSize {
    /// The pane.
    pub pane: PaneId,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// The panes of a layout and their sizes. What cannot be read is left out.
pub fn sizes(layout: &str) -> Vec<PaneSize> {
    let mut rest = layout.split_once(',').map_or("", |(_checksum, cells)| cells);
    let mut found = Vec::new();
    while let Some((cell, behind)) = cell(rest) {
        found.extend(cell);
        rest = behind.trim_start_matches([',', '{', '}', '[', ']', '<', '>']);
    }
    found
}

/// One `WxH,X,Y[,ID]` and what is behind it.
fn cell(text: &str) -> Option<(Option<PaneSize>, &str)> {
    let (width, text) = number(text)?;
    let (height, text) = number(text.strip_prefix('x')?)?;
    let (_x, text) = number(text.strip_prefix(',')?)?;
    let (_y, text) = number(text.strip_prefix(',')?)?;
    let Some((id, behind)) = text.strip_prefix(',').and_then(number) else {
        return Some((None, text));
    };
    let size = u16::try_from(width).ok().zip(u16::try_from(height).ok());
    Some((size.map(|(width, height)| PaneSize { pane: PaneId(id), width, height }), behind))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layout: &str, want: &[(u32, u16, u16)]) {
        let found: Vec<_> = sizes(layout).iter().map(|s| (s.pane.0, s.width, s.height)).collect();
        assert_eq!(found, want, "{layout}");
    }

    #[test]
    fn every_pane_of_a_layout_has_its_size() {
        check("b25d,80x24,0,0,0", &[(0, 80, 24)]);
        check("9a1f,80x24,0,0[80x12,0,0,0,80x11,0,13,1]", &[(0, 80, 12), (1, 80, 11)]);
        check(
            "1d3b,80x24,0,0{40x24,0,0,0,39x24,41,0[39x12,41,0,1,39x11,41,13,2]}",
            &[(0, 40, 24), (1, 39, 12), (2, 39, 11)],
        );
    }

    #[test]
    fn a_layout_that_is_none_has_no_panes() {
        for text in ["", "b25d", "b25d,", "b25d,80", "b25d,80x", "b25d,80x24,0", "x,99999x1,0,0,1"]
        {
            check(text, &[]);
        }
    }
}
