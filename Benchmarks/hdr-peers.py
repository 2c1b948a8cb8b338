#!/usr/bin/env python3
"""Shows pictures of high dynamic range and of wide gamuts as they are stored, by libvips, by libplacebo and by Ozu, side by side.

    apt-get install mesa-vulkan-drivers
    pip install colour-science==0.4.6 pillow numpy 'pyvips[binary]==3.2.0' imageio-ffmpeg
    python3 Benchmarks/hdr-peers.py .build/release/ozu Documentation/hdr

Makes the pictures of hdr.py (ramps, hues, skin, a sun and others; PQ with a stated peak and HLG as PNG with cICP, SDR in Display P3
and Rec. 2020 as PNG with an ICC profile, JPEG with a gain map), has each converted to sRGB, and prints the mean and the largest
deltaE2000 between Ozu and each of the others. libvips makes what `vips thumbnail` with `--output-profile srgb` makes, and of a gain map what `uhdr2scRGB` makes
by libultrahdr. libplacebo is that of ffmpeg, on any device of Vulkan (Mesa's lavapipe, in software), with the curve of BT.2390 and
its own perceptual mapping of gamuts. A sheet of each kind is left in the folder.
"""
import os, struct, subprocess, sys, tempfile, zlib

# First: it imports colour-science in place of the colour.py of this folder.
import hdr_pictures as hdr
import numpy as np
import imageio_ffmpeg, pyvips
from PIL import Image, ImageDraw

colour = hdr.colour
SHOWN = ["grey ramp", "hues, ramp", "hues, bright", "skin", "red to blue", "sun"]
# Kinds of hdr.py, and what ffmpeg calls their primaries and curve; the colourants of SDR.
KINDS = [
    ("PQ with a stated peak, PNG", "pq", "bt2020", "smpte2084"),
    ("HLG, PNG", "hlg", "bt2020", "arib-std-b67"),
    ("SDR in Display P3, PNG", "p3", "smpte432", "iec61966-2-1"),
    ("SDR in Rec. 2020, PNG", "rec2020", "bt2020", "iec61966-2-1"),
]
HEADROOM = 3


