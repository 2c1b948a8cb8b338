#!/usr/bin/env python3
"""Compares Ozu's tone mapping of PQ and HLG with the standards as colour-science and numpy have them.

    pip install colour-science==0.4.6 pillow numpy
    apt-get install libavif-bin libjxl-tools
    python3 Benchmarks/hdr.py .build/release/ozu [FOLDER]

Makes 12 pictures of each kind (PQ and HLG in PNG, PQ in AVIF and JPEG XL, PQ under the primaries of Display P3), has
`ozu load` convert them, and prints the mean and the largest deltaE2000 of each. The curves are colour-science's; the EETF of
BT.2390 and the gamut mapping are computed here in double precision, by other means than Ozu's: no tables, and the edges of
gamuts by halving to the last bit. With FOLDER, a page with every picture raw, as the reference has it, and as Ozu has
it is left there.
"""
import os, subprocess, struct, sys, tempfile, zlib
import warnings

warnings.filterwarnings("ignore")
# This folder has a colour.py of its own.
sys.path.pop(0)
import numpy as np
import colour
from PIL import Image

WHITE, SIDE = 203.0, (96, 128)
TO_XYZ = {
    9: colour.RGB_COLOURSPACES["ITU-R BT.2020"].matrix_RGB_to_XYZ,
    12: colour.RGB_COLOURSPACES["Display P3"].matrix_RGB_to_XYZ,
    1: colour.RGB_COLOURSPACES["sRGB"].matrix_RGB_to_XYZ,
}
FROM_XYZ = {key: np.linalg.inv(value) for key, value in TO_XYZ.items()}


def pq(nits):
    return colour.models.eotf_inverse_ST2084(nits)


def nits(value):
    return colour.models.eotf_ST2084(value)


def eetf(light, peak):
    """ITU-R BT.2390-11 5.4.1, black at 0."""
    if peak <= WHITE:
        return np.minimum(light, WHITE)
    top = pq(peak)
    most = pq(WHITE) / top
    e = np.minimum(pq(light) / top, 1)
    ks = 1.5 * most - 0.5
    t = np.clip((e - ks) / (1 - ks), 0, 1)
    p = (2 * t**3 - 3 * t**2 + 1) * ks + (t**3 - 2 * t**2 + t) * (1 - ks) + (-2 * t**3 + 3 * t**2) * most
    return nits(np.where(e < ks, e, p) * top)


def edge(grey, color):
    """How far the lines from greys through colours stay in the cube, as multiples of the colours' own distance."""
    low, high = np.zeros(len(grey)), np.full(len(grey), 1024.0)
    for _ in range(60):
        middle = (low + high) / 2
        point = grey + (color - grey) * middle[:, None]
        inside = np.all((point >= 0) & (point <= 1), -1)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.maximum(low, 1e-9)


def map_gamut(source, primaries):
    rgb = source @ (FROM_XYZ[1] @ TO_XYZ[primaries]).T
    grey = np.repeat((source @ TO_XYZ[primaries][1])[:, None], 3, -1)
    near, far = edge(grey, rgb), edge(grey, source)
    part, limit = 1 / near, np.maximum(far, 1) / near
    x, end = (part - 0.8) / 0.2, np.maximum((limit - 0.8) / 0.2, 1.0)
    kept = np.where(end > 1, 0.8 + 0.2 * np.minimum(x / (1 + x * (end - 1) / end), 1), np.minimum(part, 1))
    factor = np.where(part <= 0.8, 1, kept * near)
    return np.clip(grey + (rgb - grey) * factor[:, None], 0, 1)


def reference(values, transfer, primaries, peak):
    flat = values.reshape(-1, 3)
    if transfer == 16:
        light = nits(flat)
    else:
        scene = colour.models.oetf_inverse_BT2100_HLG(flat)
        y = scene @ TO_XYZ[primaries][1]
        light = 1000 * scene * (np.maximum(y, 1e-12) ** 0.2)[:, None]
        peak = 1000
    top = light.max(-1)
    gain = eetf(np.minimum(top, peak), peak) / np.maximum(top, 1e-9)
    mapped = map_gamut(light * gain[:, None] / WHITE, primaries)
    return colour.cctf_encoding(mapped, function="sRGB").reshape(values.shape)


