#!/usr/bin/env python3
"""Makes thumbnails with other libraries, for the benchmark `thumbnail`.

Reads one request a line from standard input and answers each with one line:

    subjects                     -> names of what is installed, separated by tabs
    run INDEX W H FILE [OUTPUT]  -> milliseconds of processor time; OUTPUT gets the raw RGB pixels
    peak INDEX W H FILE          -> bytes by which resident memory rose meanwhile at its highest
    score W H A B                -> SSIMULACRA2 of two raw RGB files, or `-`
    card INDEX FILE [OUTPUT]     -> milliseconds for a card of 1200 by 630 with the photograph; OUTPUT as above
    convert A B                  -> `done` when the picture was written again, in the format of B's name
    all INDEX W H FILE...        -> milliseconds for thumbnails of many files, read and made one after the other

A size of 0 by 0 asks for the whole picture.

The time is that of the whole process while the library has the file's bytes in memory and until the pixels
of the thumbnail are there, on one thread. Every library is asked for its best thumbnail that is meant for the
purpose: libvips by vips_thumbnail_buffer, Pillow by draft mode with Lanczos and a reducing gap of 2.
"""

import ctypes
import io
import os
import sys
import time

os.environ["VIPS_CONCURRENCY"] = "1"
os.environ.setdefault("G_SLICE", "always-malloc")


def pillow():
    import PIL
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None

    def thumbnail(data, width, height):
        image = Image.open(io.BytesIO(data))
        if width == 0:
            return image.convert("RGB")
        image.draft("RGB", (width * 2, height * 2))
        return image.convert("RGB").resize((width, height), Image.LANCZOS, reducing_gap=2.0)

    return f"Pillow {PIL.__version__}", thumbnail, lambda image: image.tobytes()


def libvips():
    import pyvips

    pyvips.cache_set_max(0)
    version = ".".join(str(pyvips.version(part)) for part in range(3))

    def thumbnail(data, width, height):
        if width == 0:
            return pyvips.Image.new_from_buffer(data, "").copy_memory()
        image = pyvips.Image.thumbnail_buffer(data, width, height=height, size="force")
        return image.copy_memory()

    def pixels(image):
        if image.bands == 1:
            image = image.colourspace("srgb")
        return image.write_to_memory()

    def card(data):
        """The card of CardsBench.swift, as hokusai makes one: text as masks, composed over a ground."""
        width, height, side = 1200, 630, 280
        place = pyvips.Image.xyz(width, height)
        along = (place[0] + place[1]) / (width + height)
        first, last = [22, 38, 79], [122, 47, 107]
        ground = (along * [b - a for a, b in zip(first, last)] + first).cast("uchar").copy(interpretation="srgb")
        place = pyvips.Image.xyz(side, side) - (side - 1) / 2
        distance = (place[0] * place[0] + place[1] * place[1]) ** 0.5
        circle = ((side / 2 - distance) * 255).cast("uchar")
        avatar = pyvips.Image.thumbnail_buffer(data, side, height=side, crop="centre").bandjoin(circle)
        layers = [avatar]
        for text, font, color in (
            ("Every picture is decoded once", "sans bold 84", [255, 255, 255]),
            ("Cards with text and pictures, drawn by a server", "sans 42", [225, 215, 240]),
        ):
            mask = pyvips.Image.text(text, font=font, width=660, dpi=72)
            layers.append(mask.new_from_image(color).copy(interpretation="srgb").bandjoin(mask))
        return ground.composite(layers, "over", x=[110, 440, 440], y=[175, 120, 420]).copy_memory()

    thumbnail.card = card
    return f"libvips {version}", thumbnail, pixels


def gdk_pixbuf():
    library = ctypes.CDLL("libgdk_pixbuf-2.0.so.0")
    objects = ctypes.CDLL("libgobject-2.0.so.0")
    streams = ctypes.CDLL("libgio-2.0.so.0")
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    streams.g_memory_input_stream_new_from_data.restype = pointer
    streams.g_memory_input_stream_new_from_data.argtypes = [ctypes.c_char_p, ctypes.c_ssize_t, pointer]
    load = library.gdk_pixbuf_new_from_stream_at_scale
    load.restype = pointer
    load.argtypes = [pointer, integer, integer, integer, pointer, pointer]
    for name in ("get_pixels", "get_rowstride", "get_n_channels", "get_width", "get_height"):
        getattr(library, "gdk_pixbuf_" + name).argtypes = [pointer]
    library.gdk_pixbuf_get_pixels.restype = pointer
    objects.g_object_unref.argtypes = [pointer]
    version = ctypes.c_char_p.in_dll(library, "gdk_pixbuf_version").value.decode()

    class Pixbuf:
        def __init__(self, handle):
            self.handle = handle

        def __del__(self):
            objects.g_object_unref(self.handle)

    def thumbnail(data, width, height):
        stream = streams.g_memory_input_stream_new_from_data(data, len(data), None)
        handle = load(stream, width or -1, height or -1, 0, None, None)
        objects.g_object_unref(stream)
        if not handle:
            raise ValueError("gdk-pixbuf cannot read it")
        return Pixbuf(handle)

    def pixels(image):
        width, height = (getattr(library, "gdk_pixbuf_get_" + side)(image.handle) for side in ("width", "height"))
        stride = library.gdk_pixbuf_get_rowstride(image.handle)
        channels = library.gdk_pixbuf_get_n_channels(image.handle)
        start = library.gdk_pixbuf_get_pixels(image.handle)
        rows = (ctypes.string_at(start + y * stride, width * channels) for y in range(height))
        if channels == 3:
            return b"".join(rows)
        return b"".join(bytes(v for i, v in enumerate(row) if i % 4 != 3) for row in rows)

    return f"gdk-pixbuf {version}", thumbnail, pixels


