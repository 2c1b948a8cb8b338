// The common part of the two decoders of PNG. Not visible to Swift.

#ifndef OZU_PNG_COMMON_H
#define OZU_PNG_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include <png.h>

#include "CCodecs.h"

/// Sets limits, and the chunks that are never inflated. May jump.
void ozu_png_configure(png_structp png, uint32_t width, uint32_t height);

/// Prepares decoding after the header was read; returns whether there is alpha. Jumps unless the file has the given
/// size, and is grey without alpha if grey is asked for.
bool ozu_png_prepare(
    png_structp png, png_infop info, uint32_t width, uint32_t height, OzuPixels pixels, int *passes);

#endif
