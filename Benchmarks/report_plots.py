"""The plots of report.py: ratios to Ozu, and growth with the size of a case."""

import math
import re
from html import escape

# The size of a case in its name: `420-320x240@12`, `full, 1000 entries: open`.
GROWTH = [
    re.compile(r"^(?P<before>)(?P<after>.*)@(?P<size>\d+(\.\d+)?)$"),
    re.compile(r"^(?P<before>full, )?(?P<size>\d+) entries: (?P<after>.*)$"),
]
SIZES = {"cpu_ns_per_operation": "entries", "cpu_us_per_request": "requests"}
COLOURS = 8
# Below it a picture is of no use, and the logarithm of the bytes falls steeply.
LEAST_LOOK = 30
GRID = '<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(29rem,1fr))">'


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
        pictures += [growth(metric, members, benchmark) for members in kinds.values()]
    return GRID + "".join(pictures) + "</div>" if pictures else ""


def looks(rows):
    """The plots of bytes against looks: for each kind of pictures and size one of Ozu's formats, and one of each format.

    `rows` have the means of the pictures.
    """
    series = {}
    for row in rows:
        if row.get("ssimulacra2") is not None and row["ssimulacra2"] >= LEAST_LOOK:
            group = series.setdefault((row["kind"], row["side"]), {})
            group.setdefault((row["format"], row["encoder"]), []).append((row["ssimulacra2"], row["bytes"]))
    pictures = []
    for (kind, side), lines in series.items():
        means = {name: sorted(points) for name, points in lines.items()}
        title = f"{kind}, {side or 'whole'}{' pixels' if side else ''}"
        groups = [("Ozu's formats", {("", extension): points for (extension, encoder), points in means.items() if encoder == "ozu"})]
        groups += [
            (extension, {("", encoder): points for (other, encoder), points in means.items() if other == extension})
            for extension in dict.fromkeys(extension for extension, _ in means)]
        for name, members in groups:
            members = {key: points for key, points in members.items() if len(points) > 1}
            if not members:
                continue
            xs = [x for points in members.values() for x, _ in points]
            low, high = min(xs), max(xs)
            ticks = [(x, f"{x}") for x in range(math.ceil(low / 10) * 10, math.floor(high) + 1, 10)]
            pictures.append(
                curve(f"{title} · {name}, bytes", members, ticks, lambda x: (x - low) / (high - low), "SSIMULACRA2, mean"))
    return GRID + "".join(pictures) + "</div>" if pictures else ""


def growth(metric, series, benchmark):
    sizes = sorted({x for points in series.values() for x, _ in points})
    kinds = {kind for kind, _ in series}
    ticks = [(size, f"{size:,g}" if size < 1e6 else f"{size / 1e6:g} M") for size in sizes]
    return curve(
        f"{next(iter(kinds))} · {metric}" if len(kinds) == 1 else metric, series, ticks,
        lambda x: math.log(x / sizes[0]) / math.log(sizes[-1] / sizes[0]),
        SIZES.get(metric, "megapixels" if benchmark == "growth" else "entries"))


def curve(title, series, ticks, share, label):
    """A plot whose vertical axis is logarithmic.

    `ticks` are values on the horizontal axis with their texts, `share` the place of a value from 0 to 1, and `label` what
    the axis has.
    """
    width, height, left, right, top, bottom = 560, 300, 62, 190, 30, 44
    values = [y for points in series.values() for _, y in points]
    low, high = min(values) * 0.8, max(values) * 1.25

    def place(x, y):
        return (left + share(x) * (width - left - right),
                height - bottom - math.log(y / low) / math.log(high / low) * (height - bottom - top))

    kinds = {kind for kind, _ in series}
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">', text(left, 16, title)]
    for value in axis(low, high):
        y = place(ticks[0][0], value)[1]
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" class="rule"/>')
        parts.append(text(left - 6, y + 4, f"{value:,g}" if value < 1e6 else f"{value:.0e}", "end", "faint"))
    for value, words in ticks:
        parts.append(text(place(value, low)[0], height - bottom + 16, words, "middle", "faint"))
    parts.append(text((left + width - right) / 2, height - 8, label, "middle", "faint"))
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
