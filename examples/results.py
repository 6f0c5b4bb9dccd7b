#!/usr/bin/env python3
"""Runs of the catalogue; the page RESULTS.md, the gallery of README.md and its pictures made from them.

usage: results.py run PDEC PDERUN DIR [NAME...]    train the rows of results.json that DIR lacks
       results.py page DIR                         RESULTS.md, gallery and pictures from the runs in DIR
       results.py command NAME                     the command of one row

A run is kept in DIR/NAME: what pderun writes there, its text (output.txt), and what it cost
(cost.json: processor seconds and peak memory of the process)."""
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- gallery: results.py page -->\n\n", "\n\n<!-- end of gallery -->"
TRIVIAL = ("zero", "fitted constant", "first-order Taylor")
STYLE = (".s0{stroke:#0b6fb8}.s1{stroke:#d1571a}.s2{stroke:#0a8f68}.curve{fill:none;stroke-width:1.8}"
         ".dashed{stroke-dasharray:6 4}.grid{stroke:#dfe3ea}.axis,.mark{stroke:#5c6675}"
         "text{font:11.5px sans-serif;fill:#5c6675;stroke:none}.y{text-anchor:end}.x{text-anchor:middle}"
         ".level line{stroke:#8b4fa8;stroke-dasharray:2 4}.power{font-size:8.5px}")


def table():
    with open(os.path.join(HERE, "results.json"), encoding="utf-8") as file:
        return json.load(file)


def command(row):
    return (f"pdec examples/{row['example']}.pde -o x.so && "
            f"pderun x.so {row.get('options', '')}".rstrip())


def run(row, pdec, pderun, out):
    """One row: compiled, trained on one thread, with what the process cost."""
    part = out + ".part"
    subprocess.run(["rm", "-rf", out, part], check=True)
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    module = out + ".so"
    subprocess.run([pdec, os.path.join(HERE, row["example"] + ".pde"), "-o", module], check=True)
    words = [pderun, module, "--out", part, "--threads", "1", "--quiet"]
    with open(out + ".txt", "w", encoding="utf-8") as text:
        child = subprocess.Popen(words + shlex.split(row.get("options", "")), stdout=text)
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{row['name']}: pderun ended with status {status}")
    os.rename(out + ".txt", os.path.join(part, "output.txt"))
    with open(os.path.join(part, "cost.json"), "w", encoding="utf-8") as file:
        json.dump({"cpu_seconds": usage.ru_utime + usage.ru_stime,
                   "peak_mb": usage.ru_maxrss / 1024}, file)
    os.remove(module)
    os.rename(part, out)
    print(row["name"], measured(out)["error"], flush=True)