def libjpeg_turbo():
    """Whole pictures to BGRA by the library's own interface: what Ozu's whole decode is built on."""
    library = ctypes.CDLL("libturbojpeg.so.0")
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    library.tjInitDecompress.restype = pointer
    library.tjDecompressHeader3.argtypes = [pointer, ctypes.c_char_p, ctypes.c_ulong] + [ctypes.POINTER(integer)] * 4
    library.tjDecompress2.argtypes = (
        [pointer, ctypes.c_char_p, ctypes.c_ulong, pointer] + [integer] * 5)
    handle = pointer(library.tjInitDecompress())
    bgra, kept = 3, []

    def thumbnail(data, width, height):
        if width != 0:
            raise ValueError("libjpeg-turbo makes no thumbnails")
        values = [integer() for _ in range(4)]
        if library.tjDecompressHeader3(handle, data, len(data), *map(ctypes.byref, values)):
            raise ValueError("no JPEG")
        # Memory that stays between rounds, as Ozu's does.
        count = values[0].value * values[1].value * 4
        if len(kept) != 1 or len(kept[0]) != count:
            kept[:] = [numpy.empty(count, numpy.uint8)]
        pixels = kept[0]
        if library.tjDecompress2(handle, data, len(data), pixels.ctypes.data, values[0], 0, values[1], bgra, 0):
            raise ValueError("libjpeg-turbo cannot read it")
        return pixels

    import numpy

    thumbnail.forget = kept.clear
    return "libjpeg-turbo", thumbnail, lambda pixels: pixels.tobytes()


def installed():
    found = []
    for peer in (libvips, pillow, gdk_pixbuf, libjpeg_turbo):
        try:
            found.append(peer())
        except (ImportError, OSError, AttributeError, ValueError):
            pass
    return found


def score(width, height, first, second):
    try:
        from PIL import Image
        from ssimulacra2 import compute_ssimulacra2
    except ImportError:
        return "-"
    names = []
    for path in (first, second):
        with open(path, "rb") as file:
            Image.frombytes("RGB", (width, height), file.read()).save(path + ".png")
        names.append(path + ".png")
    return str(compute_ssimulacra2(*names))


def peak(work):
    def resident(field):
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))

    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = resident("VmRSS")
    work()
    return max(0, resident("VmHWM") - before)


def main():
    peers = installed()
    files = {}
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        try:
            if words[0] == "subjects":
                answer = "\t".join(name for name, _, _ in peers)
            elif words[0] == "convert":
                from PIL import Image

                Image.MAX_IMAGE_PIXELS = None
                Image.open(words[1]).convert("RGB").save(words[2])
                answer = "done"
            elif words[0] == "all":
                _, thumbnail, _ = peers[int(words[1])]
                width, height = int(words[2]), int(words[3])
                results = []
                start = time.process_time()
                for path in words[4:]:
                    with open(path, "rb") as file:
                        results.append(thumbnail(file.read(), width, height))
                answer = str((time.process_time() - start) * 1000)
            elif words[0] == "score":
                answer = score(int(words[1]), int(words[2]), words[3], words[4])
            elif words[0] == "card":
                _, thumbnail, pixels = peers[int(words[1])]
                with open(words[2], "rb") as file:
                    data = file.read()
                start = time.process_time()
                image = thumbnail.card(data)
                answer = str((time.process_time() - start) * 1000)
                if len(words) > 3:
                    with open(words[3], "wb") as file:
                        file.write(pixels(image))
            elif words[0] == "peak":
                _, thumbnail, _ = peers[int(words[1])]
                width, height, path = int(words[2]), int(words[3]), words[4]
                if path not in files:
                    with open(path, "rb") as file:
                        files[path] = file.read()
                getattr(thumbnail, "forget", lambda: None)()
                answer = str(peak(lambda: thumbnail(files[path], width, height)))
            else:
                _, thumbnail, pixels = peers[int(words[1])]
                width, height, path = int(words[2]), int(words[3]), words[4]
                if path not in files:
                    with open(path, "rb") as file:
                        files[path] = file.read()
                start = time.process_time()
                image = thumbnail(files[path], width, height)
                answer = str((time.process_time() - start) * 1000)
                if len(words) > 5:
                    with open(words[5], "wb") as file:
                        file.write(pixels(image))
        except Exception as error:  # Any error of a library is its answer to this file.
            answer = "error\t" + " ".join(str(error).split())
        print(answer, flush=True)


main()
