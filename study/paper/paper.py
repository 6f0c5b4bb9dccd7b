#!/usr/bin/env python3
"""The tables of the SDGD paper (Hu et al., arXiv 2307.12306), with its own coefficients: published figures, ours beside them.

usage: paper.py PDEC PDERUN DIR [--plan | --quick | --full] [--only WORD] [--hours H]

Every row is a run kept in DIR; a second call goes on where the first stopped. DIR/paper.md and DIR/paper.html are made anew after
each run. A row takes its own steps where they need at most an hour (measured before it starts: pderun --plan), else a
tenth of them with the schedule compressed, and the page says so beside the time that all would take.
  --plan   prints every row's steps and hours, and runs nothing
  --quick  rows of a minute at most, with a minute's worth of steps where they would take longer: under 15 minutes in all
  --full   all steps of every row, however long
  --only   rows whose name the expression matches
  --hours  stops before a row that would end after so many hours"""
import html
import json
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "examples"))
import results  # noqa: E402: runs and what they measured

HOUR, MINUTE = 3600.0, 60.0
QUICK, QUICK_ROW = 13 * MINUTE, 40.0
# The paper's c: numpy.random.seed(0), then numpy.random.randn(d - 1).
COEFFICIENTS = (r"(random c_i ~ normal\(0, 1\) for i = 1..d-1) seed 7", r"\1 seed 0 generator mt19937")
PUBLISHED_ADAM = "--optimiser adam --rate 'linear(1e-3,0)' --width 128 --depth 4"


class Row:
    def __init__(self, name, example, d, options, steps, published="", note="", change=(), cannot=""):
        self.name, self.example, self.d, self.options, self.steps = name, example, d, options, steps
        self.published, self.note, self.change, self.cannot = published, note, list(change), cannot

    def text(self):
        """The example with the paper's coefficients."""
        with open(os.path.join(ROOT, "examples", self.example + ".pde"), encoding="utf-8") as file:
            text = file.read()
        for pattern, replacement in self.change:
            text, n = re.subn(pattern, replacement, text)
            if n == 0:
                sys.exit(f"{self.name}: {self.example}.pde has no '{pattern}'")
        return text


class Table:
    def __init__(self, title, about, rows):
        self.title, self.about, self.rows = title, about, rows


def dims(values):
    return [int(v) for v in values.split()]


def elliptic():
    """Section 5.1, Table 1."""
    published = {
        "poisson": "7.189e-3 5.611e-4 1.758e-3 1.850e-3 2.175e-3",
        "allen_cahn": "7.187e-3 5.615e-4 1.762e-3 1.864e-3 2.178e-3",
        "sine_gordon": "7.192e-3 5.641e-4 1.795e-3 1.854e-3 2.177e-3",
    }
    vanilla = {
        "poisson": "7.189e-3 5.609e-4 1.768e-3 - -",
        "allen_cahn": "7.187e-3 5.617e-4 1.773e-3 - -",
        "sine_gordon": "7.192e-3 5.642e-4 1.782e-3 - -",
    }
    hours, megabytes = "0.05 0.75 1.18 1.5 12".split(), "1328 1788 3335 4527 32777".split()
    of_vanilla = ["0.05 h, 1328 MB", "4.75 h, 4425 MB", "30.54 h, 56563 MB", "out of memory", "out of memory"]
    rows = []
    for name in published:
        for k, d in enumerate(dims("100 1000 5000 10000 100000")):
            example, equation = f"elliptic_{name}", name.replace("_", " ")
            rows.append(Row(f"{name} {d} sdgd", example, d, f"{PUBLISHED_ADAM} --algorithm 3 --points 100 --terms 100", 10000,
                            f"{published[name].split()[k]}, {hours[k]} h, {megabytes[k]} MB", f"{equation}: algorithm 3, as published",
                            [COEFFICIENTS]))
            rows.append(Row(f"{name} {d} exact", example, d, f"{PUBLISHED_ADAM} --algorithm exact --points 100", 10000,
                            f"{vanilla[name].split()[k]}, {of_vanilla[k]}", f"{equation}: all terms (vanilla PINN), in closed form",
                            [COEFFICIENTS]))
            rows.append(Row(f"{name} {d} ours", example, d,
                            "--optimiser natural --rate 'linear(0.3,0)' --algorithm exact --width 64 --depth 3 --points 300",
                            200 if d <= 1000 else 60, "", f"{equation}: natural gradient", [COEFFICIENTS]))
    return Table("Section 5.1: elliptic equations on the ball (Table 1)",
                 "Relative L2 error. The coefficients c are the paper's (numpy's legacy generator, seed 0). Its error at 10,000 "
                 "and 100,000 is within 3 % that of one fitted constant.", rows)


