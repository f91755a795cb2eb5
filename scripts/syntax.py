#!/usr/bin/env python3
"""Lets the compiler of a build directory look at every file of it, for its warnings, without making anything.

    syntax.py BUILD_DIRECTORY JOBS

The directory was configured with CMAKE_EXPORT_COMPILE_COMMANDS. Exits with 1 where a file is refused.
"""

import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys


def commands_of(directory):
    """A command for every file: the last one, where several targets share it."""
    listed = json.loads(pathlib.Path(directory, "compile_commands.json").read_text())
    return {entry["file"]: (shlex.split(entry["command"]), entry["directory"]) for entry in listed}


def look_at(command):
    words, directory = command
    return subprocess.run([*words, "-fsyntax-only"], cwd=directory, check=False).returncode == 0


def main():
    directory, jobs = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        good = list(pool.map(look_at, commands_of(directory).values()))
    print(f"{len(good)} files, {good.count(False)} refused")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
