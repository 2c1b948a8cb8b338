#!/usr/bin/env python3
"""Writes Benchmarks/report.html from the recorded results: each figure beside its peers, with plots.

    make bench-report                              # from what is recorded
    python3 Benchmarks/report.py [-o FILE] [RESULTS.json...]

Results are the JSON objects that `make bench ARGS='... --json'` prints, one a file, and instructions.json. A plot of ratios
has a line for each case and peer, whose dots are the pictures of the case: how many times as long as Ozu the peer
takes. A plot of growth has a line for each kind of work, both axes logarithmic. The page stands alone: no script, nothing
from outside.
"""

import argparse
import json
import os
from html import escape

from report_plots import COLOURS, bases, curves, dots, looks, number

HERE = os.path.dirname(os.path.abspath(__file__))
# Figures that are better when they are higher.
MORE_IS_BETTER = {"hit_ratio", "mean_hit_ratio", "requests_per_second", "hit_ratio_minus_lru"}
STYLE = """
:root { --back: #fff; --text: #1c1c1e; --faint: #6b6b70; --rule: #d8d8dc; --own: #1c1c1e; }
:root { --c0: #1a5fb4; --c1: #c64600; --c2: #26a269; --c3: #813d9c; --c4: #a51d2d; --c5: #0d7680; --c6: #865e00; --c7: #5e5c64; }
@media (prefers-color-scheme: dark) {
  :root { --back: #1c1c1e; --text: #ececf0; --faint: #a0a0a8; --rule: #3c3c42; --own: #ececf0; }
  :root { --c0: #78aeed; --c1: #ffa348; --c2: #57e389; --c3: #dc8add; --c4: #ff7b7b; --c5: #5bd0d8; --c6: #f0c14b; --c7: #c0bfbc; }
}
body { font: 15px/1.5 system-ui, sans-serif; background: var(--back); color: var(--text); max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
p, figcaption, summary { color: var(--faint); }
figure { margin: 1rem 0; overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
td, th { padding: 2px 10px 2px 0; text-align: left; border-bottom: 1px solid var(--rule); white-space: nowrap; }
td.n, th.n { text-align: right; }
tr.own td { font-weight: 600; }
.scroll { overflow-x: auto; }
svg { font: 12px system-ui, sans-serif; max-width: 100%; height: auto; }
svg text { fill: var(--text); } svg .faint { fill: var(--faint); }
svg .rule { stroke: var(--rule); } svg .own { stroke: var(--own); stroke-width: 1.5; }
""" + "".join(
    f"svg .f{n} {{ fill: var(--c{n}); }} svg .s{n} {{ stroke: var(--c{n}); fill: none; stroke-width: 2; }}\n"
    for n in range(COLOURS))


def table(rows):
    base = bases(rows)
    has = {name: any(name in row for row in rows) for name in ("quality", "peak_bytes", "allocations", "ratio")}
    heads = ["case", "subject", "metric"], ["median", "least", "most", "of the first"]
    extra = [title for name, title in [
        ("peak_bytes", "memory, MB"), ("allocations", "allocations"), ("quality", "quality")] if has[name]]
    parts = ['<div class="scroll"><table><tr>']
    parts += [f"<th>{head}</th>" for head in heads[0]] + [f'<th class="n">{head}</th>' for head in heads[1] + extra]
    parts.append("</tr>")
    for row in rows:
        first = base[row["case"], row["metric"]]
        ratio = f"{row['median'] / first['median']:.2f}" if first["median"] and row["median"] is not None else ""
        cells = [number(row["median"]), number(row["min"]), number(row["max"]), "" if row is first else ratio]
        if has["peak_bytes"]:
            cells.append(f"{row['peak_bytes'] / 1e6:.1f}" if "peak_bytes" in row else "")
        if has["allocations"]:
            cells.append(number(row["allocations"]) if "allocations" in row else "")
        if has["quality"]:
            cells.append(quality(row.get("quality")))
        parts.append(f'<tr class="{"own" if row["subject"] == "ozu" else ""}">')
        parts += [f"<td>{escape(str(row[name]))}</td>" for name in ("case", "subject", "metric")]
        parts += [f'<td class="n">{escape(cell)}</td>' for cell in cells] + ["</tr>"]
    return "".join(parts + ["</table></div>"])


def quality(found):
    if not found:
        return ""
    if "psnr_db" in found:
        score = f", {found['ssimulacra2']:.1f}" if found.get("ssimulacra2") is not None else ""
        return f"{found['psnr_db']:.1f} dB{score}" if found["psnr_db"] is not None else ""
    return ", ".join(f"{name} {value}" for name, value in found.items() if not isinstance(value, dict))


