"""notebook.py NOTEBOOK SCRATCH: runs every cell of a notebook: in a kernel where nbclient is installed, and else one after
the other in this process, with what a notebook would show of the last line of each."""
import ast
import json
import os
import sys

path, scratch = os.path.abspath(sys.argv[1]), sys.argv[2]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "library", "python"))
try:
    import numpy  # noqa: F401
except ImportError:
    print("no numpy")
    sys.exit(77)
os.makedirs(scratch, exist_ok=True)
os.chdir(scratch)
with open(path, encoding="utf-8") as file:
    notebook = json.load(file)


def show(value):
    """What a notebook asks of a value."""
    for name in ("_repr_html_", "_repr_latex_"):
        if hasattr(value, name):
            return getattr(value, name)()
    return repr(value)


def run_here(cells):
    names = {"__name__": "__main__"}
    for k, cell in enumerate(cells):
        tree = ast.parse("".join(cell["source"]), f"cell {k + 1}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {k + 1}", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), f"cell {k + 1}", "eval"), names)
            if value is not None and not show(value):
                raise ValueError(f"cell {k + 1} shows nothing")


def run_in_kernel():
    import nbclient
    import nbformat

    os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0], os.environ.get("PYTHONPATH", "")])
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute(cwd=os.getcwd())
    shown = [output for cell in book.cells for output in cell.get("outputs", [])]
    html = [o["data"]["text/html"] for o in shown if "text/html" in o.get("data", {})]
    if not any("iframe" in text for text in html):
        raise ValueError("no report was shown")
    if not any("400/400" in o["data"].get("text/plain", "") for o in shown if "data" in o):
        raise ValueError("no progress bar was shown")


cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
try:
    import ipykernel  # noqa: F401
    import nbclient  # noqa: F401

    run_in_kernel()
    print("in a kernel")
except ImportError:
    run_here(cells)
print(f"{len(cells)} passed, 0 failed")