def scenes():
    """Twelve pictures, as light in candelas per square metre under the primaries of the file."""
    h, w = SIDE
    x, y = np.meshgrid(np.linspace(0, 1, w), np.linspace(0, 1, h))
    ramp = 10 ** (x * 5 - 2)
    hue = lambda: np.stack([0.5 + 0.5 * np.cos(2 * np.pi * (y - k / 3)) for k in range(3)], -1)
    rng = np.random.default_rng(7)
    noise = rng.random((h // 8, w // 8, 3)).repeat(8, 0).repeat(8, 1)
    skin = np.array([[0.6, 0.36, 0.25], [0.45, 0.24, 0.15], [0.2, 0.09, 0.05], [0.75, 0.55, 0.45]])
    skins = skin[(y * 3.999).astype(int)] * (20 + 900 * x**2)[..., None]
    one = lambda *c: np.array(c, float)
    yield "grey ramp", np.repeat(ramp[..., None], 3, -1)
    yield "hues, ramp", hue() * ramp[..., None]
    yield "hues, saturation", (hue() * x[..., None] + (1 - x[..., None]) * 0.8) * 150
    yield "hues, bright", (hue() * x[..., None] + (1 - x[..., None])) * 800
    yield "skin", skins
    yield "red to blue", ((1 - x)[..., None] * one(1, 0, 0) + x[..., None] * one(0, 0, 1)) * (10 + 990 * y)[..., None]
    yield "green to magenta", ((1 - x)[..., None] * one(0, 1, 0) + x[..., None] * one(1, 0, 1)) * (10 + 990 * y)[..., None]
    yield "sky", one(0.3, 0.5, 1.0) * (40 + 600 * y)[..., None] + x[..., None] * 300
    yield "sun", one(1.0, 0.8, 0.4) * (4000 * np.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) * 30) + 5)[..., None]
    yield "noise", noise * 300
    yield "noise, bright", noise**2 * 2000
    yield "shadows", np.stack([x, y, 1 - x], -1) * 4


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(path, words, primaries, transfer, peak=None):
    h, w, _ = words.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in words)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 16, 2, 0, 0, 0))
    data += chunk(b"cICP", bytes([primaries, transfer, 0, 1]))
    if peak:
        data += chunk(b"cLLI", struct.pack(">II", int(peak * 10000), 0))
    open(path, "wb").write(data + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def encoded(light, transfer, primaries):
    if transfer == 16:
        return pq(np.clip(light, 0, 10000))
    display = np.clip(light / 1000, 0, 1)
    y = np.maximum(display @ TO_XYZ[primaries][1], 1e-9)
    return np.clip(colour.models.oetf_BT2100_HLG(np.clip(display * (y ** (-1 / 6))[..., None], 0, 1)), 0, 1)


def make(kind, folder, name, light):
    transfer, primaries = (18 if "HLG" in kind else 16), (12 if "P3" in kind else 9)
    values = encoded(light, transfer, primaries)
    peak = 1000
    path = os.path.join(folder, name + ".png")
    if kind.endswith("AVIF"):
        words = np.round(values * 1023)
        png(path, np.round(words / 1023 * 65535), primaries, transfer)
        out = os.path.join(folder, name + ".avif")
        command = ["avifenc", "-d", "10", "-y", "444", "--min", "0", "--max", "0", "-s", "8", "-r", "full"]
        command += ["--cicp", f"{primaries}/{transfer}/0", "--ignore-icc", path, out]
        subprocess.run(command, check=True, capture_output=True)
        return out, words / 1023, transfer, primaries, peak
    words = np.round(values * 65535)
    if kind.endswith("JPEG XL"):
        png(path, words, primaries, transfer)
        out = os.path.join(folder, name + ".jxl")
        subprocess.run(
            ["cjxl", "-d", "0", "-x", "color_space=RGB_D65_202_Rel_PeQ", path, out], check=True, capture_output=True)
        return out, words / 65535, transfer, primaries, peak
    if "stated" in kind:
        peak = min(float(light.max()), 10000.0)
    png(path, words, primaries, transfer, peak if "stated" in kind else None)
    return path, words / 65535, transfer, primaries, peak


KINDS = ["PQ, PNG", "PQ with a stated peak, PNG", "HLG, PNG", "PQ in Display P3, PNG", "PQ, AVIF", "PQ, JPEG XL"]


def main():
    ozu, page = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
    cells = []
    print("| kind | pictures | mean | worst picture's mean | worst pixel |\n|---|---|---|---|---|")
    for kind in KINDS:
        means, worst = [], 0
        with tempfile.TemporaryDirectory() as folder:
            for index, (name, light) in enumerate(scenes()):
                path, values, transfer, primaries, peak = make(kind, folder, f"{index:02}", light)
                out = os.path.join(folder, f"{index:02}-out.png")
                subprocess.run(
                    [ozu, "load", "--no-cache", "--format", "png", "--output", out, path],
                    check=True, capture_output=True)
                got = np.asarray(Image.open(out).convert("RGB")) / 255
                want = reference(values, transfer, primaries, peak)
                lab = lambda c: colour.XYZ_to_Lab(colour.sRGB_to_XYZ(c))
                # Ozu's picture has 8 bits.
                difference = colour.delta_E(lab(got), lab(np.round(want * 255) / 255), method="CIE 2000")
                means.append(difference.mean())
                worst = max(worst, difference.max())
                cells.append((kind, name, values, want, got, difference.mean(), difference.max()))
        print(f"| {kind} | {len(means)} | {np.mean(means):.3f} | {max(means):.3f} | {worst:.2f} |")
    if page:
        os.makedirs(page, exist_ok=True)
        rows = []
        for number, (kind, name, raw, want, got, mean, most) in enumerate(cells):
            images = []
            for what, picture in (("raw", raw), ("reference", want), ("ozu", got)):
                file = f"{number:03}-{what}.png"
                Image.fromarray(np.uint8(np.round(picture * 255))).save(os.path.join(page, file))
                images.append(f'<td><img src="{file}" alt="{what}"></td>')
            rows.append(f"<tr><td>{kind}<br>{name}</td>{''.join(images)}<td>{mean:.2f}<br>{most:.2f}</td></tr>")
        head = "<tr><th></th><th>raw</th><th>reference</th><th>Ozu</th><th>deltaE2000</th></tr>"
        open(os.path.join(page, "index.html"), "w").write(
            f"<!doctype html><meta charset=utf-8><title>HDR</title><table>{head}{''.join(rows)}</table>")


if __name__ == "__main__":
    main()