def section(path, found):
    name = os.path.relpath(path, HERE)
    if "cases" in found:
        return f"<h2>Instructions</h2><p>{escape(name)}</p>" + instructions(found)
    if found["benchmark"] == "encoders":
        return f"<h2>Bytes of encoders</h2><p>{escape(name)}</p>" + encoders(found)
    rows, machine = found["rows"], found.get("machine", {})
    runs = sorted({row["runs"] for row in rows if "runs" in row})
    place = f"{machine.get('cpu', '')}, {machine.get('cores', '?')} cores, {machine.get('system', '')}"
    more = any(row["metric"] in MORE_IS_BETTER for row in rows)
    parts = [
        f"<h2>{escape(found['benchmark'])}</h2>",
        f"<p>{escape(name)} · {escape(place)} · {runs[0]}{f'–{runs[-1]}' if runs[-1] != runs[0] else ''} runs"
        + (" · of ratios and requests more is better" if more else "") + "</p>",
    ]
    plot = dots(rows)
    base = "Ozu" if any(row["subject"] == "ozu" for row in rows) else "the first of each case"
    if plot:
        parts.append(
            f"<figure>{plot}<figcaption>Right of the line: more than {escape(base)}. A dot is a picture; the number is the "
            "geometric mean.</figcaption></figure>")
    parts.append(curves(rows, found["benchmark"]))
    parts.append(f"<details><summary>All {len(rows)} figures</summary>{table(rows)}</details>")
    return "\n".join(parts)


def instructions(found):
    rows = []
    for name, counts in found["cases"].items():
        counts = counts if isinstance(counts, dict) else {"instructions": counts}
        rows.append("<tr>" + f"<td>{escape(name)}</td>" + "".join(
            f'<td class="n">{value:,}</td>' for value in counts.values()) + "</tr>")
    first = next(iter(found["cases"].values()))
    heads = list(first) if isinstance(first, dict) else ["instructions"]
    head = "<tr><th>case</th>" + "".join(f'<th class="n">{escape(name.replace("_", " "))}</th>' for name in heads) + "</tr>"
    return f'<div class="scroll"><table>{head}{"".join(rows)}</table></div>'


def encoders(found):
    """Curves of bytes against looks, the bytes at equal points, and the means at each quality."""
    kinds = {}
    for row in found["curves"]:
        kinds[row["kind"]] = max(kinds.get(row["kind"], 0), row["pictures"])
    caption = (
        f"{' and '.join(f'{count} {escape(kind)}' for kind, count in kinds.items())} at most. A dot is a quality: the mean look of the "
        "pictures, and the geometric mean of their bytes. Lower is better. A palette is a PNG of few colours.")
    equal = [
        (row, [row["at"]], ["" if row["points"] is None else row["points"], f"{row['ratio']:.2f}", row["pictures"]])
        for row in found["table"]]
    means = [
        (row, [], ["" if row["quality"] is None else row["quality"], f"{row['ssimulacra2']:.1f}" if "ssimulacra2" in row else "",
                   f"{row['bytes']:,}", row["cpu_ms"], row["pictures"]])
        for row in found["curves"]]
    return "".join([
        looks(found["curves"]), f"<p>{caption}</p>",
        encoder_table("Bytes at equal looks", ["at equal"], ["points", "bytes of the first", "pictures"], equal),
        encoder_table("Each quality", [], ["quality", "SSIMULACRA2", "bytes", "ms", "pictures"], means)])


def encoder_table(title, words, numbers, rows):
    """A table behind a title; a row is what was recorded, its own words and its numbers."""
    heads = ["kind", "size", "format", "encoder"] + words
    parts = [f'<details><summary>{title}</summary><div class="scroll"><table><tr>']
    parts += [f"<th>{head}</th>" for head in heads] + [f'<th class="n">{head}</th>' for head in numbers] + ["</tr>"]
    for row, own, values in rows:
        cells = [row["kind"], row["side"] or "whole", row["format"], row["encoder"]] + own
        parts.append(
            f'<tr class="{"own" if row["encoder"] == "ozu" else ""}">' + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
            + "".join(f'<td class="n">{value}</td>' for value in values) + "</tr>")
    return "".join(parts + ["</table></div></details>"])


def recorded():
    """The page's order: what loads and decodes first; of several recordings of one benchmark, what README.md speaks of."""
    order = ["thumbnail", "two-threads", "folder", "files", "files-thumbnails", "growth", "formats", "formats-isolated", "encoders", "isolation", "processing", "cards",
             "instructions", "pipeline", "load", "http", "service", "caches/memory-cache", "caches/disk-cache",
             "caches/disk-curve", "caches/eviction"]
    paths = [os.path.join(HERE, name + ".json") for name in order]
    return [path for path in paths if os.path.exists(path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default=os.path.join(HERE, "report.html"))
    parser.add_argument("results", nargs="*")
    arguments = parser.parse_args()
    sections = []
    for path in arguments.results or recorded():
        with open(path) as file:
            sections.append(section(path, json.load(file)))
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Ozu's benchmarks</title><style>{STYLE}</style></head><body>
<h1>Ozu's benchmarks</h1>
<p>Made by <code>make bench-report</code> from the recorded results beside this page. How each was measured, and what to keep
in mind, stands in <a href="README.md">README.md</a>. Figures are processor time where the metric does not say
otherwise; recordings are of different days and machines, so compare within a section only.</p>
{chr(10).join(sections)}
</body></html>
"""
    with open(arguments.output, "w") as file:
        file.write(page)
    print(os.path.relpath(arguments.output))


main()
