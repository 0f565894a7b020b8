#!/usr/bin/env python3
"""Writes what a run has tried into the table of docs/TRUST.md: trust.py RUN, where RUN names the run and its length.

Reads the file that TIDINGS_REPORT names. Each of its lines has what was tried, the seeds, when that began and ended, and
how often, with tabs between them: "losses of power", "38", "", "40 images". Both times are milliseconds since 1970. What was
tried several times is added up and becomes one row, which takes the place of the one that an earlier run has written.
"""

import datetime
import os
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs/TRUST.md"
BEGIN, END = "<!-- what runs have tried -->\n", "<!-- end of what runs have tried -->\n"


def sums(lines):
    """The seeds, the times and the counts by unit of each thing that was tried."""
    found = {}
    for line in lines:
        what, seeds, span, *counts = line.rstrip("\n").split("\t")
        row = found.setdefault(what, (set(), set(), {}))
        row[0].update(int(seed) for seed in seeds.split("–") if seed)
        row[1].update(int(time) for time in span.split("–") if time)
        for count in counts:
            number, unit = count.split(" ", 1)
            row[2][unit] = row[2].get(unit, 0) + int(number)
    return found


def took(times, counts):
    """How long it took, and how many of the last of the counts are in a second."""
    if not times:
        return "–"
    seconds = max(max(times) - min(times), 1) / 1000
    unit, number = list(counts.items())[-1]
    return f"{seconds:,.0f} s, {number / seconds:,.0f} {unit} a second"


def cells(run, what, seeds, times, counts):
    """A row of the table."""
    drawn = "–" if not seeds else str(min(seeds)) if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)}"
    often = ", ".join(f"{number:,} {unit}" for unit, number in counts.items())
    return f"| {what} | {often} | {drawn} | {took(times, counts)} | {run}, {datetime.date.today()} |\n"


def main(run):
    with open(os.environ["TIDINGS_REPORT"], encoding="utf-8") as report:
        found = sums(report)
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    table, after = rest.split(END)
    head, line, *rows = table.splitlines(keepends=True)
    rows = {row.split("|")[1].strip(): row for row in rows}
    rows |= {what: cells(run, what, *row) for what, row in found.items()}
    PAGE.write_text("".join([before, BEGIN, head, line, *rows.values(), END, after]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
