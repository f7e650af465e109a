//! Sequences of text and controls, the same ones for the same seed.
//!
//! A sequence is a list of pieces, so that one that fails can be shrunk a piece at a time.

/// A generator of numbers that needs nothing but its seed (splitmix64).
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("a number below a usize")
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A sequence for a pane of a size in cells.
pub(super) fn sequence(rng: &mut Rng, width: usize, height: usize) -> Vec<Vec<u8>> {
    let count = 1 + rng.below(40);
    (0..count).map(|_| piece(rng, width, height)).collect()
}

fn piece(rng: &mut Rng, width: usize, height: usize) -> Vec<u8> {
    match rng.below(100) {
        0..28 => text(rng, width),
        28..36 => character(rng),
        36..38 => bad_bytes(rng),
        38..56 => rng.pick(CONTROLS).to_vec(),
        56..80 => with_numbers(rng, width, height),
        80..96 => rng.pick(SEQUENCES).to_vec(),
        _ => rng.pick(STRINGS).to_vec(),
    }
}

fn text(rng: &mut Rng, width: usize) -> Vec<u8> {
    let most = if rng.below(4) == 0 { 2 * width } else { 8 };
    (0..=rng.below(most)).map(|_| rng.pick(b"abcdefgqxXYZ019  _~`")).collect()
}

/// Narrow, wide and combining characters whose width is beyond dispute.
fn character(rng: &mut Rng) -> Vec<u8> {
    const CHARACTERS: &[&str] =
        &["é", "ß", "€", "│", "界", "語", "😀", "🚀", "e\u{301}", "\u{308}"];
    (0..=rng.below(3)).flat_map(|_| rng.pick(CHARACTERS).bytes()).collect()
}

/// The letter behind them ends what the bytes may have begun.
fn bad_bytes(rng: &mut Rng) -> Vec<u8> {
    const BAD: &[&[u8]] = &[b"\xffB", b"\xc3B", b"\xe7\x95B", b"\x80B", b"\xf0\x9f\x98B", b"\x9bB"];
    rng.pick(BAD).to_vec()
}

/// Whether a piece is one that bytes outside UTF-8 begin.
pub(super) fn is_bad(piece: &[u8]) -> bool {
    std::str::from_utf8(piece).is_err()
}

const CONTROLS: &[&[u8]] = &[
    b"\r",
    b"\n",
    b"\r\n",
    b"\r\n",
    b"\x08",
    b"\x08\x08",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x07",
    b"\0",
    b"\x0e",
    b"\x0f",
    b"\x05",
];

/// A control sequence whose numbers may be missing, 0, or larger than the screen.
fn with_numbers(rng: &mut Rng, width: usize, height: usize) -> Vec<u8> {
    let mut number = |most: usize| match rng.below(6) {
        0 => String::new(),
        1 => "0".to_owned(),
        _ => (1 + rng.below(most + 2)).to_string(),
    };
    let (x, y, z) = (number(width), number(height), number(height));
    let (small, few) = (number(4), number(8));
    match rng.below(16) {
        0 => format!("\x1b[{y}A"),
        1 => format!("\x1b[{y}B"),
        2 => format!("\x1b[{x}C"),
        3 => format!("\x1b[{x}D"),
        4 => format!("\x1b[{y}{}", rng.pick(&['E', 'F', 'd'])),
        5 => format!("\x1b[{x}{}", rng.pick(&['G', '`'])),
        6..9 => format!("\x1b[{y};{x}{}", rng.pick(&['H', 'f'])),
        9 => format!("\x1b[{few}{}", rng.pick(&['@', 'P'])),
        10 => format!("\x1b[{x}X"),
        11 => format!("\x1b[{small}{}", rng.pick(&['L', 'M'])),
        12 => format!("\x1b[{small}{}", rng.pick(&['S', 'T'])),
        // a 0 there is not told from nothing by vte, and is by tmux
        13 => format!("\x1b[{y};{}r", z.trim_start_matches('0')),
        14 => format!("\x1b[{small}{}", rng.pick(&['Z', 'b', 'b'])),
        _ => format!("\x1b[{}{}", rng.pick(&["", "0", "1", "2"]), rng.pick(&['J', 'K', 'K'])),
    }
    .into_bytes()
}

const SEQUENCES: &[&[u8]] = &[
    b"\x1bM",
    b"\x1bD",
    b"\x1bE",
    b"\x1b[r",
    b"\x1b[?6h",
    b"\x1b[?6l",
    b"\x1b[?7l",
    b"\x1b[?7h",
    b"\x1b[4h",
    b"\x1b[4l",
    b"\x1b7",
    b"\x1b8",
    b"\x1b[s",
    b"\x1b[u",
    b"\x1bH",
    b"\x1b[g",
    b"\x1b[3g",
    b"\x1b(0",
    b"\x1b(B",
    b"\x1b)0",
    b"\x1b)B",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?47h",
    b"\x1b[?47l",
    b"\x1b[?1047h",
    b"\x1b[?1047l",
    b"\x1b[?2026h",
    b"\x1b[?2026l",
    b"\x1b[m",
    b"\x1b[1;31m",
    b"\x1b[38;2;1;2;3m",
    b"\x1b[38:5:9m",
    b"\x1bc",
    b"\x1b[?25l",
    b"\x1b=",
    b"\x1b>",
    b"\x1b[3J",
    b"\x1b[44m",
    b"\x1b[?3h",
    b"\x1b[4:3m",
    b"\x1b[12\x18",
    b"\x1b[1\r2C",
    b"\x1b[3 q",
    b"\x1b[?2004h",
    b"\x1b[!p",
    b"\x1b[\x1b[2C",
    b"\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18m",
    b"\x1b[99999999999C",
];

const STRINGS: &[&[u8]] = &[
    b"\x1b]0;title\x07",
    b"\x1b]2;title\x1b\\",
    b"\x1b]0;ti\ntle\x07",
    b"\x1b]8;;http://h/\x1b\\",
    b"\x1b]133;A\x07",
    b"\x1bP1$tx\x1b\\",
    b"\x1bPtmux;x\x1b\\",
    b"\x1b_apc\x1b\\",
    b"\x1b^pm\x1b\\",
    b"\x1bXsos\x1b\\",
    b"\x1bkname\x1b\\",
    b"\x1b]0;cut\x18",
    "\x1b]0;größe\x07".as_bytes(),
];
