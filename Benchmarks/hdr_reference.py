"""The expected pixels of hdr.py, by colour-science and numpy: tone mapping, gamut mapping and wide gamuts."""

import os
import sys
import warnings

warnings.filterwarnings("ignore")
# This folder has a colour.py of its own, which must not be imported instead of colour-science.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [path for path in sys.path if os.path.abspath(path) != HERE]
import numpy as np
import colour

sys.path.insert(0, HERE)

WHITE = 203.0
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


def wide(values, primaries):
    """SDR of another gamut in sRGB: what lies outside is cut off, as a conversion by matrix and curve does."""
    # The curve of television is taken for sRGB's.
    rgb = colour.cctf_decoding(values.reshape(-1, 3), function="sRGB") @ (FROM_XYZ[1] @ TO_XYZ[primaries]).T
    return colour.cctf_encoding(np.clip(rgb, 0, 1), function="sRGB").reshape(values.shape)