def profile(primaries):
    """An ICC profile of the primaries and the curve of sRGB."""
    white = np.array([0.9642, 1, 0.8249])
    to_xyz = hdr.TO_XYZ[primaries]
    adapted = colour.adaptation.matrix_chromatic_adaptation_VonKries(to_xyz.sum(1), white, transform="Bradford") @ to_xyz
    fixed = lambda *numbers: struct.pack(f">{len(numbers)}i", *(round(n * 65536) for n in numbers))
    text = "made by hdr-peers.py".encode("utf-16-be")
    words = b"mluc" + bytes(4) + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(text), 28) + text
    curve = b"para" + bytes(4) + struct.pack(">HH", 3, 0) + fixed(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    point = lambda values: b"XYZ " + bytes(4) + fixed(*values)
    tags = {b"desc": words, b"cprt": words, b"wtpt": point(white)}
    for number, name in enumerate((b"r", b"g", b"b")):
        tags[name + b"XYZ"], tags[name + b"TRC"] = point(adapted[:, number]), curve
    table, content, start = b"", b"", 128 + 4 + 12 * len(tags)
    for name, value in tags.items():
        table += name + struct.pack(">II", start + len(content), len(value))
        content += value + bytes(-len(value) % 4)
    head = struct.pack(">I4sI4s4s4s", start + len(content), bytes(4), 0x04300000, b"mntr", b"RGB ", b"XYZ ")
    head += struct.pack(">6H4s", 2026, 1, 1, 0, 0, 0, b"acsp") + bytes(28) + fixed(*white)
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + content


def under_profile(path, primaries):
    """Replaces the numbers of H.273 in a PNG by a profile, which libvips heeds."""
    data = open(path, "rb").read()
    numbers = hdr.chunk(b"cICP", bytes([primaries, 13 if primaries == 12 else 14, 0, 1]))
    named = hdr.chunk(b"iCCP", b"wide\0\0" + zlib.compress(profile(primaries)))
    assert data.count(numbers) == 1
    open(path, "wb").write(data.replace(numbers, named))


def by_ozu(ozu, path, folder, *options):
    out = os.path.join(folder, "out.png")
    subprocess.run([ozu, "load", "--no-cache", *options, "--format", "png", "--output", out, path], check=True, capture_output=True)
    return hdr.read_pq(out) if options else np.asarray(Image.open(out).convert("RGB")) / 255


def by_vips(path):
    h, w = hdr.SIDE
    made = pyvips.Image.thumbnail(path, w, height=h, size="down", output_profile="srgb")
    return made.numpy()[..., :3] / 255


def by_placebo(path, primaries, curve):
    h, w = hdr.SIDE
    filters = f"setparams=color_primaries={primaries}:color_trc={curve}:colorspace=gbr:range=pc,"
    filters += "libplacebo=format=gbrp16le:colorspace=gbr:color_primaries=bt709:color_trc=iec61966-2-1:range=pc"
    filters += ":tonemapping=bt.2390:gamut_mode=perceptual:peak_detect=false"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-init_hw_device", "vulkan=v:0", "-i", path]
    command += ["-filter_hw_device", "v", "-vf", filters, "-f", "rawvideo", "-pix_fmt", "rgb48le", "-"]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(made, "<u2").reshape(h, w, 3) / 65535


def difference(one, other, lab=lambda c: colour.XYZ_to_Lab(colour.sRGB_to_XYZ(c))):
    return colour.delta_E(lab(one), lab(other), method="CIE 2000")


def sheet(path, names, rows):
    """The rows of pictures under the names of their columns."""
    h, w = hdr.SIDE
    top, gap = 16, 4
    picture = Image.new("RGB", (len(names) * (w + gap) - gap, top + len(rows) * (h + gap)), "white")
    draw = ImageDraw.Draw(picture)
    for column, name in enumerate(names):
        draw.text((column * (w + gap) + 2, 1), name, fill="black")
    for y, row in enumerate(rows):
        for x, pixels in enumerate(row):
            cell = Image.fromarray(np.uint8(np.round(np.clip(pixels, 0, 1) * 255)))
            picture.paste(cell, (x * (w + gap), top + y * (h + gap)))
    picture.save(path, lossless=True, method=6, quality=100)


def report(kind, peers):
    for name, values in peers.items():
        stack = np.stack(values)
        means = stack.mean((1, 2))
        print(f"| {kind} | {name} | {means.mean():.2f} | {means.max():.2f} | {stack.max():.1f} |", flush=True)


def gain_maps(ozu, folder, page, version):
    """Light in units of white, shown at the part of it that a display of the headroom shows at once."""
    rows, differences = [], []
    show = lambda c: colour.cctf_encoding(np.clip(c / 2**HEADROOM, 0, 1), function="sRGB")
    lab = lambda c: colour.XYZ_to_Lab(np.clip(c, 0, 2**HEADROOM) @ hdr.TO_XYZ[1].T)
    for name, light in hdr.scenes():
        path = os.path.join(folder, "map.jpg")
        stored, _ = hdr.gain_map_file(path, light, 1)
        vips = pyvips.Image.uhdrload(path).uhdr2scRGB().numpy()[..., :3]
        own = by_ozu(ozu, path, folder, "--headroom", str(HEADROOM))
        differences.append(difference(own, vips, lab))
        if name in SHOWN:
            rows.append([stored, show(vips), show(own)])
    report("gain map, JPEG, 3 stops", {f"libvips {version}": differences})
    sheet(os.path.join(page, "gain-map.webp"), ["stored picture", f"libvips {version}", "Ozu"], rows)


def main():
    ozu, page = sys.argv[1], sys.argv[2]
    # Files of one name come one after the other.
    pyvips.cache_set_max(0)
    hdr.SIDE = (96, 176)
    version = ".".join(str(pyvips.version(part)) for part in range(3))
    print("| kind | beside | mean | worst picture's mean | worst pixel |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind, short, primaries, curve in KINDS:
            rows, peers = [], {f"libvips {version}": [], "libplacebo": []}
            for name, light in hdr.scenes():
                path, stored, _, number, _ = hdr.make(kind, folder, "picture", light)
                if "SDR" in kind:
                    under_profile(path, number)
                made = [by_vips(path), by_placebo(path, primaries, curve)]
                own = by_ozu(ozu, path, folder)
                for values, other in zip(peers.values(), made):
                    values.append(difference(own, other))
                if name in SHOWN:
                    rows.append([stored, *made, own])
            report(kind, peers)
            sheet(os.path.join(page, f"{short}.webp"), ["raw", *peers, "Ozu"], rows)
        gain_maps(ozu, folder, page, version)


if __name__ == "__main__":
    main()