def ablations():
    """Section 5.1, the two ablations, Sine-Gordon."""
    grid = [(100, 100, "2.177e-3, 12.1 h"), (1000, 10, "2.190e-3, 8.9 h"), (10, 1000, "2.185e-3, 155.9 h"),
            (10000, 1, "2.180e-3, 86.8 h"), (1, 10000, "-, 1518 h"), (100, 10, "2.203e-3, 2.4 h"),
            (10, 100, "2.189e-3, 15.9 h"), (10, 10, "2.794e-3, 1.25 h")]
    rows = [Row(f"grid {i}x{b}", "elliptic_sine_gordon", 100000,
                f"{PUBLISHED_ADAM} --algorithm 3 --terms {i} --points {b}", 10000, p, f"terms {i}, points {b}", [COEFFICIENTS])
            for i, b, p in grid]
    two = {1: ["5.134e-4, 4.36 h", "-, > 24 h", "-, > 120 h"], 2: ["5.193e-4, 1.08 h", "1.682e-3, 1.8 h", "2.039e-3, 14.4 h"],
           3: ["5.641e-4, 0.75 h", "1.854e-3, 1.5 h", "2.177e-3, 12 h"]}
    for algorithm, cells in two.items():
        for d, p in zip(dims("1000 10000 100000"), cells):
            rows.append(Row(f"algorithm {algorithm} {d}", "elliptic_sine_gordon", d,
                            f"{PUBLISHED_ADAM} --algorithm {algorithm} --terms 100 --points 100", 10000, p,
                            f"algorithm {algorithm}", [COEFFICIENTS]))
    for estimator, name in (("coordinate", "terms"), ("rademacher", "Hutchinson probes")):
        rows.append(Row(f"probes {estimator}", "elliptic_sine_gordon", 1000,
                        f"{PUBLISHED_ADAM} --algorithm 3 --terms 16 --points 100 --estimator {estimator}", 10000, "",
                        f"16 {name}", [COEFFICIENTS]))
    rows.append(Row("power schedule", "elliptic_sine_gordon", 1000,
                    "--optimiser sgd --rate 'power(0.1,10,0.75)' --width 128 --depth 4 --algorithm 2 --terms 100 --points 100", 10000,
                    "", "gamma / (n + m)^p of Theorem 4.3, plain SGD", [COEFFICIENTS]))
    return Table("Section 5.1: ablations, Sine-Gordon", "Points times terms at d = 100,000; algorithms 1, 2 and 3.", rows)


def parabolic():
    """Section 5.2."""
    published = {"allen_cahn": "7.815e-4 3.142e-4 7.042e-4 2.477e-4", "semilinear_heat": "1.052e-3 5.263e-4 6.910e-4 1.598e-3",
                 "sine_gordon": "2.265e-3 2.310e-3 1.674e-3 1.956e-3"}
    others = {
        "allen_cahn": ["FBSNN 1.3e-3, DeepBSDE 4.6e-3, deep splitting 3.6e-3", "2.2e-3, 2.5e-3, 1.6e-3", "7.0e-3, 3.0e-3, 2.4e-3",
                       "5.4e-2, 3.0e-3, 3.0e-3"],
        "semilinear_heat": ["3.9e-3, 3.0e-3, 2.8e-3", "8.3e-4, 3.2e-3, 3.4e-3", "7.7e-3, 3.5e-3, 3.4e-3", "1.4e-2, 4.3e-3, 3.5e-3"],
        "sine_gordon": ["2.6e-3, 3.2e-3, 3.3e-3", "4.3e-3, 2.8e-3, 2.7e-3", "2.3e-1, 2.2e-3, 2.2e-3", "5.2e-1, 2.6e-3, 2.2e-3"],
    }
    wanted = {
        "allen_cahn": "0.890526 1.044246 1.091164 1.114654",
        "semilinear_heat": "0.469549871352 0.316627807586 0.287468391604 0.284307131591",
        "sine_gordon": "0.322926385336 0.0528094354029 0.00558891587075 0.000562085082282",
    }
    rows = []
    for name, line in published.items():
        for k, d in enumerate(dims("10 100 1000 10000")):
            rows.append(Row(f"parabolic {name} {d}", f"parabolic_{name}", d, f"--set wanted={wanted[name].split()[k]}", None,
                            f"{line.split()[k]}; {others[name][k]}", f"{name.replace('_', ' ')}: features and settings of the file"))
    return Table("Section 5.2: parabolic equations at one point",
                 "Relative error at the point, against references that are good to all printed digits. Published: SDGD; then FBSNN, "
                 "DeepBSDE and deep splitting, quoted from the paper.", rows)


