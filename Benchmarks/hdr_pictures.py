"""The pictures of hdr.py and hdr-peers.py: their light, and files of each kind."""

import io
import os
import struct
import subprocess
import zlib

# First: it imports colour-science in place of the colour.py of this folder.
from hdr_reference import TO_XYZ, WHITE, nits, pq
import colour
import numpy as np
from PIL import Image

SIDE = (96, 128)


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
