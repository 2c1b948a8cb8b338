#!/usr/bin/env python3
"""Compares Ozu's tone mapping of PQ and HLG, its gain maps, and its conversion of wide gamuts with the standards as
colour-science and numpy have them.

    pip install colour-science==0.4.6 pillow numpy pillow-heif==1.8.1
    apt-get install libavif-bin libjxl-tools
    python3 Benchmarks/hdr.py .build/release/ozu [FOLDER [WIDTH]]

Makes 12 pictures of each kind (PQ and HLG in PNG, PQ in AVIF, JPEG XL and HEIC, PQ under the primaries of Display P3, SDR in
Display P3 and Rec. 2020, JPEG with gain maps of one gain and of three), has `ozu load` convert them, and prints the mean and the
largest deltaE2000 of each. The curves and the matrices are colour-science's; the EETF of BT.2390 and the gamut mapping are computed
here in double precision, and without tables. Pillow decodes
the JPEGs with gain maps, libavif's and libjxl's programs write AVIF and JPEG XL, and pillow-heif HEIC. That loses something: for
it the reference is made of what pillow-heif reads. With FOLDER, writes a page there with every picture raw, by the reference and by
Ozu, and a sheet of some of them that is WIDTH pixels wide.
"""
import os
import subprocess
import sys
import tempfile

# First: it imports colour-science in place of the colour.py of this folder.
from hdr_reference import TO_XYZ, reference, wide
from hdr_pictures import gain_map_file, make, read_pq, scenes
import colour
import numpy as np
from PIL import Image

KINDS = ["PQ, PNG", "PQ with a stated peak, PNG", "HLG, PNG", "PQ in Display P3, PNG", "PQ, AVIF", "PQ, JPEG XL", "PQ, HEIC"]
KINDS += ["SDR in Display P3, PNG", "SDR in Rec. 2020, PNG"]
MAPS = ["gain map, JPEG", "gain map of three gains, JPEG"]
HEADROOMS = [1, 2, 4]


def compare_maps(ozu, kind, cells):
    """Gain maps for displays of some headrooms: light in units of white, which CIE Lab takes above 1 too."""
    means, worst = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, light) in enumerate(scenes()):
            path = os.path.join(folder, f"{number:02}.jpg")
            stored, want = gain_map_file(path, light, 3 if "three" in kind else 1)
            differences = []
            for headroom in HEADROOMS:
                out = os.path.join(folder, "out.png")
                command = [ozu, "load", "--no-cache", "--headroom", str(headroom), "--format", "png", "--output", out, path]
                subprocess.run(command, check=True, capture_output=True)
                got = read_pq(out)
                lab = lambda c: colour.XYZ_to_Lab(c @ TO_XYZ[1].T)
                differences.append(colour.delta_E(lab(got), lab(want(headroom)), method="CIE 2000"))
            difference = np.stack(differences)
            means.append(difference.mean())
            worst = max(worst, difference.max())
            show = lambda c: colour.cctf_encoding(np.clip(c / 16, 0, 1), function="sRGB")
            cells.append((kind, name, stored, show(want(4)), show(got), difference.mean(), difference.max()))
    print(f"| {kind} | {len(means)} | {np.mean(means):.3f} | {max(means):.3f} | {worst:.2f} |", flush=True)


def sheet(cells, path, width):
    """Some kinds of pictures raw, by the reference and by Ozu, side by side."""
    chosen = [c for c in cells if c[0] in ("PQ, PNG", "HLG, PNG", "SDR in Rec. 2020, PNG", MAPS[0])]
    chosen = [c for c in chosen if c[1] in ("grey ramp", "hues, ramp", "skin", "sun", "red to blue")]
    rows = [np.hstack([np.pad(p, ((2, 2), (2, 2), (0, 0)), constant_values=1) for p in c[2:5]]) for c in chosen]
    half = (len(rows) + 1) // 2
    columns = [np.vstack(rows[:half]), np.vstack(rows[half:] + [np.ones_like(rows[0])] * (2 * half - len(rows)))]
    picture = Image.fromarray(np.uint8(np.round(np.hstack(columns) * 255)))
    picture.resize((width, picture.height * width // picture.width), Image.LANCZOS).save(path, quality=88)


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
                is_wide = transfer in (13, 14)
                want = wide(values, primaries) if is_wide else reference(values, transfer, primaries, peak)
                lab = lambda c: colour.XYZ_to_Lab(colour.sRGB_to_XYZ(c))
                # Ozu's picture has 8 bits.
                difference = colour.delta_E(lab(got), lab(np.round(want * 255) / 255), method="CIE 2000")
                means.append(difference.mean())
                worst = max(worst, difference.max())
                cells.append((kind, name, values, want, got, difference.mean(), difference.max()))
        print(f"| {kind} | {len(means)} | {np.mean(means):.3f} | {max(means):.3f} | {worst:.2f} |", flush=True)
    for kind in MAPS:
        compare_maps(ozu, kind, cells)
    if page:
        os.makedirs(page, exist_ok=True)
        sheet(cells, os.path.join(page, "sheet.jpg"), int(sys.argv[3]) if len(sys.argv) > 3 else 800)
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
