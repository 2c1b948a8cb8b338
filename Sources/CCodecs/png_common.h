// What the two decoders of PNG have in common. Not seen by Swift.

#ifndef OZU_PNG_COMMON_H
#define OZU_PNG_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include <png.h>

#include "CCodecs.h"

/// Sets limits, and what is never to be inflated. May jump.
void ozu_png_configure(png_structp png, uint32_t width, uint32_t height);

/// Prepares decoding, when the header is read; whether there is alpha. Jumps unless the file has the given size, and is
/// grey without alpha where grey is asked for.
bool ozu_png_prepare(
    png_structp png, png_infop info, uint32_t width, uint32_t height, OzuPixels pixels, int *passes);

#endif
