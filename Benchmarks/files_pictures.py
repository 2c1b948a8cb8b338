"""The photographs of files.py, the peers that are scripts, and the scores of results."""

import functools
import glob
import io
import os
import time

# Formats with the parameters that Ozu gives their encoders at quality 80 (`QualityScale`) and medium effort: libaom's speed is 6, 9
# less the effort of libvips, and quantizer 27; libwebp has 83.
FORMATS = [
    ("avif", "[Q=58,effort=3,subsample_mode=on,strip]", dict(Q=58, effort=3, subsample_mode="on", strip=True)),
    ("webp", "[Q=83,effort=4,strip]", dict(Q=83, effort=4, strip=True)),
    ("jpg", "[Q=80,optimize_coding,subsample_mode=on,strip]",
     dict(Q=80, optimize_coding=True, subsample_mode="on", strip=True)),
]


def make_photographs(folder, count):
    """Writes `count` photographs: each original first as a whole, then parts of it."""
    import pyvips

    here = os.path.dirname(os.path.abspath(__file__))
    originals = sorted(glob.glob(os.path.join(here, "../Sources/Apps/OzuCLI/Resources/Photos/*.jpg")))
    os.makedirs(folder, exist_ok=True)
    paths = []
    for number in range(count):
        name = os.path.splitext(os.path.basename(originals[number % len(originals)]))[0]
        part = number // len(originals)
        path = os.path.join(folder, "%s-%02d.jpg" % (name, part))
        paths.append(path)
        if os.path.exists(path):
            continue
        image = pyvips.Image.new_from_file(originals[number % len(originals)])
        # 4:3, and for later parts smaller and elsewhere.
        height = int(min(image.height, image.width * 3 / 4) * (1 - 0.01 * part))
        width = height * 4 // 3
        left = (image.width - width) * (part % 7) // 6
        top = (image.height - height) * (part % 5) // 4
        image = image.crop(left, top, width, height).resize(4000 / width, vscale=3000 / height, kernel="cubic")
        image.crop(0, 0, 4000, 3000).jpegsave(
            path, Q=89, optimize_coding=True, subsample_mode="on", strip=True)
    return paths


def vips_set(source, folder, widths):
    """The body of the process that makes a set by pyvips; prints its processor time."""
    import pyvips

    start = time.process_time()
    for width in map(int, widths.split(",")):
        image = pyvips.Image.thumbnail(source, width, height=100_000).copy_memory()
        for ending, _, options in FORMATS:
            image.write_to_file(os.path.join(folder, "%d.%s" % (width, ending)), **options)
    print((time.process_time() - start) * 1000)


def pillow_thumbnails(folder, *photographs):
    """The body of the process that makes thumbnails by Pillow."""
    from PIL import Image

    for path in photographs:
        image = Image.open(path)
        image.draft("RGB", (640, 480))
        image = image.convert("RGB").resize((320, 240), Image.LANCZOS, reducing_gap=2.0)
        image.save(os.path.join(folder, os.path.basename(path)), quality=80, optimize=True, subsampling="4:2:0")


@functools.cache
def exact(photograph, width, height):
    """The pixels of a photograph in a size, by a float Lanczos3 of the whole decode."""
    import pyvips

    whole = pyvips.Image.new_from_file(photograph)
    reduced = whole.cast("float").resize(width / whole.width, vscale=height / whole.height, kernel="lanczos3")
    return png(reduced.rint().cast("uchar"))


def png(image):
    """The bytes of a PNG of an image of libvips."""
    import numpy
    from PIL import Image

    rows = numpy.frombuffer(image.write_to_memory(), dtype=numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(rows.reshape(image.height, image.width, image.bands)[:, :, :3]).save(file, "png")
    return file.getvalue()


def score(photograph, path):
    """SSIMULACRA2 of a file against its photograph in the same size."""
    import pyvips
    from ssimulacra2 import compute_ssimulacra2

    image = pyvips.Image.new_from_file(path)
    names = []
    for data in exact(photograph, image.width, image.height), png(image):
        names.append("%s.%d.png" % (path, len(names)))
        with open(names[-1], "wb") as file:
            file.write(data)
    result = compute_ssimulacra2(*names)
    for name in names:
        os.remove(name)
    return float(result)