def hjb():
    """Section 5.3."""
    published = {"log": "6.147e-3 5.852e-3 4.926e-2 4.852e-2", "rosenbrock": "5.419e-3 4.153e-3 4.168e-2 4.091e-2"}
    hours = "210 217 481 855".split()
    rows = []
    for name, line in published.items():
        for k, d in enumerate(dims("250 1000 10000 100000")):
            theirs = f"{line.split()[k]}, {hours[k]} min" + ("; Wang et al. 1.2e-2, He et al. 1.4e-2" if k == 0 else "")
            example = "hjb_log_points" if name == "log" else "hjb_rosenbrock"
            options = "--set spread=1 --optimiser natural --rate 'linear(0.3,0)' --points 200 --width 32 --depth 3" if name == "log" else ""
            rows.append(Row(f"hjb {name} {d}", example, d, options, 300 if d <= 10000 else 100, theirs,
                            f"{name}: features, natural gradient, points along the paths"))
    rows.append(Row("hjb log 250 adversarial", "hjb_log_points", 250, "--attack-steps 20 --points 100", 3000, "6.147e-3, 210 min",
                    "adversarial points, sign attack of 20 steps"))
    return Table("Section 5.3: Hamilton-Jacobi-Bellman", "Relative L2 error on the test law N(0, I), t uniform.", rows)


def eigen():
    """Section 5.4."""
    rows = [Row(f"oscillators {d}", "qho", d, "", None, "below 1e-6 (curves only)", "uncoupled, eigen-solve") for d in dims("10 100 1000 20000")]
    rows += [Row(f"coupled {d}", "coupled_oscillator_sine", d, "", None, "below 1e-6 (curves only)",
                 "coupled, in sine coordinates, eigen-solve") for d in dims("10 100 1000 20000")]
    rows += [Row(f"oscillators by gradient {d}", "oscillator_uncoupled", d, "--solver gradient", 50000, "below 1e-6 (curves only)",
                 "uncoupled, Adam, all terms accumulated, as published") for d in dims("10 100")]
    return Table("Section 5.4: ground states by tensor networks", "Relative error of the eigenvalue.", rows)


TABLES = [elliptic(), ablations(), parabolic(), hjb(), eigen()]


