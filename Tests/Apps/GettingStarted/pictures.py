"""Looks at the pictures that the programs of the pages write and show."""

import os
import struct


def kind_and_width(path):
    """Of a JPEG or a WebP file that ends in its first frame."""
    if not os.path.exists(path):
        return "missing", 0
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"RIFF" and data[12:16] == b"VP8 ":
        return "WebP", struct.unpack("<H", data[26:28])[0] & 0x3FFF
    place = 2
    while data[:2] == b"\xff\xd8" and place + 9 < len(data):
        marker, length = data[place + 1], struct.unpack(">H", data[place + 2:place + 4])[0]
        # The header of the frame, baseline or progressive.
        if marker in (0xC0, 0xC1, 0xC2):
            return "JPEG", struct.unpack(">H", data[place + 7:place + 9])[0]
        place += 2 + length
    return "unknown", 0


def colours(frame):
    """How many colours a frame buffer of Xvfb shows (the form of xwd)."""
    with open(frame, "rb") as file:
        data = file.read()
    head = struct.unpack(">25I", data[:100])
    pixels = data[head[0] + head[19] * 12:]
    return len({pixels[place:place + 3] for place in range(0, len(pixels) - 4, 4 * 7)})
