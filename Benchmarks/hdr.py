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
import io, os, subprocess, struct, sys, tempfile, zlib
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


def reach(grey, color):
    """The parts of the ways from greys to the faces of the cube that colours have gone, in the norm of the power 8."""
    faces = [np.maximum((grey - color) / np.maximum(grey, 1e-12), 0), np.maximum((color - grey) / np.maximum(1 - grey, 1e-12), 0)]
    return np.linalg.norm(np.hstack(faces), 8, -1)


def map_gamut(source, primaries):
    rgb = source @ (FROM_XYZ[1] @ TO_XYZ[primaries]).T
    grey = np.repeat((source @ TO_XYZ[primaries][1])[:, None], 3, -1)
    part, own = np.maximum(reach(grey, rgb), 1e-12), np.maximum(reach(grey, source), 1e-12)
    x, end = (part - 0.8) / 0.2, (np.maximum(part / own, 1) * 3 ** (1 / 8) - 0.8) / 0.2
    factor = np.where(part <= 0.8, 1, (0.8 + 0.2 * x / (1 + x * (end - 1) / end)) / part)
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


def wide(values, primaries):
    """SDR of another gamut in sRGB: what lies outside is cut off, as a conversion by matrix and curve does."""
    # The curve of television is taken for sRGB's.
    rgb = colour.cctf_decoding(values.reshape(-1, 3), function="sRGB") @ (FROM_XYZ[1] @ TO_XYZ[primaries]).T
    return colour.cctf_encoding(np.clip(rgb, 0, 1), function="sRGB").reshape(values.shape)


def jpeg(values):
    data = io.BytesIO()
    words = np.uint8(np.round(values * 255))
    Image.fromarray(words).save(data, "JPEG", quality=98, subsampling=0)
    return data.getvalue(), np.asarray(Image.open(io.BytesIO(data.getvalue()))) / 255


def segment(marker, body):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


def gain_map_file(path, light, channels):
    """A JPEG with a gain map by ISO 21496-1, and its expected pictures for headrooms of one, two and four stops."""
    white = light / WHITE
    base, stored = jpeg(colour.cctf_encoding(np.clip(white / (1 + white) * 1.2, 0, 1), function="sRGB"))
    offset, most = 1 / 64, 3.0
    shown = colour.cctf_decoding(stored, function="sRGB")
    stops = np.log2((white + offset) / (shown + offset))
    if channels == 1:
        stops = stops.mean(-1, keepdims=True)
    coded = np.clip(stops / most, 0, 1)
    data, values = jpeg(coded.repeat(3, -1) if channels == 1 else coded)
    if channels == 1:
        grey = io.BytesIO()
        Image.fromarray(np.uint8(np.round(coded[..., 0] * 255))).save(grey, "JPEG", quality=98)
        data = grey.getvalue()
        values = np.asarray(Image.open(io.BytesIO(data)))[..., None].repeat(3, -1) / 255
    # The denominator for all, the headrooms, and of each gain the least, the greatest, the exponent and the offsets.
    numbers = [64, 0, int(most * 64)] + [0, int(most * 64), 64, 1, 1] * channels
    block = bytes([0, 0, 0, 0, 0x48 | (0x80 if channels == 3 else 0)]) + struct.pack(f">{len(numbers)}I", *numbers)
    described = data[:2] + segment(0xE2, b"urn:iso:std:iso:ts:21496:-1\0" + block) + data[2:]
    head = base[:2] + segment(0xE2, b"urn:iso:std:iso:ts:21496:-1\0" + bytes(4))

    def index(place):
        entries = struct.pack(">IIIHH", 0x030000, len(base), 0, 0, 0) + struct.pack(">IIIHH", 0, len(described), place, 0, 0)
        body = b"MM\0*" + struct.pack(">IHHHIII", 8, 1, 0xB002, 7, 32, 26, 0) + entries
        return segment(0xE2, b"MPF\0" + body)

    start = len(head) + len(index(0)) + len(base) - 2
    open(path, "wb").write(head + index(start - len(head) - 8) + base[2:] + described)

    def want(headroom):
        weight = min(headroom / most, 1)
        bright = (shown + offset) * 2 ** (values * most * weight) - offset
        return np.clip(bright, 0, 2.0**headroom)

    return stored, want


def read_pq(path):
    """Light in units of white of a PNG of 16 bits, RGB and not interlaced."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            w, h, bits, kind = struct.unpack(">IIBB", body[:10])
            assert (bits, kind) == (16, 2)
        if name == b"cICP":
            assert body == bytes([1, 16, 0, 1])
        if name == b"IDAT":
            packed += body
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(h, 1 + w * 6)
    rows = np.zeros((h + 1, w * 6 + 6), np.int64)
    for y in range(h):
        kind, line, above = raw[y, 0], raw[y, 1:].astype(np.int64), rows[y]
        out = rows[y + 1]
        if kind in (0, 2):
            out[6:] = (line + (above[6:] if kind == 2 else 0)) % 256
            continue
        for x in range(w * 6):
            a, b, c = out[x], above[x + 6], above[x]
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            out[x + 6] = (line[x] + (a if kind == 1 else (a + b) // 2 if kind == 3 else paeth)) % 256
    words = rows[1:, 6:].reshape(h, w, 3, 2)
    return nits((words[..., 0] * 256 + words[..., 1]) / 65535) / WHITE


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
    if "SDR" in kind:
        transfer = 13 if "P3" in kind else 14
        values = colour.cctf_encoding(np.clip(light / WHITE, 0, 1), function="sRGB")
        words, path = np.round(values * 65535), os.path.join(folder, name + ".png")
        png(path, words, primaries, transfer)
        return path, words / 65535, transfer, primaries, 0
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
    if kind.endswith("HEIC"):
        import pillow_heif

        out = os.path.join(folder, name + ".heic")
        h, w, _ = values.shape
        source = pillow_heif.from_bytes("RGB;16", (w, h), words.astype("<u2").tobytes())
        codes = dict(color_primaries=primaries, transfer_characteristics=transfer, matrix_coefficients=9, full_range_flag=1)
        source.save(out, quality=95, chroma=444, **codes)
        read = pillow_heif.open_heif(out, convert_hdr_to_8bit=False)
        stored = np.frombuffer(bytes(read.data), np.uint16).reshape(h, read.stride // 2)[:, : w * 3]
        # The lowest six bits are empty.
        return out, (stored.reshape(h, w, 3) >> 6) / 1023, transfer, primaries, peak
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
