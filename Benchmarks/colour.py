#!/usr/bin/env python3
"""Compares the colours of `ozu load` with those of iccDEV, file by file. Documentation/colour.md has the results.

    pip install iccdev==0.1.1 pillow numpy
    python3 Benchmarks/colour.py .build/release/ozu FILE…

Pillow reads the pixels as stored and the ICC profile. iccDEV's IccProfLib converts them to sRGB in floating point,
relative colorimetric with black-point compensation. Only opaque pixels are compared. For each file: the largest and the
mean difference of a channel, of 255, from iccDEV with compensation, and from iccDEV without.
"""

import os
import subprocess
import sys
import tempfile

import iccdev
import numpy
from PIL import Image, ImageCms


def converted(pixels, profile, target, compensates):
    cmm = iccdev.IccCmm()
    for path in (profile, target):
        cmm.attach(
            path,
            intent=iccdev.Intent.RelativeColorimetric,
            interp=iccdev.Interpolation.Tetrahedral,
            use_bpc=compensates,
        )
    cmm.begin()
    colours, places = numpy.unique(pixels, axis=0, return_inverse=True)
    results = cmm.apply_ndarray(numpy.ascontiguousarray(colours, dtype=numpy.float32) / 255)
    return numpy.clip(numpy.asarray(results) * 255, 0, 255)[places.reshape(-1)]


def compare(ozu, path, folder, target):
    output = os.path.join(folder, "ozu.png")
    subprocess.run([ozu, "load", "--no-cache", "--format", "png", "-o", output, path], check=True, stdout=subprocess.DEVNULL)
    ours = numpy.asarray(Image.open(output).convert("RGBA")).reshape(-1, 4)
    image = Image.open(path)
    image.load()
    profile = os.path.join(folder, "profile.icc")
    with open(profile, "wb") as file:
        file.write(image.info["icc_profile"])
    stored = image if image.mode in ("CMYK", "RGB", "L") else image.convert("RGB")
    pixels = numpy.asarray(stored).reshape(len(ours), -1)
    opaque = ours[:, 3] == 255
    figures = []
    for compensates in (True, False):
        theirs = converted(pixels, profile, target, compensates)
        difference = numpy.abs(theirs - ours[:, :3])[opaque]
        figures.append(f"{difference.max():.2f} | {difference.mean():.3f}")
    print(f"| {os.path.basename(path)} | {' | '.join(figures)} |", flush=True)


def main():
    ozu, paths = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "srgb.icc")
        with open(target, "wb") as file:
            file.write(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
        for path in paths:
            try:
                compare(ozu, path, folder, target)
            except Exception as error:
                print(f"| {os.path.basename(path)} | not compared: {error} |")


if __name__ == "__main__":
    main()
