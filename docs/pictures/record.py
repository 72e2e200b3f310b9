#!/usr/bin/env python3
"""Draws docs/pictures/check-and-fix.svg: `check` and `fix -w` as a terminal shows them.

    python3 -m venv target/pictures && target/pictures/bin/pip install rich==15.0.0
    target/pictures/bin/python docs/pictures/record.py [--check] [BINARY]

The commands run in a pseudo-terminal of 84 columns, in a folder of their own. `--check` compares instead of writing.
"""

import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "check-and-fix.svg"
COLUMNS = 84
THEME = TerminalTheme(
    (30, 34, 42),
    (214, 219, 228),
    [(59, 66, 82), (224, 108, 117), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194), (171, 178, 191)],
    [(92, 99, 112), (224, 108, 117), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194), (255, 255, 255)],
)


def run(command, folder, home):
    """What a command prints on a terminal."""
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": home}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    printed = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        printed += read
    os.waitpid(pid, 0)
    return printed.decode().replace("\r\n", "\n")


def draw(binary):
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        shutil.copy(ROOT / "testdata" / "readme" / "weather.json", folder)
        for words in (["check"], ["fix", "-w"]):
            console.print(Text.from_ansi(f"\033[1;32m$\033[0m \033[1mreplaylint {' '.join(words)} weather.json\033[0m"))
            printed = run([binary, *words, "weather.json"], folder, home).replace(folder + "/", "")
            console.print(Text.from_ansi(printed.rstrip("\n") + "\n"))
    svg = console.export_svg(title="replaylint", theme=THEME, unique_id="replaylint")
    # GitHub loads no font from elsewhere; the letters are placed one by one, so that any monospaced one does.
    svg = re.sub(r"\s*@font-face \{.*?\}\n", "\n", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace")
    return re.sub(r"[ \t]+\n", "\n", svg)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    binary = arguments[0] if arguments else str(ROOT / "target" / "release" / "replaylint")
    if not pathlib.Path(binary).exists():
        subprocess.run(["cargo", "build", "--release", "--manifest-path", ROOT / "Cargo.toml"], check=True)
    svg = draw(str(pathlib.Path(binary).resolve()))
    if "--check" in sys.argv:
        if PICTURE.read_text() != svg:
            sys.exit(f"{PICTURE.relative_to(ROOT)} does not show what the program prints; run this script")
        return
    PICTURE.write_text(svg)
    print(f"{PICTURE.relative_to(ROOT)}: {len(svg)} bytes")


main()
