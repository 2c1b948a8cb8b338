// What the two decoders of JPEG have in common. Not seen by Swift.

#ifndef OZU_JPEG_COMMON_H
#define OZU_JPEG_COMMON_H

#include <stdbool.h>
#include <stdint.h>

/// Ink to light without colour management: each colour is what ink and black let through. Adobe's files, which are
/// nearly all, store the light instead of the ink.
void ozu_jpeg_convert_cmyk_row(uint8_t *row, unsigned width, bool is_inverted);

#endif
