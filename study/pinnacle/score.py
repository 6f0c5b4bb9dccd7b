#!/usr/bin/env python3
"""Trains the problems of this folder and scores them as PINNacle does: score.py PDERUN REFERENCES OUT [--only NAME] [OPTIONS of pderun].

REFERENCES is a directory of the benchmark's reference data: its public text files, or .npz files of arrays named by the
coordinates and fields. What it does not hold is scored by the solution that the file states, or not at all.
The score is the relative L2 error over all points and fields together."""
import csv
import math
import os
import re
import struct
import subprocess
import sys
import zipfile

# name: (npz, text, coordinates, fields); a time is the last coordinate
PROBLEMS = {
    "burgers1d": ("burgers1d", "burgers1d", "xt", "u"),
    "poisson2d_c": ("poisson2d_c", "poisson1_cg_data", "xy", "u"),
    "poisson2d_cg": ("poisson2d_cg", "poisson_boltzmann2d", "xy", "u"),
    "heat2d_lt": ("heat2d_lt", "heat_longtime", "xyt", "u"),
    "ns2d_c": ("ns2d_c", "lid_driven_a4", "xy", "uvp"),
    "ns2d_cg": ("ns2d_cg", "ns_0_obstacle", "xy", "uvp"),
}


def read_array(data):
    """A .npy file of little-endian doubles: its shape and numbers."""
    if data[:6] != b"\x93NUMPY":
        raise ValueError("no array")
    size, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    header = data[start:start + size].decode("latin1")
    if "'<f8'" not in header or "'fortran_order': False" not in header:
        raise ValueError("an array that is not of doubles in rows")
    shape = [int(n) for n in re.findall(r"\d+", header.split("'shape':")[1].split(")")[0])]
    count = math.prod(shape)
    return shape, struct.unpack("<%dd" % count, data[start + size:start + size + 8 * count])


def rows_of_npz(path, coordinates, fields):
    with zipfile.ZipFile(path) as archive:
        array = {name[:-4]: read_array(archive.read(name)) for name in archive.namelist()}
    nodes = coordinates.rstrip("t")
    times = array["t"][1] if "t" in coordinates else [None]
    rows = []
    for i in range(array[nodes[0]][0][0]):
        place = [array[name][1][i] for name in nodes]
        for j, t in enumerate(times):
            values = [array[f][1][i * len(times) + j] for f in fields]
            rows.append((place + ([] if t is None else [t]), values))
    return rows


def rows_of_text(path, coordinates, fields):
    """Nodes a line; with time all fields of the first time, then of the next, as the head of the file says."""
    nodes = len(coordinates.rstrip("t"))
    times, rows = [None], []
    with open(path, encoding="latin1") as file:
        for line in file:
            if line.startswith("%"):
                found = re.findall(r"@ t=([0-9.eE+-]+)", line)
                if found:
                    times = [float(t) for t in found[::len(fields)]]
                continue
            number = [float(word) for word in line.split()]
            for j, t in enumerate(times if number else []):
                at = nodes + j * len(fields)
                rows.append((number[:nodes] + ([] if t is None else [t]), number[at:at + len(fields)]))
    return rows


def reference(directory, name):
    if name not in PROBLEMS:
        return None
    npz, text, coordinates, fields = PROBLEMS[name]
    for path, read in ((npz + ".npz", rows_of_npz), (text + ".dat", rows_of_text)):
        path = os.path.join(directory, path)
        if os.path.exists(path):
            rows = read(path, coordinates, fields)
            return [r for r in rows if not any(math.isnan(v) for v in r[0] + r[1])]
    return None


def score(pderun, run, fields, rows):
    points, values = run + ".points.csv", run + ".values.csv"
    with open(points, "w", encoding="ascii") as file:
        for place, _ in rows:
            file.write(",".join(repr(v) for v in place) + "\n")
    subprocess.run([pderun, run, "--predict", points, "--what", ",".join(fields), "--out", values], check=True,
                   stdout=subprocess.DEVNULL)
    with open(values, encoding="ascii") as file:
        got = [[float(v) for v in row] for row in list(csv.reader(file))[1:]]
    gap = sum((g - v) ** 2 for row, found in zip(rows, got) for g, v in zip(found, row[1]))
    size = sum(v ** 2 for row in rows for v in row[1])
    return math.sqrt(gap / size)


def stated_error(text):
    """What pderun says beside the solution that the file states: `this run  L2 ...`, a line for each field."""
    found = [float(m) for m in re.findall(r"^ +this run +([0-9.e+-]+)", text, re.M)]
    return max(found) if found else None


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    pderun, references, out, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    only = None
    if options[:1] == ["--only"]:
        only, options = options[1], options[2:]
    here = os.path.dirname(os.path.abspath(__file__))
    os.makedirs(out, exist_ok=True)
    for file in sorted(os.listdir(here)):
        name = file[:-4]
        if not file.endswith(".pde") or (only and name != only):
            continue
        run = os.path.join(out, name)
        trained = subprocess.run([pderun, os.path.join(here, file), "--out", run, "--force", "--no-report", *options],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        rows = reference(references, name)
        if trained.returncode not in (0, 4):
            result = "failed: " + (trained.stdout.strip().splitlines() or ["nothing said"])[-1]
        elif rows:
            result = "%.3g  against %d reference points" % (score(pderun, run, PROBLEMS[name][3], rows), len(rows))
        else:
            error = stated_error(trained.stdout)
            result = "no reference" if error is None else "%.3g  of the worst field, against the stated solution" % error
        print("%-16s %s" % (name, result), flush=True)


if __name__ == "__main__":
    main()
