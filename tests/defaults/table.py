#!/usr/bin/env python3
"""The error of the automatic settings beside the best that was found by hand, for every problem of pde/.

usage: table.py PDEC PDERUN SCRATCH [--time 60s] [--threads 1] [--jobs 2] [--only NAME,...] [--write FILE] [--readme]
                [--mean X] [--worst X]

Prints a row for each problem, then the geometric mean and the worst of default / best over the problems of best.json.
--jobs: so many runs at a time. --write keeps the rows in a file after each problem; those that are there already are not
run again. --readme puts the table into README.md, where all problems have a row. --mean, --worst: what they may be; the
exit code says whether they are.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
HEAD = "| problem | default | by hand | default / by hand | CPU seconds | chosen |\n| --- | --- | --- | --- | --- | --- |"
BEGIN, END = "<!-- table.py --readme writes from here -->", "<!-- to here -->"


def last_error(directory):
    rows = [json.loads(line) for line in open(directory / "log.jsonl")]
    return rows[-1].get("error"), rows[-1].get("cpu_seconds", 0)


def choice(directory):
    made = json.loads((directory / "choice.json").read_text())
    return next((c["name"] for c in made["candidates"] if c["chosen"]), ""), made["seconds"]


def run_default(given, problem):
    scratch = pathlib.Path(given.scratch) / problem.stem
    scratch.mkdir(parents=True, exist_ok=True)
    module, directory = scratch / "problem.so", scratch / "run"
    compiled = subprocess.run([given.pdec, str(problem), "-o", str(module)], capture_output=True, text=True)
    if compiled.returncode:
        return {"why": compiled.stderr.splitlines()[0]}
    shutil.rmtree(directory, ignore_errors=True)
    command = [given.pderun, str(module), "--time", given.time, "--threads", str(given.threads), "--no-report", "--quiet",
               "--out", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not (directory / "choice.json").exists() or done.returncode not in (0, 4):
        return {"why": (done.stderr.splitlines() or ["no result"])[0], "code": done.returncode}
    error, seconds = last_error(directory)
    name, raced = choice(directory)
    return {"error": error, "cpu_seconds": round(seconds + raced, 1), "chosen": name, "code": done.returncode}


def number(value):
    return "-" if value is None else f"{value:.2g}"


def ratio_of(row, best):
    return row["error"] / best if best and row.get("error") is not None else None


def row_text(name, row, best):
    cells = [name, number(row.get("error")), number(best), number(ratio_of(row, best)), str(row.get("cpu_seconds", "-")),
             (row.get("chosen") or row.get("why", "-")).replace("|", "/")]
    return "| " + " | ".join(cells) + " |"


def summary(rows, best):
    ratios = {name: ratio_of(row, best.get(name, {}).get("error")) for name, row in rows.items()}
    ratios = {name: ratio for name, ratio in ratios.items() if ratio}
    if not ratios:
        return 0, 0, "no problem has both errors"
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    worst = max(ratios, key=ratios.get)
    above = sum(ratio >= 3 for ratio in ratios.values())
    text = (f"{len(ratios)} problems with a best: geometric mean {mean:.2g}, worst {ratios[worst]:.2g} ({worst}), "
            f"{above} at 3 or above.")
    return mean, ratios[worst], text


def write_readme(rows, best, text):
    table = "\n".join([HEAD] + [row_text(name, rows[name], best.get(name, {}).get("error")) for name in sorted(rows)])
    path = HERE / "README.md"
    page = path.read_text()
    part = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.S)
    assert part.search(page), "README.md has no place for the table"
    path.write_text(part.sub(lambda _: f"{BEGIN}\n{table}\n\n{text}\n{END}", page))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pdec")
    parser.add_argument("pderun")
    parser.add_argument("scratch")
    parser.add_argument("--time", default="60s")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", default="")
    parser.add_argument("--readme", action="store_true")
    parser.add_argument("--mean", type=float, default=math.inf)
    parser.add_argument("--worst", type=float, default=math.inf)
    given = parser.parse_args()
    best = json.loads((HERE / "best.json").read_text())
    kept = pathlib.Path(given.write) if given.write else None
    rows = json.loads(kept.read_text()) if kept and kept.exists() else {}
    problems = [p for p in sorted((HERE / "pde").glob("*.pde")) if not given.only or p.stem in given.only.split(",")]
    print(HEAD)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = {pool.submit(run_default, given, p): p.stem for p in problems if p.stem not in rows}
        for done in [p.stem for p in problems if p.stem in rows]:
            print(row_text(done, rows[done], best.get(done, {}).get("error")), flush=True)
        for run in concurrent.futures.as_completed(runs):
            name = runs[run]
            rows[name] = run.result()
            print(row_text(name, rows[name], best.get(name, {}).get("error")), flush=True)
            if kept:
                whole = kept.with_suffix(".part")
                whole.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
                whole.replace(kept)
    asked = {p.stem: rows[p.stem] for p in problems}
    mean, worst, text = summary(asked, best)
    print("\n" + text)
    if given.readme and not given.only:
        write_readme(asked, best, text)
    sys.exit(1 if mean > given.mean or worst > given.worst else 0)


if __name__ == "__main__":
    main()
