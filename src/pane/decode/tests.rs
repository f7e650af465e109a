//! What sequences do to rows: each case is bytes, and the rows of an 20x5 screen afterwards.

use super::*;

fn rows(bytes: &[u8]) -> Vec<String> {
    let mut screen = Screen::new(20, 5);
    Decoder::default().advance(&mut screen, bytes, 0, usize::MAX);
    let mut rows = Vec::new();
    screen.for_each_row(|_, row| rows.push(row.text.to_owned()));
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

fn check(bytes: &[u8], want: &[&str]) {
    assert_eq!(rows(bytes), want, "{}", bytes.escape_ascii());
}

#[test]
fn text_and_line_ends() {
    check(b"one\r\ntwo", &["one", "two"]);
    check(b"one\ntwo", &["one", "   two"]);
    check(b"a\x0bb\x0cc", &["a", " b", "  c"]);
    check(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", &["3", "4", "5", "6", "7"]);
}

#[test]
fn a_wrapped_line_is_one_row() {
    check(b"0123456789012345678901234", &["0123456789012345678901234"]);
    check(b"01234567890123456789\r\nx", &["01234567890123456789", "x"]);
    check("0123456789012345678界x".as_bytes(), &["0123456789012345678界x"]);
    check(b"\x1b[?7l01234567890123456789abc", &["0123456789012345678c"]);
}

#[test]
fn escapes_titles_and_payloads_are_not_text() {
    check(b"BUI\x1b[1mLD \x1b[0;31mOK\x1b[m", &["BUILD OK"]);
    check(b"\x1b]0;title\x07x\x1b]2;t\x1b\\y", &["xy"]);
    check(b"\x1bP1;2qpayload\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\z\x1bXsos\x1b\\w", &["xyzw"]);
    check(b"\x1bkname\x1b\\x", &["x"]);
    check(b"\x1b]8;;http://h/\x1b\\link\x1b]8;;\x1b\\", &["link"]);
    check(b"a\x1b[12\x18b\x1b[99999999999999999999mc", &["abc"]);
    check(b"\x1b[<1;2ux\x1b[38:2::1:2:3my", &["xy"]);
}

#[test]
fn characters_arrive_whole_and_bad_bytes_are_marked() {
    check("é界e\u{301}".as_bytes(), &["é界e\u{301}"]);
    check(b"a\xffb\xc3c\xe7\x95d", &["a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}d"]);
    check(b"\xc3\x1b[mx", &["\u{fffd}x"]);
    check(b"\xf0\x9f\x98\x80\xed\xa0\x80", &["😀\u{fffd}\u{fffd}\u{fffd}"]);
}

#[test]
fn a_tab_stays_a_tab() {
    check(b"a\tb", &["a\tb"]);
    check(b"a\tb\rABC", &["ABC     b"]);
    check(b"abcdefghij\r\tX", &["abcdefghXj"]);
}

#[test]
fn line_drawing_and_repeats_become_characters() {
    check(b"\x1b(0lqk\x1b(Bq", &["┌─┐q"]);
    check(b"\x1b)0\x0eqx\x0fqx", &["─│qx"]);
    check(b"ab\x1b[3b|", &["abbbb|"]);
}

#[test]
fn edits_within_a_row() {
    check(b"loading\rdone", &["doneing"]);
    check(b"loading\rdone\x1b[K", &["done"]);
    check(b"abc\x08\x08X", &["aXc"]);
    check(b"abcdef\x1b[3D\x1b[P", &["abcef"]);
    check(b"abcdef\x1b[3D\x1b[2@XY", &["abcXYdef"]);
    check(b"abcdef\x1b[4D\x1b[2X|", &["ab| ef"]);
    check(b"abcdef\x1b[2D\x1b[1K", &["     f"]);
    check(b"abc\x1b[4h\r12\x1b[4l", &["12abc"]);
    check(b"ab\x1b[10Gz", &["ab       z"]);
}

#[test]
fn cursor_addressing_and_regions() {
    check(b"\x1b[2;3Hx\x1b[Hy\x1b[3dz", &["y", "  x", " z"]);
    check(b"1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[4;1H\nX", &["1", "3", "4", "X", "5"]);
    check(b"1\r\n2\r\n3\x1b[H\x1bMx", &["x", "1", "2", "3"]);
    check(b"1\r\n2\r\n3\x1b[2H\x1b[Lx\x1b[3H\x1b[M", &["1", "x", "3"]);
    check(b"\x1b7abc\x1b8X", &["Xbc"]);
    check(b"one\r\ntwo\x1b[Jx\x1b[1;2H\x1b[J", &["o"]);
    check(b"one\r\ntwo\x1b[2J\x1b[Hx", &["x"]);
}

#[test]
fn a_full_screen_program_leaves_the_screen_as_it_was() {
    check(b"shell\x1b[?1049h\x1b[HEDITOR\x1b[?1049l!", &["shell!"]);
}

/// With its `std` feature vte keeps a title whole, however long it is: any pane could fill memory.
#[test]
fn an_open_title_does_not_grow_memory() {
    #[derive(Default)]
    struct Title(usize);
    impl Perform for Title {
        fn osc_dispatch(&mut self, params: &[&[u8]], _bell_terminated: bool) {
            self.0 = params.iter().map(|p| p.len()).sum();
        }
    }
    let (mut parser, mut title): (Parser, Title) = Default::default();
    parser.advance(&mut title, b"\x1b]0;");
    for _ in 0..64 {
        parser.advance(&mut title, &vec![b'x'; 1 << 16]);
    }
    parser.advance(&mut title, b"\x07");
    assert!((1..=1024).contains(&title.0), "vte kept {} bytes of a title", title.0);
}
