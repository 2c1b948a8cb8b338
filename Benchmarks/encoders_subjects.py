"""The encoders that encoders.py and crops.py compare: Ozu, programs, and the libraries of PyPI.

An encoder is (name, format, function of the path of a PNG and a quality), and the function returns the bytes of a file.
"""

import io
import os
import subprocess

os.environ["VIPS_CONCURRENCY"] = "1"

from PIL import Image

Image.MAX_IMAGE_PIXELS = None
# Formats whose pixels are those of the picture, so only the bytes are compared.
LOSSLESS = {"png"}
# PNG of few colours. Its "quality" is the number of colours.
PALETTE = "palette"
ENDINGS = {"jpeg": "jpg", PALETTE: "png"}


class Command:
    """An encoder that is a program."""

    def __init__(self, arguments, extension, folder):
        self.arguments, self.output = arguments, os.path.join(folder, "encoded." + ENDINGS.get(extension, extension))

    def __call__(self, path, quality):
        if os.path.exists(self.output):
            os.remove(self.output)
        values = {"{in}": path, "{out}": self.output, "{q}": str(quality)}
        if quality is not None:
            values["{quantizer}"] = str(round(63 - 0.63 * quality))
        words = self.arguments
        for name, value in values.items():
            words = [word.replace(name, value) for word in words]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.output, "rb") as file:
            return file.read()


def ozu_encoder(path, extension, options, folder):
    words = [path, "load", "{in}", "--no-cache", "--quiet", "-o", "{out}"]
    if extension == PALETTE:
        words += ["--format", "png", "--colors", "{q}"]
    elif extension in LOSSLESS:
        words += ["--format", extension]
    else:
        words += ["--format", extension, "--quality", "{q}"]
    return Command(words + options, extension, folder)


def libraries():
    """The encoders of PyPI's libraries."""
    return pillow_encoders() + vips_encoders() + png_encoders()


def pillow_encoders():
    def pillow(extension, **options):
        def encode(path, quality):
            memory = io.BytesIO()
            image = Image.open(path).convert("RGB")
            if extension == PALETTE:
                image.quantize(quality).save(memory, "png", optimize=True)
            elif extension == "png":
                image.save(memory, "png", **options)
            else:
                image.save(memory, extension, quality=quality, **options)
            return memory.getvalue()

        return encode

    version = "Pillow " + __import__("PIL").__version__
    return [(version, extension, pillow(extension)) for extension in ("jpeg", "webp", "avif", "png", PALETTE)]


def vips_encoders():
    try:
        import pyvips
    except ImportError:
        return []
    version = "libvips %d.%d.%d" % tuple(pyvips.version(part) for part in range(3))

    def vips(suffix, **options):
        def encode(path, quality):
            image = pyvips.Image.new_from_file(path)
            if "png" not in suffix:
                options["Q"] = quality
            elif options.get("palette"):
                # The same number of colours needs a power of two, as in sharp.
                if quality not in (2, 4, 16, 256):
                    raise ValueError("libvips has no palette of %d colours" % quality)
                options["bitdepth"] = quality.bit_length() - 1
            return image.write_to_buffer(suffix, keep=0, **options)

        return encode

    # The defaults of sharp, and its `mozjpeg: true`.
    mozjpeg = dict(
        trellis_quant=True, overshoot_deringing=True, optimize_scans=True, optimize_coding=True, interlace=True)
    return [
        (version, "jpeg", vips(".jpg", optimize_coding=True)),
        (version, "webp", vips(".webp", effort=4)),
        (version, "avif", vips(".avif", effort=4)),
        (version, "png", vips(".png", compression=6)),
        (version, PALETTE, vips(".png", palette=True, effort=7)),
        # Numbers 3 and 2 of mozjpeg's tables: its own choice, and the one that Ozu has.
        ("mozjpeg, table 3", "jpeg", vips(".jpg", quant_table=3, **mozjpeg)),
        ("mozjpeg, table 2", "jpeg", vips(".jpg", quant_table=2, **mozjpeg)),
    ]


def png_encoders():
    encoders = []
    try:
        import oxipng

        for level in (2, 4, 6):
            encoders.append(
                ("oxipng %d" % level, "png",
                 lambda path, quality, level=level: oxipng.optimize_from_memory(
                     open(path, "rb").read(), level=level, strip=oxipng.StripChunks.all())))
    except ImportError:
        pass
    try:
        import imagequant

        def encode(path, quality):
            image = imagequant.quantize_pil_image(Image.open(path).convert("RGBA"), max_colors=quality)
            memory = io.BytesIO()
            image.save(memory, "png", optimize=True)
            return memory.getvalue()

        encoders.append(("imagequant", PALETTE, encode))
    except ImportError:
        pass
    return encoders
