#!/usr/bin/env python3
"""Runs small cases of the program and compares what they print with the files beside them (README.md).

    run.py [--accept] PROGRAM GROUP[/CASE] ..
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PATTERN = re.compile(rf"<number>|<({NUMBER}) ({NUMBER})>")
SHELL = shutil.which("bash") or "sh"  # one that knows pipefail, which dash does not
SCRIPT = 'set -euo pipefail; . "$HELPERS/field.sh"; [ ! -e "$CASES/setup.sh" ] || . "$CASES/setup.sh"; . "$CASES/$CASE.sh"'
KINDS = ("out", "err", "status")


def line_matches(expected, printed):
    """Whether a line is as expected: text, but in a line with <..> numbers within their tolerance, and blanks of any width."""
    patterns = list(PATTERN.finditer(expected))
    if not patterns:
        return expected == printed
    texts = re.split(r"\0", PATTERN.sub("\0", expected))
    texts = [re.sub(r"(\\ )+", " +", re.escape(text)) for text in texts]
    found = re.fullmatch(f"({NUMBER})".join(texts), printed)
    return found is not None and all(
        pattern[1] is None or abs(float(number) - float(pattern[1])) <= float(pattern[2])
        for pattern, number in zip(patterns, found.groups())
    )


def lines_match(expected, printed):
    """The same for all lines; an expected line `...` stands for any number of lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(lines_match(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and line_matches(expected[0], printed[0]) and lines_match(expected[1:], printed[1:])


def is_long(number):
    """A fraction with three digits or more: rounding, and so another machine, can move the last one."""
    return re.search(r"[.eE]", number) and len(re.sub(r"[eE].*|\D", "", number).strip("0")) > 2


def long_numbers(line):
    return [number for number in re.findall(rf"(?<![\w.]){NUMBER}", PATTERN.sub("", line)) if is_long(number)]


def with_tolerance(line):
    """A printed line as an expectation: long numbers get a tolerance of 1 %."""
    def bracket(found):
        value = float(found[0])
        return f"<{value:.3g} {abs(value) / 100:.1g}>" if is_long(found[0]) else found[0]
    return re.sub(rf"(?<![\w.]){NUMBER}", bracket, line)


def run(program, script, work):
    """Runs a case in the directory `work`: what it printed and its status, as lines."""
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", LC_ALL="C", OMP_NUM_THREADS="1",
                       HELPERS=str(HERE), CASES=str(script.parent), CASE=script.stem)
    done = subprocess.run([SHELL, "-c", SCRIPT], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    streams = [stream.decode(errors="backslashreplace").splitlines() for stream in (done.stdout, done.stderr)]
    return dict(zip(KINDS, [*streams, [str(done.returncode)]]))


def expected_lines(script, kind):
    path = script.with_suffix(f".{kind}")
    if path.exists():
        return path.read_text().splitlines()
    return ["0"] if kind == "status" else []


def difference(script, kind, expected, printed):
    """Nothing, or what to show of one stream."""
    name = f"{script.parent.name}/{script.stem}.{kind}"
    wrong = [f"{name}: write <{n} TOLERANCE>, as rounding can move the digits of {n}" for line in expected for n in long_numbers(line)]
    if not lines_match(expected, printed):
        # A line that is as expected is shown as one that both have.
        shown = [next((e for e in expected if line_matches(e, line)), line) for line in printed]
        wrong += difflib.unified_diff(expected, shown, f"{name}, expected", "printed", lineterm="")
    return wrong


def renewed(expected, printed):
    """What was printed, as expectations: lines that are as expected stay as they are written, and `...` where it can."""
    shown = [next((e for e in expected if line_matches(e, line)), with_tolerance(line)) for line in printed]
    lines = []
    for _, i, i_end, j, j_end in difflib.SequenceMatcher(None, expected, shown, False).get_opcodes():
        old, new = expected[i:i_end], shown[j:j_end]
        nearest = [o if o == "..." else "".join(difflib.get_close_matches(o, new, 1, 0)) for o in old]
        lines += nearest if "..." in old else new
    return lines if lines_match(lines, printed) else shown


def accept(script, kind, expected, printed):
    """Writes what was printed, unless it is as expected."""
    if lines_match(expected, printed):
        return
    path = script.with_suffix(f".{kind}")
    path.unlink(missing_ok=True)
    lines = renewed(expected, printed)
    if lines != expected_lines(script, kind): # those without a file
        path.write_text("".join(f"{line}\n" for line in lines))


def check(program, script, accepting):
    """Runs one case; whether all is as expected."""
    with tempfile.TemporaryDirectory() as work:
        for table in script.parent.glob("*.csv"):
            pathlib.Path(work, table.name).write_bytes(table.read_bytes())
        printed = run(program, script, work)
    wrong = []
    for kind in KINDS:
        if accepting:
            accept(script, kind, expected_lines(script, kind), printed[kind])
        wrong += difference(script, kind, expected_lines(script, kind), printed[kind])
    if wrong:
        print(f"FAIL: {script.parent.name}/{script.stem}", *wrong, sep="\n")
    return not wrong


def is_left_out(script):
    """Long cases whose code others run under sanitizers as well; they say so."""
    return "SANITIZED" in os.environ and "# Not under sanitizers: " in script.read_text()


def scripts_of(name):
    """The scripts of a group or of one case. Files that belong to no case are an error: nobody would look at them."""
    group, _, case = name.partition("/")
    scripts = sorted(s for s in (HERE / group).glob(f"{case or '*'}.sh") if s.stem != "setup" and not is_left_out(s))
    if not scripts:
        sys.exit(f"there is no case {name} in {HERE}")
    for kind in KINDS:
        for path in (HERE / group).glob(f"*.{kind}"):
            if not path.with_suffix(".sh").exists():
                sys.exit(f"{path} belongs to no case")
    return scripts


def main():
    parser = argparse.ArgumentParser(description="Runs small cases of the program (README.md).")
    parser.add_argument("--accept", action="store_true", help="write what is printed into the files of the cases")
    parser.add_argument("program", type=pathlib.Path, help="the program, such as build/dev/cli/orff")
    parser.add_argument("names", nargs="+", metavar="GROUP[/CASE]")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if program.name != "orff" or not os.access(program, os.X_OK):
        sys.exit(f"there is no program orff at {program}")
    good = [check(program, script, arguments.accept) for name in arguments.names for script in scripts_of(name)]
    print(f"{len(good)} cases, {good.count(False)} failures")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
