"""Flame graphs of gas profiles: an HTML file of its own, or stacks for speedscope and others."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from devchain.contracts.gas_profile import GasProfile, line_place
from devchain.errors import ConfigError
from devchain.text import printable

FOLDED = (".folded", ".txt")
"""How names of files end that get call stacks in lines and no HTML."""
HTML = (".html", ".htm")

MAX_ROWS = 200
"""Rows of each table in the HTML."""

STYLE = """
:root { color-scheme: light dark; --text: #1d2127; --faint: #5c6570; --page: #fff; --edge: #d9dee4;
  --focus: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --faint: #9aa4b0; --page: #16191d; --edge: #343a42; --focus: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1500px; padding: 1.5rem; background: var(--page);
  color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .2rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p { margin: 0 0 .8rem; color: var(--faint); }
#shown { min-height: 1.5em; color: var(--text); font-variant-numeric: tabular-nums; }
#reset { font: inherit; padding: .15rem .7rem; border: 1px solid var(--edge); border-radius: 6px;
  background: transparent; color: inherit; cursor: pointer; } #reset[hidden] { display: none; }
#graph { position: relative; border-radius: 6px; overflow: hidden; }
#graph button { position: absolute; height: 21px; padding: 0; border: 0; border-radius: 2px;
  outline-offset: -2px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
  text-align: left; text-indent: 5px; font: 12px/21px ui-monospace, monospace;
  color: #221a10; cursor: pointer; }
#graph button:hover { filter: brightness(1.09); }
#graph button:focus-visible, #reset:focus-visible { outline: 2px solid var(--focus); }
#graph button.other { color: #1d2127; font-style: italic; } #graph button.above { opacity: .55; }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; border-bottom: 1px solid var(--edge); }
th { font-weight: 600; color: var(--faint); }
.text { text-align: left; font-family: ui-monospace, monospace; font-size: 13px; }
th.text { font: inherit; font-weight: 600; }
"""

SCRIPT = """
const nodes = JSON.parse(document.getElementById("stacks").textContent)
  .map(([above, name, gas, calls], index) =>
    ({index, above, name, gas, calls, total: gas, children: [], depth: 0}));
for (const node of nodes.slice(1)) {
  node.above = nodes[node.above];
  node.above.children.push(node);
  node.depth = node.above.depth + 1;
}
for (const node of [...nodes].reverse()) if (node.index) node.above.total += node.total;
const NARROW = 30; // pixels, in which no name can be read
let shownFocus;
const graph = document.getElementById("graph"), shown = document.getElementById("shown");
const reset = document.getElementById("reset"), whole = nodes[0], ROW = 22;
const text = number => number.toLocaleString("en-US");
const share = (part, all) => all ? (100 * part / all).toFixed(1) + " %" : "no share";
function described(node) {
  const calls = node.calls ? `, ${text(node.calls)} ${node.calls === 1 ? "call" : "calls"}` : "";
  const own = node.children.length ? `, ${text(node.gas)} of its own` : "";
  return `${node.name}: ${text(node.total)} gas, ${share(node.total, whole.total)}${own}${calls}`;
}
function color(node) {
  if (node.index === 0) return "hsl(210 12% 78%)";
  if (node.name.startsWith("(")) return "hsl(205 22% 74%)";
  let hash = 7;
  for (const each of node.name.split(".")[0]) hash = (hash * 31 + each.codePointAt(0)) % 997;
  let own = 3;
  for (const each of node.name) own = (own * 17 + each.codePointAt(0)) % 11;
  return `hsl(${14 + hash % 44} ${78 + own % 5 * 3}% ${62 + own}%)`;
}
function draw(focus, wasKey) {
  graph.replaceChildren();
  shownFocus = focus;
  reset.hidden = focus === whole;
  let deepest = 0;
  function add(node, left, width, above) {
    const button = document.createElement("button"), style = button.style;
    button.textContent = width / 100 * graph.clientWidth < NARROW ? "" : node.name;
    button.title = described(node);
    button.setAttribute("aria-label", described(node));
    button.className = (node.name.startsWith("(") ? "other " : "") + (above ? "above" : "");
    style.left = `${left}%`;
    style.width = `max(1px, calc(${width}% - 1px))`;
    style.top = `${node.depth * ROW}px`;
    style.background = color(node);
    button.addEventListener("click", event => draw(node, event.detail === 0));
    for (const kind of ["mouseenter", "focus"])
      button.addEventListener(kind, () => { shown.textContent = described(node); });
    graph.append(button);
    if (node === focus && wasKey) button.focus();
    deepest = Math.max(deepest, node.depth);
  }
  const path = [];
  for (let node = focus; node !== whole; ) path.unshift(node = node.above);
  for (const node of path) add(node, 0, 100, true);
  const pending = [[focus, 0, 100]];
  while (pending.length) {
    const [node, left, width] = pending.pop();
    add(node, left, width, false);
    let start = left;
    const sorted = [...node.children].sort((one, two) => two.total - one.total);
    for (const each of sorted) {
      const part = node.total ? width * each.total / node.total : 0;
      if (part > 0.05) pending.push([each, start, part]);
      start += part;
    }
  }
  graph.style.height = `${(deepest + 1) * ROW}px`;
  shown.textContent = described(focus);
}
reset.addEventListener("click", () => draw(whole, true));
document.addEventListener("keydown", event => { if (event.key === "Escape") draw(whole, true); });
addEventListener("resize", () => draw(shownFocus, false));
draw(whole, false);
"""


def check_writable(path: str) -> None:
    """Check before anything runs that the file can be written; raises `ConfigError`."""
    suffix = Path(path).suffix.lower()
    if suffix not in {"", *HTML, *FOLDED}:
        raise ConfigError(
            f"a flame graph is HTML, or stacks for speedscope: {path} ends in {suffix}, name it "
            f".html, or {' or '.join(FOLDED)}"
        )
    try:
        with Path(path).open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise ConfigError(f"cannot write the flame graph {path}: {error.strerror}") from None


def write_flame_graph(profile: GasProfile, path: str) -> None:
    """Write HTML, or call stacks in lines if the name ends in `.folded` or `.txt`."""
    if path.lower().endswith(FOLDED):
        content = "".join(f"{printable(each)}\n" for each in profile.folded())
    else:
        content = flame_graph(profile)
    Path(path).write_text(content, encoding="utf-8", errors="replace")


def flame_graph(profile: GasProfile) -> str:
    """The HTML page: the graph, and tables of functions, lines and storage.

    It loads nothing: its content security policy allows its own style and script alone.
    """
    policy = f"default-src 'none'; style-src {_digest(STYLE)}; script-src {_digest(SCRIPT)}"
    refunds = f", after {profile.refunds:,} of refunds" if profile.refunds else ""
    number = profile.transactions
    count = f"{number:,} transaction{'' if number == 1 else 's'}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>Gas of {count}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Gas of {count}</h1>
<p>{profile.gas_used:,} gas used{refunds}. The graph shows the gas before refunds: a frame is as
wide as its gas, with what it called below it. Click, or Enter, enlarges a frame; Escape goes
back.</p>
<p id="shown" aria-live="polite"></p>
<p><button id="reset" type="button" hidden>Show all</button></p>
<main id="graph" aria-label="Flame graph of gas by call stack"></main>
{"".join(_tables(profile))}
<script type="application/json" id="stacks">{_data(profile)}</script>
<script>{SCRIPT}</script>
</body>
</html>
"""


