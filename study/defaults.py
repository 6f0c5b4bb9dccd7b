#!/usr/bin/env python3
"""The settings that nobody stated beside an expert's and those of other tools: error against processor time.

usage: defaults.py PDEC PDERUN STUDY_PLOT OUT [--seconds 60] [--only NAME,...]

For every problem of tests/defaults three runs of one thread: the file with nothing but a time; the command that
best.json has of it, for as many iterations as fill the time; and what other tools begin with (Adam at 1e-3, raw
inputs, four layers of 50, every condition a loss of weight 1). OUT/defaults.html has a plot for each. The time that
the default spends on its race is counted. Runs that OUT has already are kept.
"""
import argparse
import json
import pathlib
import subprocess

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "defaults"
OTHERS = "--optimiser adam --rate 1e-3 --width 50 --depth 4 --points 256 --algorithm {} --scale none --effort none"
COMMON = ["--threads", "1", "--no-report", "--quiet"]


def last_row(directory):
    rows = (directory / "log.jsonl").read_text().splitlines()
    return json.loads(rows[-1]) if rows else None


def train(given, module, options, directory):
    subprocess.run(["rm", "-rf", str(directory)], check=True)
    done = subprocess.run([given.pderun, str(module), *COMMON, *options, "--out", str(directory)], capture_output=True)
    return done.returncode in (0, 4) and (directory / "log.jsonl").exists()


def stated(given, module, options, directory):
    """A run of stated settings that fills the time: a short one measures a step."""
    probe = directory.with_suffix(".probe")
    if not train(given, module, [*options, "--iterations", "12"], probe):
        return False
    row = last_row(probe)
    steps = max(12, int(given.seconds * row["iteration"] / max(row["cpu_seconds"], 1e-6)))
    return train(given, module, [*options, "--iterations", str(steps), "--log-every", str(max(1, steps // 40))], directory)


def compiled(given, file, name):
    module = given.out / f"{name}.so"
    return module if subprocess.run([given.pdec, str(file), "-o", str(module)], capture_output=True).returncode == 0 else None


def count_race(directory):
    """The rows of a default begin where its race has ended."""
    spent = json.loads((directory / "choice.json").read_text())["seconds"]
    log = directory / "log.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    for row in rows:
        row["cpu_seconds"] += spent
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))


def without(options, word):
    words = options.split()
    return words[: words.index(word)] + words[words.index(word) + 2 :] if word in words else words


def curves(given, problem, best):
    module = compiled(given, problem, problem.stem)
    runs = {kind: given.out / f"{problem.stem}.{kind}" for kind in ("default", "expert", "others")}
    if not (runs["default"] / "log.jsonl").exists():
        if train(given, module, ["--time", f"{given.seconds}s"], runs["default"]):
            count_race(runs["default"])
    if best and not (runs["expert"] / "log.jsonl").exists():
        by_hand = compiled(given, TESTS / best["file"], f"{problem.stem}.hand")
        stated(given, by_hand, [*without(best["options"], "--iterations"), "--effort", "none"], runs["expert"])
    for algorithm in ("full", "3"):  # other tools take whole sums, where there is memory for them
        if not (runs["others"] / "log.jsonl").exists():
            stated(given, module, OTHERS.format(algorithm).split(), runs["others"])
    return {kind: run for kind, run in runs.items() if (run / "log.jsonl").exists()}


def main():
    parser = argparse.ArgumentParser()
    for name in ("pdec", "pderun", "study_plot"):
        parser.add_argument(name)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    best = json.loads((TESTS / "best.json").read_text())
    words = {"default": "nothing stated", "expert": "by hand", "others": "Adam on raw inputs"}
    lines = [f"title|Settings that nobody stated|{given.seconds:g} s of processor time a curve, one thread"]
    for problem in sorted((TESTS / "pde").glob("*.pde")):
        if given.only and problem.stem not in given.only.split(","):
            continue
        found = curves(given, problem, best.get(problem.stem))
        lines.append(f"problem|{problem.stem.replace('_', ' ')}")
        lines += [f"curve|{run}|{words[kind]}" for kind, run in found.items()]
        shown = {kind: last_row(run).get("error") for kind, run in found.items()}
        print(problem.stem, " ".join(f"{kind} {error:.2e}" for kind, error in shown.items() if error), flush=True)
    spec = given.out / "defaults.spec"
    spec.write_text("\n".join(lines) + "\n")
    subprocess.run([given.study_plot, str(spec), str(given.out / "defaults.html")], check=True)


if __name__ == "__main__":
    main()
