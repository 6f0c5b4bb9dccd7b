#!/usr/bin/env python3
"""What an expert gets: every problem of pde/ with the settings and files that a person would try by hand.

usage: hand.py PDEC PDERUN SCRATCH [--seconds S] [--only NAME,...] [--best best.json]

Each configuration gets the same processor time: a short run measures a step, and the number of iterations follows,
so that the schedule ends with the run. --best: keeps the smallest error of each problem, with its command, in a file.
The automatic settings are not looked at here.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).parent
NATURAL = "--optimiser natural --algorithm exact --rate linear(0.3,0)"
SAMPLED = "--optimiser natural --rate linear(0.3,0)"

# What is tried on the file as written, and on every file of pde_by_hand/ whose name begins with the problem's.
WRITTEN = {
    "Adam": "",
    "Adam, 64 gelu": "--width 64 --activation gelu --points 500",
    "natural": f"{NATURAL} --width 32 --points 200",
    "natural, float64": f"{NATURAL} --width 32 --points 200 --precision float64",
    "natural, sin": f"{NATURAL} --width 32 --points 200 --precision float64 --activation sin --scale 1",
    "natural, balanced": f"{NATURAL} --width 40 --points 300 --precision float64 --weights balance",
}
EXPERT = {
    "natural": f"{NATURAL} --width 32 --points 200 --precision float64",
    "natural, scale 1": f"{NATURAL} --width 32 --points 200 --precision float64 --scale 1",
    "natural, 500 points": f"{NATURAL} --width 40 --points 500 --precision float64",
    "natural, balanced": f"{NATURAL} --width 32 --points 300 --precision float64 --weights balance",
}
FALLBACK = {NATURAL: SAMPLED}  # where the plan has no exact route


def run(pderun, module, options, iterations, directory):
    shutil.rmtree(directory, ignore_errors=True)
    command = [pderun, module, *options.split(), "--iterations", str(iterations), "--threads", "1", "--no-report",
               "--out", directory]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    if done.returncode:
        return None
    rows = [json.loads(line) for line in open(f"{directory}/log.jsonl")]
    return {"error": rows[-1].get("error"), "ms": 1000 * rows[-1]["cpu_seconds"] / max(1, rows[-1]["iteration"])}


def supports_effort(pderun):
    return "--effort" in subprocess.run([pderun, "--help"], capture_output=True, text=True).stdout


def attempt(tools, file, options, seconds, scratch):
    pdec, pderun = tools
    module, directory = f"{scratch}/{file.stem}.so", f"{scratch}/run"
    if subprocess.run([pdec, str(file), "-o", module], capture_output=True).returncode:
        return None
    plain = " --effort none" if supports_effort(pderun) else ""
    for given in (options, options.replace(NATURAL, FALLBACK[NATURAL])):
        first = run(pderun, module, given + plain, 8, directory)
        if not first:
            continue
        iterations = max(8, min(100000, int(1000 * seconds / max(first["ms"], 1e-3))))
        result = run(pderun, module, given + plain, iterations, directory)
        if result and result["error"] is not None:
            where = file.relative_to(HERE)
            return {"error": result["error"], "file": str(where), "options": f"{given} --iterations {iterations}".strip()}
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pdec")
    parser.add_argument("pderun")
    parser.add_argument("scratch")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--best", default="")
    given = parser.parse_args()
    pathlib.Path(given.scratch).mkdir(parents=True, exist_ok=True)
    best_file = pathlib.Path(given.best) if given.best else None
    best = json.loads(best_file.read_text()) if best_file and best_file.exists() else {}
    for problem in sorted((HERE / "pde").glob("*.pde")):
        name = problem.stem
        if given.only and name not in given.only.split(","):
            continue
        tries = [(problem, label, options) for label, options in WRITTEN.items()]
        for file in sorted((HERE / "pde_by_hand").glob(f"{name}*.pde")):
            tries += [(file, label, options) for label, options in EXPERT.items()]
        for file, label, options in tries:
            start = time.time()
            try:
                result = attempt((given.pdec, given.pderun), file, options, given.seconds, given.scratch)
            except subprocess.TimeoutExpired:
                result = None
            shown = f"{result['error']:.3e}" if result else "failed"
            print(f"{name:24} {file.stem:28} {label:22} {shown:>10}  {time.time() - start:5.0f} s", flush=True)
            if result and (name not in best or result["error"] < best[name]["error"]):
                best[name] = {**result, "seconds": given.seconds}
                if best_file:
                    best_file.write_text(json.dumps(best, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