def measured(out):
    """Error, the trivial predictors' errors, unknowns and cost of a finished run."""
    with open(os.path.join(out, "output.txt"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(out, "cost.json"), encoding="utf-8") as file:
        found = json.load(file)
    found["trivial"] = {}
    for name in TRIVIAL:
        line = re.search(rf"^  {name} +(\S+)", text, re.M)
        if line:
            found["trivial"][name] = float(line[1])
    line = re.search(r"^  this run +(\S+)", text, re.M)
    point = re.search(r"at the reference point.*\n  \S+ +(\S+) +(\S+)(?: \+- \S+)? +(\S+)", text)
    if line:
        found["error"] = float(line[1])
        found["fields"] = re.findall(r"^  (\w+) +([\d.e+-]+) +[\d.e+-]+ +[\d.e+-]+$",
                                     text[line.end():], re.M)
    elif point:
        found["value"], found["error"] = float(point[1]), float(point[3])
    else:
        with open(os.path.join(out, "log.jsonl"), encoding="utf-8") as file:
            found["error"] = json.loads(file.readlines()[-1])["error"]
    found["unknown"] = dict(re.findall(r"^  (\w+) +([\d.e+-]+)$", text, re.M))
    with open(os.path.join(out, "config.json"), encoding="utf-8") as file:
        found["config"] = json.load(file)
    return found


def number(value):
    return "" if value is None else f"{value:.1e}".replace("e-0", "e-").replace("e+00", "")


def trivial_text(row, found):
    known = dict(row.get("trivial", {}))
    for name, value in found["trivial"].items():
        if name != "zero" and name not in row.get("leave_out", ()):
            known[name] = value
    return "; ".join(f"{name} {number(value)}" for name, value in known.items())


def error_text(row, found):
    """The error, and beside it what of it has to be read apart."""
    field = dict(found.get("fields", ())).get(row.get("field"))
    text = f"**{number(float(field) if field else found['error'])}**" if found["error"] else ""
    if "published_reference" in row:
        theirs = row["published_reference"] * row.get("factor", 1)
        text += f" ({number(abs(found['value'] / theirs - 1))} against the published reference)"
    for name, value in row.get("unknown", {}).items():
        have = float(found["unknown"][name])
        text += f"; {name} = {have:.4g}, {100 * abs(have / value - 1):.1f} % off"
    return text.removeprefix("; ")


def page(runs):
    data = table()
    lines = ["# Results", "", *data["about"], ""]
    for group in data["groups"]:
        lines += [f"## {group['title']}", "", *group.get("about", ()),
                  "| run | d | our error | trivial predictors | published | CPU s | MB |",
                  "|---|---|---|---|---|---|---|"]
        for row in group["rows"]:
            out = os.path.join(runs, row["name"])
            if not os.path.exists(os.path.join(out, "cost.json")):
                lines.append(f"| {row['name']} | {row['d']} | not run | | {row.get('published', '')} | | |")
                continue
            found = measured(out)
            lines.append(f"| {row['name']} | {row['d']} | {error_text(row, found)} | "
                         f"{trivial_text(row, found)} | {row.get('published', '')} | "
                         f"{found['cpu_seconds']:.3g} | {found['peak_mb']:.0f} |")
        lines.append("")
    lines += ["## Commands", "", "Each run by itself; `results.py run` does them in turn.", "", "```"]
    for row in rows(data):
        lines.append(f"# {row['name']}\n{command(row)}")
    lines += ["```", ""]
    write(os.path.join(HERE, "RESULTS.md"), "\n".join(lines))
    gallery([row for row in rows(data) if "picture" in row], runs)


def gallery(shown, runs):
    """A cell for each picture, between the two marks in README.md."""
    cells = []
    for row in shown:
        out = os.path.join(runs, row["name"])
        if not os.path.exists(os.path.join(out, "cost.json")):
            continue
        draw(row, os.path.join(out, "report.html"))
        error = error_text(row, measured(out)).split(" (")[0]
        cells.append(f"![{row['example']}](pictures/{row['example']}.svg)<br>[{row['example']}]"
                     f"({row['example']}.pde), d = {row['d']:,}: {error}<br>{row['picture']}")
    lines = ["| | | |", "|---|---|---|"]
    lines += ["| " + " | ".join(cells[k:k + 3]) + " |" for k in range(0, len(cells), 3)]
    path = os.path.join(HERE, "README.md")
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    write(path, before + BEGIN + "\n".join(lines) + END + rest.split(END)[1])


def rows(data):
    return [row for group in data["groups"] for row in group["rows"]]


def draw(row, report):
    """One plot of a run's report as a file of its own: the curves, without what only hovers."""
    with open(report, encoding="utf-8") as file:
        text = file.read()
    for svg in re.findall(r"<svg .*?</svg>", text, re.S):
        label = re.search(r'aria-label="([^"]*)"', svg)
        if label and row["picture"] in label[1]:
            break
    else:
        sys.exit(f"{row['name']}: the report has no plot of '{row['picture']}'")
    svg = re.sub(r"<circle.*?</circle>", "", svg, flags=re.S)
    box = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{box[1]}" height="{box[2]}" '
            f'style="background:#fff" ')
    svg = svg.replace("<svg ", head, 1).replace(">", f"><style>{STYLE}</style>", 1)
    folder = os.path.join(HERE, "pictures")
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, row["example"] + ".svg"), svg + "\n")


def write(path, text):
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def main(words):
    if words[:1] == ["page"] and len(words) == 2:
        page(words[1])
    elif words[:1] == ["command"] and len(words) == 2:
        print(*[command(row) for row in rows(table()) if row["name"] == words[1]], sep="\n")
    elif words[:1] == ["run"] and len(words) >= 4:
        for row in rows(table()):
            out = os.path.join(words[3], row["name"])
            if row["name"] in words[4:] or (not words[4:] and not os.path.exists(out)):
                run(row, words[1], words[2], out)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