def _digest(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def _data(profile: GasProfile) -> str:
    index: dict[int, int] = {}
    rows: list[tuple[int, str, int, int]] = []
    above = {id(each): node for _, node in profile.stacks.walk() for each in node.children.values()}
    for path, node in profile.stacks.walk():
        index[id(node)] = len(rows)
        parent = index[id(above[id(node)])] if path else 0
        rows.append((parent, printable(node.name) or "all", node.gas, node.calls))
    return json.dumps(rows).replace("<", "\\u003c")


def _tables(profile: GasProfile) -> Iterator[str]:
    functions = profile.functions()
    yield _table(
        "Functions",
        ("function", "calls", "gas in all", "of its own", "average"),
        (
            (each.name, *_cells(each.calls or "–", each.total, each.gas, each.average or "–"))
            for each in functions
        ),
    )
    yield _table(
        "Lines",
        ("place", "gas", "share", "compiler's part", "source"),
        (
            (
                line_place(key),
                *_cells(each.gas, share(each.gas, profile.gross), each.generated),
                each.text,
            )
            for key, each in profile.sorted_lines()
        ),
    )
    yield _table(
        "Storage",
        ("variable", "reads", "writes", "gas", "of that cold"),
        (
            (f"{contract}.{variable}", *_cells(use.reads, use.writes, use.gas, use.cold_gas))
            for (contract, variable), use in profile.sorted_storage()
        ),
    )


def share(part: int, whole: int) -> str:
    """A share in percent."""
    return f"{100 * part / whole:.1f} %" if whole else ""


def _cells(*values: int | str) -> list[str]:
    return [each if isinstance(each, str) else f"{each:,}" for each in values]


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    texts = {0, len(columns) - 1} if columns[-1] == "source" else {0}
    written = [
        "".join(
            f'<td class="text">{escape(printable(cell))}</td>'
            if place in texts
            else f"<td>{escape(cell)}</td>"
            for place, cell in enumerate(row)
        )
        for row in rows
    ]
    if not written:
        return ""
    head = "".join(
        f'<th class="text">{each}</th>' if place in texts else f"<th>{each}</th>"
        for place, each in enumerate(columns)
    )
    body = "".join(f"<tr>{each}</tr>\n" for each in written[:MAX_ROWS])
    more = len(written) - MAX_ROWS
    note = f"<p>{more:,} more are not shown.</p>" if more > 0 else ""
    return (
        f'<h2>{title}</h2><div class="table"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>{note}\n"
    )
