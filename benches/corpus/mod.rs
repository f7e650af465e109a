//! What the benches read: program output made up here, the same on every machine and in every run.
//!
//! Coloured compiler output is the case that matters most (a build that is waited on), plain lines
//! the easiest. Lines end as a terminal driver ends them, with CR LF.

/// Pane bytes in one `%output` line of a flood, as tmux cuts them: anywhere, and about this long.
pub(crate) const CHUNK: usize = 1365;

/// A line of output, to which its number is given.
type Line = fn(u64) -> String;

/// What rustc and cargo print when they have a terminal, escape sequences and all.
const COMPILER: [Line; 8] = [
    |n| format!("\x1b[1m\x1b[32m   Compiling\x1b[0m crate-{} v0.{}.{}", n % 97, n % 13, n % 7),
    |n| {
        let warning = "\x1b[0m\x1b[1m\x1b[33mwarning\x1b[0m\x1b[0m\x1b[1m";
        format!("{warning}: unused variable: `value_{n}`\x1b[0m")
    },
    |n| {
        let arrow = "\x1b[0m  \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m--> ";
        format!("{arrow}\x1b[0m\x1b[0msrc/part/file_{}.rs:{}:9\x1b[0m", n % 53, n % 800)
    },
    |_| BAR.to_owned(),
    |n| {
        let code = format!("let value_{n} = map.get(&key).cloned().unwrap_or_default();");
        let number = n % 800;
        format!("\x1b[0m\x1b[1m\x1b[38;5;12m{number:3} |\x1b[0m\x1b[0m     {code}\x1b[0m")
    },
    |_| {
        let carets = "\x1b[0m\x1b[0m\x1b[1m\x1b[33m^^^^^^^\x1b[0m\x1b[0m \x1b[0m\x1b[0m\x1b[1m";
        format!("{BAR}\x1b[0m         {carets}\x1b[33mhelp: prefix it with an underscore\x1b[0m")
    },
    |_| String::new(),
    |n| format!("test part_{}::works_with_{n} ... \x1b[32mok\x1b[0m", n % 31),
];

const BAR: &str = "\x1b[0m   \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m|\x1b[0m";

/// A log without any escape sequence.
const PLAIN: [Line; 3] = [
    |n| format!("{} INFO request id={n} path=/items/{} served", moment(n), n % 977),
    |n| format!("{} DEBUG cache hit key=item:{} age={}ms", moment(n), n % 977, n % 5000),
    |n| format!("{n}"),
];

fn moment(n: u64) -> String {
    format!("2024-05-01T12:00:{:02}.{:03}Z", n % 60, n % 1000)
}

/// Coloured compiler output, at least so many bytes.
pub(crate) fn compiler(bytes: usize) -> Vec<u8> {
    lines(&COMPILER, bytes)
}

/// A plain log, at least so many bytes.
pub(crate) fn plain(bytes: usize) -> Vec<u8> {
    lines(&PLAIN, bytes)
}

fn lines(kinds: &[Line], bytes: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes + 200);
    for (kind, n) in kinds.iter().cycle().zip(1..) {
        if text.len() >= bytes {
            break;
        }
        text.extend(kind(n).bytes());
        text.extend(b"\r\n");
    }
    text
}

/// The pane's bytes as tmux sends them to a control client: escaped, and cut into lines.
pub(crate) fn control_lines(pane_bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(2 * pane_bytes.len());
    for chunk in pane_bytes.chunks(CHUNK) {
        lines.extend(b"%output %1 ");
        lines.extend(escaped(chunk));
        lines.push(b'\n');
    }
    lines
}

/// Escapes what tmux escapes: the control characters and the backslash.
pub(crate) fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(2 * bytes.len());
    for &byte in bytes {
        match byte {
            ..0x20 | b'\\' => text.extend(format!("\\{byte:03o}").bytes()),
            _ => text.push(byte),
        }
    }
    text
}