class Bench:
    def __init__(self, pdec, pderun, out):
        self.pdec, self.pderun, self.out = os.path.abspath(pdec), os.path.abspath(pderun), os.path.abspath(out)
        os.makedirs(self.out, exist_ok=True)

    def path(self, row):
        return os.path.join(self.out, row.name.replace(" ", "_"))

    def module(self, row):
        path = self.path(row) + ".pde"
        with open(path, "w", encoding="utf-8") as file:
            file.write(row.text())
        subprocess.run([self.pdec, path, "-o", self.path(row) + ".so"], check=True)
        return self.path(row) + ".so"

    def words(self, row, module, steps):
        words = [self.pderun, module, "--effort", "none", "--set", f"d={row.d}"] + shlex.split(row.options)
        return words + (["--iterations", str(steps)] if steps is not None else [])

    def estimate(self, row, module):
        """Seconds of a step and of all steps, of a step that was taken now; NaN: not known."""
        found = subprocess.run(self.words(row, module, row.steps) + ["--plan"], capture_output=True, text=True)
        step = re.search(r"measured now\s+([\d.e+-]+) ms", found.stdout)
        if found.returncode != 0 or not step:
            return float("nan"), float("nan")
        seconds = float(step[1]) / 1000
        return seconds, seconds * (row.steps or 300)

    def steps_of(self, row, seconds, mode):
        """Steps to take, and whether these are all."""
        limit = QUICK_ROW if mode == "quick" else HOUR if mode == "normal" else float("inf")
        if row.steps is None or not seconds * row.steps > limit:
            return row.steps, True
        if mode == "quick":
            return max(1, int(limit / seconds)), False
        return max(1, row.steps // 10), False

    def run(self, row, module, steps, whole, estimate):
        part = self.path(row) + ".part"
        subprocess.run(["rm", "-rf", part], check=True)
        words = self.words(row, module, steps) + ["--out", part, "--quiet"]
        begun = time.time()
        with open(self.path(row) + ".txt", "w", encoding="utf-8") as text:
            child = subprocess.Popen(words, stdout=text, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(child.pid, 0)
        if status != 0 or not os.path.isdir(part):
            return print(f"{row.name}: failed, see {self.path(row)}.txt", flush=True)
        os.rename(self.path(row) + ".txt", os.path.join(part, "output.txt"))
        cost = {"cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024,
                "seconds": time.time() - begun, "steps": steps, "whole": whole, "all_seconds": estimate,
                "command": self.command(row, steps)}
        with open(os.path.join(part, "cost.json"), "w", encoding="utf-8") as file:
            json.dump(cost, file)
        os.rename(part, self.path(row))
        print(row.name, results.measured(self.path(row))["error"], flush=True)
        return None

    def command(self, row, steps):
        words = ["pderun", os.path.basename(self.path(row)) + ".so"] + self.words(row, "", steps)[2:]
        return " ".join(shlex.quote(w) for w in words)


def duration(seconds):
    if not seconds == seconds:
        return "?"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / HOUR:.1f} h"


def cells(bench, row):
    """Of one row of the page: name, d, published, ours, trivial predictors, time, memory."""
    out = bench.path(row)
    head = [row.note or row.name, f"{row.d:,}", row.published or "-"]
    if not os.path.exists(os.path.join(out, "cost.json")):
        return head + [row.cannot or "not run", "", "", ""]
    found = results.measured(out)
    trivial = "; ".join(f"{k} {results.number(v)}" for k, v in found["trivial"].items() if k != "zero")
    took = duration(found["seconds"])
    if not found["whole"]:
        took += f" ({found['steps']:,} of {row.steps:,} steps; all: {duration(found['all_seconds'])})"
    return head + [f"{found['error']:.2e}", trivial, took, f"{found['peak_mb']:.0f} MB"]


COLUMNS = ["run", "d", "published", "ours", "trivial predictors", "time", "memory"]


def page(bench, tables):
    lines, body, commands = ["# The paper's tables", ""], [], []
    for table in tables:
        rows = [cells(bench, row) for row in table.rows]
        lines += [f"## {table.title}", "", table.about, "", "| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows] + [""]
        body.append(f"<h2>{html.escape(table.title)}</h2><p>{html.escape(table.about)}</p><table><tr>"
                    + "".join(f"<th>{c}</th>" for c in COLUMNS) + "</tr>"
                    + "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows) + "</table>")
        for row in table.rows:
            path = os.path.join(bench.path(row), "cost.json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    commands.append(json.load(file)["command"])
    lines += ["## Commands", "", "Each module is its .pde file beside the page: an example with the paper's coefficients.", "", "```",
              *commands, "```", ""]
    style = "body{font:14px sans-serif;max-width:1100px;margin:auto}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:3px 7px;text-align:left}"
    results.write(os.path.join(bench.out, "paper.md"), "\n".join(lines))
    results.write(os.path.join(bench.out, "paper.html"),
                  f"<!doctype html><meta charset=utf-8><title>The paper's tables</title><style>{style}</style><h1>The paper's tables</h1>"
                  + "".join(body) + "<h2>Commands</h2><pre>" + html.escape("\n".join(commands)) + "</pre>")


def done(bench, row, mode):
    """Is there a run that this mode need not do again?"""
    path = os.path.join(bench.path(row), "cost.json")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return mode != "full" or json.load(file)["whole"]


def options(words):
    mode, only, hours, plain = "normal", "", float("inf"), []
    words = list(words)
    while words:
        word = words.pop(0)
        if word in ("--plan", "--quick", "--full"):
            mode = word[2:]
        elif word == "--only" and words:
            only = words.pop(0)
        elif word == "--hours" and words:
            hours = float(words.pop(0))
        elif word.startswith("-"):
            sys.exit(__doc__)
        else:
            plain.append(word)
    if len(plain) != 3:
        sys.exit(__doc__)
    return mode, only, hours, plain


def main(words):
    mode, only, hours, (pdec, pderun, out) = options(words)
    bench, begun, total = Bench(pdec, pderun, out), time.time(), 0.0
    for row in [row for table in TABLES for row in table.rows if re.search(only, row.name)]:
        if row.cannot or (mode != "plan" and done(bench, row, mode)):
            continue
        module = bench.module(row)
        seconds, whole_time = bench.estimate(row, module)
        steps, whole = bench.steps_of(row, seconds, "normal" if mode == "plan" else mode)
        ahead = seconds * steps if steps else whole_time
        if mode == "plan":
            total += ahead if ahead == ahead else 0
            print(f"{row.name:34s} {str(steps or 'file'):>8s} steps  {duration(ahead):>8s}"
                  + ("" if whole else f"   (all {row.steps}: {duration(whole_time)})"), flush=True)
        elif mode == "quick" and time.time() - begun + min(ahead, QUICK_ROW) > QUICK:
            print("the quick page's time is over: call again to go on")
            break
        elif (time.time() - begun + ahead) / HOUR > hours:
            print(f"{row.name}: would end after {hours} hours")
        else:
            subprocess.run(["rm", "-rf", bench.path(row)], check=True)
            bench.run(row, module, steps, whole, whole_time)
            page(bench, TABLES)
        os.remove(module)
    if mode == "plan":
        print(f"{'in all':34s} {'':8s}        {duration(total):>8s}")
    else:
        page(bench, TABLES)
        print(os.path.join(bench.out, "paper.md"))


if __name__ == "__main__":
    main(sys.argv[1:])
