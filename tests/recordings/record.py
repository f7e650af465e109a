#!/usr/bin/env python3
"""Records control-mode sessions, as the tests replay them.

  record.py TMUX...

For each tmux and each program below, NAME-VERSION.ctl holds every byte that a control client got, and
NAME-VERSION.txt what `capture-pane -p -J` said of the pane at the end. Each runs on a private server.
"""
import os
import subprocess
import sys
import tempfile
import time

PROGRAMS = {
    "lines": r"""
out(b'\x1b[32mgreen\x1b[0m and plain\r\n')
for n in range(0, 101, 20):
    out(b'\rprogress %d%%' % n)
out(b'\r\x1b[Kdone\r\n')
out('caf\u00e9 \u754c\u9762'.encode()[:6]); out('caf\u00e9 \u754c\u9762'.encode()[6:]); out(b'\r\n')
out(b'\x1b]0;a title\x07tabs\tand \\ backslash\r\n')
out(b'x' * 100 + b' wrapped\r\n')
""",
    "screen": r"""
out(b'before\r\n')
out(b'\x1b[?1049h\x1b[2J\x1b[5;10Hfull screen\x1b[7;1Hsecond')
out(b'\x1b[5;10H\x1b[K\x1b[10;3Hmoved')
out(b'\x1b[?1049lafter\r\n')
out(b'\x1b[10;5Hhere\x1b[12;1Hthere\x1b[10;7H\x1b[2Pxx')
""",
    "protocol": r"""
out(b'%end 1 2 1\r\n%exit\r\n%output %0 spoof\r\n%begin 1 2 1\r\n%error 1 2 1\r\n')
out(b'%session-changed $9 other\r\n\r\n%pause %0\r\n')
""",
}

PRELUDE = "import os, time\ndef out(b):\n    os.write(1, b); time.sleep(0.02)\ntime.sleep(0.3)\n"


def record(tmux, version, name, program):
    with tempfile.TemporaryDirectory() as directory:
        socket, script = os.path.join(directory, "t"), os.path.join(directory, "p.py")
        with open(script, "w") as file:
            file.write(PRELUDE + program + "out(b'\\x1b]2;the-end\\x07'); time.sleep(60)\n")

        def run(*words):
            command = [tmux, "-S", socket, "-f", "/dev/null", *words]
            return subprocess.run(command, capture_output=True, check=True).stdout

        run("new-session", "-d", "-x", "80", "-y", "24", f"stty raw -echo; exec python3 {script}")
        attach = ["-N", "-C", "attach-session", "-E", "-f", "ignore-size", "-t", "$0"]
        client = subprocess.Popen([tmux, "-S", socket, *attach], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        while run("display-message", "-p", "#{pane_title}").strip() != b"the-end":
            time.sleep(0.05)
        client.stdin.write(b"capture-pane -p -t %0\nlist-panes -t %99\n")
        client.stdin.flush()
        time.sleep(0.2)
        screen = run("capture-pane", "-p", "-J")
        run("kill-server")
        said = client.stdout.read()
        client.wait()
    here = os.path.dirname(os.path.abspath(__file__))
    for ending, data in (("ctl", said), ("txt", screen)):
        with open(os.path.join(here, f"{name}-{version}.{ending}"), "wb") as file:
            file.write(data)


for tmux in sys.argv[1:]:
    version = subprocess.run([tmux, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    for name, program in PROGRAMS.items():
        record(tmux, version, name, program)
        print(name, version)
