#!/usr/bin/env python3
"""The error of the automatic settings beside the best that was found by hand, for every problem of pde/.

usage: table.py PDEC PDERUN SCRATCH [--time 60s] [--threads N] [--only NAME,...] [--write FILE] [--mean X] [--worst X]

Prints a row for each problem, then the geometric mean and the worst of default / best over the problems of best.json.
--write keeps the rows in a file after each problem. --mean, --worst: what they may be; the exit code says whether they
are.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def last_error(directory):
    rows = [json.loads(line) for line in open(directory / "log.jsonl")]
    return rows[-1].get("error"), rows[-1].get("cpu_seconds", 0)


def chosen(directory):
    choice = json.loads((directory / "choice.json").read_text())
    return next((c["name"] for c in choice["candidates"] if c["chosen"]), "")


def run_default(given, problem):
    scratch = pathlib.Path(given.scratch) / problem.stem
    scratch.mkdir(parents=True, exist_ok=True)
    module, directory = scratch / "problem.so", scratch / "run"
    compiled = subprocess.run([given.pdec, str(problem), "-o", str(module)], capture_output=True, text=True)
    if compiled.returncode:
        return {"why": compiled.stderr.splitlines()[0]}
    subprocess.run(["rm", "-rf", str(directory)], check=True)
    command = [given.pderun, str(module), "--time", given.time, "--threads", str(given.threads), "--no-report", "--quiet",
               "--out", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not (directory / "choice.json").exists():
        return {"why": (done.stderr.splitlines() or ["no result"])[0]}
    error, seconds = last_error(directory)
    return {"error": error, "cpu_seconds": round(seconds, 1), "chosen": chosen(directory), "code": done.returncode}


def number(value):
    return "-" if value is None else f"{value:.2g}"


def print_row(name, row, best):
    ratio = row["error"] / best if best and row.get("error") is not None else None
    print(f"| {name} | {number(row.get('error'))} | {number(best)} | {number(ratio)} | {row.get('chosen') or row['why']} |",
          flush=True)
    return ratio


def summary(ratios, given):
    if not ratios:
        return 0
    mean, worst = math.exp(sum(map(math.log, ratios)) / len(ratios)), max(ratios)
    print(f"\n{len(ratios)} problems with a best: geometric mean {mean:.2g}, worst {worst:.2g}")
    return 1 if mean > given.mean or worst > given.worst else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pdec")
    parser.add_argument("pderun")
    parser.add_argument("scratch")
    parser.add_argument("--time", default="60s")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", default="")
    parser.add_argument("--mean", type=float, default=math.inf)
    parser.add_argument("--worst", type=float, default=math.inf)
    given = parser.parse_args()
    best = json.loads((HERE / "best.json").read_text())
    kept = pathlib.Path(given.write) if given.write else None
    rows = json.loads(kept.read_text()) if kept and kept.exists() else {}
    ratios = []
    print("| problem | default | by hand | default / by hand | chosen |\n| --- | --- | --- | --- | --- |")
    for problem in sorted((HERE / "pde").glob("*.pde")):
        name = problem.stem
        if given.only and name not in given.only.split(","):
            continue
        rows[name] = run_default(given, problem)
        ratio = print_row(name, rows[name], best.get(name, {}).get("error"))
        if ratio:
            ratios.append(ratio)
        if kept:
            kept.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
    sys.exit(summary(ratios, given))


if __name__ == "__main__":
    main()
