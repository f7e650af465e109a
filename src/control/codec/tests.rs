//! What a link says, from whole recordings down to single bytes.

use proptest::prelude::*;

use super::*;

fn decode(chunks: &[&[u8]]) -> Vec<Event> {
    let mut codec = ControlCodec::default();
    let mut buffer = BytesMut::new();
    let mut events = Vec::new();
    for chunk in chunks {
        buffer.extend_from_slice(chunk);
        while let Some(event) = codec.decode(&mut buffer).unwrap() {
            events.push(event);
        }
    }
    events
}

fn reply(ours: bool, ok: bool, body: &'static str) -> Event {
    Event::Reply(Reply { ours, ok, body: Bytes::from(body) })
}

fn output(pane: u32, bytes: &'static [u8]) -> Event {
    Event::Output { pane: PaneId(pane), bytes: Bytes::from(bytes) }
}

#[test]
fn replies_output_and_notices_are_told_apart() {
    let text = b"%begin 1 2 0\n%end 1 2 0\n%session-changed $0 main\n%output %1 a\\015\\012\n\
        %begin 1 3 1\ncan't find pane: %9\n%error 1 3 1\n%exit\n";
    assert_eq!(
        decode(&[text]),
        [
            reply(false, true, ""),
            Event::Notice(Notice::SessionChanged(crate::control::SessionId(0))),
            output(1, b"a\r\n"),
            reply(true, false, "can't find pane: %9\n"),
            Event::Exit(None),
        ]
    );
}

#[test]
fn control_mode_text_on_a_captured_screen_stays_text() {
    let text = b"%begin 1 3 1\n%end 1 2 1\n%exit\n%output %0 X\n%error 1 3 0\n%end 1 3 1\n";
    let body = "%end 1 2 1\n%exit\n%output %0 X\n%error 1 3 0\n";
    assert_eq!(decode(&[text]), [reply(true, true, body)]);
}

#[test]
fn any_byte_of_output_passes() {
    let mut line = b"%output %7 ".to_vec();
    for b in 0..=255u8 {
        if b < 0x20 || b == b'\\' {
            line.extend(format!("\\{b:03o}").bytes());
        } else {
            line.push(b);
        }
    }
    line.push(b'\n');
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(decode(&[&line]), [Event::Output { pane: PaneId(7), bytes: all.into() }]);
}

#[test]
fn extended_output_is_output() {
    assert_eq!(decode(&[b"%extended-output %1 0 : a : b\n"]), [output(1, b"a : b")]);
}

#[test]
fn stray_and_broken_lines_are_passed_over() {
    let text = b"noise of a hook\n%output\n%output x y\n%output %1\n%begin\n%output %1 z\n\n";
    // `%begin` without fields opens nothing
    assert_eq!(
        decode(&[text]),
        [Event::Notice(Notice::Other), Event::Notice(Notice::Other), output(1, b"z")]
    );
}

#[test]
fn an_exit_may_have_a_reason() {
    let events = decode(&[b"%exit server exited unexpectedly\n"]);
    assert_eq!(events, [Event::Exit(Some("server exited unexpectedly".to_owned()))]);
}

#[test]
fn a_line_without_end_is_an_error_and_not_memory() {
    let mut codec = ControlCodec::default();
    let mut buffer = BytesMut::from(&vec![b'x'; MAX_LINE_BYTES + 1][..]);
    assert!(matches!(codec.decode(&mut buffer), Err(CodecError::LineTooLong)));
}

proptest! {
    #[test]
    fn any_split_of_a_link_gives_the_same_events(cuts in proptest::collection::vec(0usize..200, 0..12)) {
        let text: &[u8] = b"%begin 1 2 1\nab\n%end 1 2 1\n%output %1 \\033[1mX\n%window-add @3\n\
            %output %2 caf\xc3\xa9\\012\n%begin 1 3 0\n%error 1 3 0\n%exit\n";
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
        cuts.push(text.len());
        cuts.sort_unstable();
        let mut at = 0;
        let chunks: Vec<&[u8]> = cuts.iter().map(|&c| { let part = &text[at..c]; at = c; part }).collect();
        prop_assert_eq!(decode(&chunks), decode(&[text]));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        decode(&[&bytes]);
    }
}
