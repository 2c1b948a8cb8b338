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
import glob
import json
import math
import os
import re
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
# Figures that are better when they are higher.
MORE_IS_BETTER = {"hit_ratio", "mean_hit_ratio", "requests_per_second", "hit_ratio_minus_lru"}
# How the size of a case stands in its name: `420-320x240@12`, `full, 1000 entries: open`.
GROWTH = [
    re.compile(r"^(?P<before>)(?P<after>.*)@(?P<size>\d+(\.\d+)?)$"),
    re.compile(r"^(?P<before>full, )?(?P<size>\d+) entries: (?P<after>.*)$"),
]
SIZES = {"cpu_ns_per_operation": "entries", "cpu_us_per_request": "requests"}
COLOURS = 8

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


def number(value):
    if value is None:
        return "–"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def text(x, y, words, anchor="start", kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>'


def split(case):
    """The size in the name of a case and the rest of it, or nothing."""
    for pattern in GROWTH:
        found = pattern.match(case)
        if found:
            return (found["before"] or "") + found["after"], float(found["size"])
    return None


def groups(rows):
    """Rows by the case without its picture, and the metric."""
    result = {}
    for row in rows:
        result.setdefault((row["case"].split("/")[0], row["metric"]), []).append(row)
    return result


def bases(rows):
    """The row that others are compared with, for each case and metric: Ozu's, or the first."""
    found = {}
    for row in rows:
        key = row["case"], row["metric"]
        if key not in found or row["subject"] == "ozu":
            found[key] = row
    return found


def ratios(rows):
    """For each other subject: its figure over that of the base, for each case."""
    base = bases(rows)
    found = {}
    for row in rows:
        first = base[row["case"], row["metric"]]
        if row["subject"] != first["subject"] and first["median"] and row["median"]:
            found.setdefault(row["subject"], []).append((row["median"] / first["median"], row["case"]))
    return found


def axis(low, high):
    """Round values for a logarithmic axis."""
    steps = (1, 2, 5) if math.log10(high / low) < 3 else (1,)
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    return [step * 10.0**exponent for exponent in exponents for step in steps
            if low * 0.999 <= step * 10.0**exponent <= high * 1.001]


def dots(rows):
    """The plot of ratios."""
    lines = []
    for (case, metric), members in groups(rows).items():
        if split(case):
            continue
        for subject, values in ratios(members).items():
            lines.append((case, metric, subject, values))
    if not lines:
        return ""
    subjects = sorted({line[2] for line in lines})
    everything = [value for line in lines for value, _ in line[3]]
    low, high = min(0.5, min(everything)) * 0.9, max(2, max(everything)) * 1.1
    left, right, top, step = 300, 270, 30, 16
    width, height = 1000, top + 20 + step * len(lines) + 8 * len({line[:2] for line in lines})

    def place(value):
        return left + math.log(value / low) / math.log(high / low) * (width - left - right)

    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Times of peers over those of Ozu">']
    for value in axis(low, high):
        parts.append(
            f'<line x1="{place(value):.1f}" x2="{place(value):.1f}" y1="{top - 8}" y2="{height - 10}" '
            f'class="{"own" if value == 1 else "rule"}"/>')
        parts.append(text(place(value), top - 14, "1×" if value == 1 else f"{value:g}×", "middle", "faint"))
    y, before = top, None
    for case, metric, subject, values in lines:
        if (case, metric) != before:
            y += 8
            parts.append(text(left - 10, y + step * 0.7, f"{case} · {metric}"[-46:], "end"))
            before = (case, metric)
        y += step
        colour = subjects.index(subject) % COLOURS
        for value, name in values:
            parts.append(
                f'<circle cx="{place(value):.1f}" cy="{y - step / 2 + 2:.1f}" r="3.5" class="f{colour}" '
                f'fill-opacity="0.75"><title>{escape(name)}: {value:.2f}</title></circle>')
        mean = math.exp(sum(math.log(value) for value, _ in values) / len(values))
        parts.append(text(width - right + 8, y - 2, f"{mean:.2f}× {subject}"[:44], kind=f"f{colour}"))
    return "\n".join(parts + ["</svg>"])


def curves(rows, benchmark):
    """The plots of growth: one for each metric."""
    lines = {}
    for row in rows:
        found = split(row["case"])
        if found and row["median"] and row["median"] > 0:
            lines.setdefault(row["metric"], {}).setdefault((found[0], row["subject"]), []).append(
                (found[1], row["median"]))
        if found and row.get("peak_bytes"):
            lines.setdefault("memory, MB", {}).setdefault((found[0], row["subject"]), []).append(
                (found[1], row["peak_bytes"] / 1e6))
    pictures = []
    for metric, series in lines.items():
        series = {name: sorted(points) for name, points in series.items() if len(points) > 1}
        # By the kind of work, so that no picture has more lines than colours.
        kinds = {}
        for (kind, subject), points in series.items():
            kinds.setdefault(kind if len(series) > COLOURS else "", {})[kind, subject] = points
        pictures += [curve(metric, members, benchmark) for members in kinds.values()]
    if not pictures:
        return ""
    return '<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(29rem,1fr))">' + "".join(pictures) + "</div>"


def curve(metric, series, benchmark):
    width, height, left, right, top, bottom = 560, 300, 62, 190, 30, 44
    sizes = sorted({x for points in series.values() for x, _ in points})
    values = [y for points in series.values() for _, y in points]
    low, high = min(values) * 0.8, max(values) * 1.25

    def place(x, y):
        return (left + math.log(x / sizes[0]) / math.log(sizes[-1] / sizes[0]) * (width - left - right),
                height - bottom - math.log(y / low) / math.log(high / low) * (height - bottom - top))

    kinds = {kind for kind, _ in series}
    title = f"{next(iter(kinds))} · {metric}" if len(kinds) == 1 else metric
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">', text(left, 16, title)]
    for value in axis(low, high):
        y = place(sizes[0], value)[1]
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" class="rule"/>')
        parts.append(text(left - 6, y + 4, f"{value:,g}" if value < 1e6 else f"{value:.0e}", "end", "faint"))
    for size in sizes:
        x = place(size, low)[0]
        label = f"{size:,g}" if size < 1e6 else f"{size / 1e6:g} M"
        parts.append(text(x, height - bottom + 16, label, "middle", "faint"))
    parts.append(text((left + width - right) / 2, height - 8, SIZES.get(metric, "megapixels" if benchmark == "growth" else "entries"), "middle", "faint"))
    ends = []
    for index, ((kind, subject), points) in enumerate(sorted(series.items(), key=lambda item: item[0][1] != "ozu")):
        path = " ".join("%.1f,%.1f" % place(*point) for point in points)
        parts.append(f'<polyline points="{path}" class="s{index % COLOURS}"/>')
        name = subject if len(kinds) == 1 else kind if subject == "ozu" else f"{kind}, {subject}"
        for point in points:
            x, y = place(*point)
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" class="f{index % COLOURS}">'
                f"<title>{escape(name)} at {point[0]:,g}: {number(point[1])}</title></circle>")
        ends.append((place(*points[-1])[1], name, index % COLOURS))
    # Labels keep their distance.
    lowest = top - 10
    for y, name, colour in sorted(ends):
        lowest = max(y + 4, lowest + 14)
        parts.append(text(width - right + 8, lowest, name[:31], kind=f"f{colour}"))
    return "<figure>" + "\n".join(parts + ["</svg></figure>"])


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


def recorded():
    """The page's order: what loads and decodes first; of several recordings of one benchmark, what README.md speaks of."""
    order = ["thumbnail", "folder", "files", "files-thumbnails", "growth", "formats", "formats-kinds", "formats-isolated", "isolation", "processing",
             "instructions", "pipeline", "load", "http", "caches/memory-cache", "caches/disk-cache",
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
