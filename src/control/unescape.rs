//! The octal escapes of `%output`, undone in place: the result is never longer than the input.
//!
//! tmux escapes exactly 0x00-0x1f and the backslash, each as `\` and three octal digits; every other
//! byte is raw (tmux-control-mode 3).

use bytes::BytesMut;
use memchr::memchr;

/// Replaces each `\ooo` by its byte. Anything else behind a backslash is left as it stands, since
/// tmux never sends it.
pub fn unescape(data: &mut BytesMut) {
    let Some(first) = memchr(b'\\', data) else { return };
    let (mut read, mut write) = (first, first);
    while read < data.len() {
        if let Some(byte) = octal(&data[read..]) {
            data[write] = byte;
            (read, write) = (read + 4, write + 1);
        } else {
            data[write] = data[read];
            (read, write) = (read + 1, write + 1);
        }
        let run = memchr(b'\\', &data[read..]).unwrap_or(data.len() - read);
        data.copy_within(read..read + run, write);
        (read, write) = (read + run, write + run);
    }
    data.truncate(write);
}

fn octal(text: &[u8]) -> Option<u8> {
    let &[b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] = text else { return None };
    Some(((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unescaped(text: &[u8]) -> Vec<u8> {
        let mut data = BytesMut::from(text);
        unescape(&mut data);
        data.to_vec()
    }

    #[test]
    fn escapes_become_their_bytes_and_the_rest_stays() {
        for (text, want) in [
            (&b"plain"[..], &b"plain"[..]),
            (br"\033[1mX\015\012", b"\x1b[1mX\r\n"),
            (br"a\134b", br"a\b"),
            (br"\134\134", br"\\"),
            (br"\377\000", b"\xff\0"),
            (br"\9", br"\9"),
            (br"end\", br"end\"),
            (br"\01", br"\01"),
            (br"\400", br"\400"),
            (b"", b""),
        ] {
            assert_eq!(unescaped(text), want, "{}", text.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn what_tmux_escapes_comes_back_whole(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut escaped = Vec::new();
            for &b in &bytes {
                if b < 0x20 || b == b'\\' {
                    escaped.extend(format!("\\{b:03o}").bytes());
                } else {
                    escaped.push(b);
                }
            }
            prop_assert_eq!(unescaped(&escaped), bytes);
        }
    }
}
