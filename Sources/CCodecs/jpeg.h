// What the two decoders of JPEG have in common. Not seen by Swift.

#ifndef OZU_JPEG_COMMON_H
#define OZU_JPEG_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

#include "CCodecs.h"

/// Once the header is read: which pixels come out, so that a picture shown while it comes and the whole one are made in
/// the same way. Files of several scans are buffered.
///
/// May leave by the error manager's jump.
void ozu_jpeg_choose_output(struct jpeg_decompress_struct *info, int eighths, int *width, int *height);

/// Whether memory is for rows of the pixels that the library writes; of any number. After `ozu_jpeg_choose_output`.
bool ozu_jpeg_rows_hold(const struct jpeg_decompress_struct *info, const OzuRows *rows);

/// Ink to light without colour management: each colour is what ink and black let through. Adobe's files, which are
/// nearly all, store the light instead of the ink.
void ozu_jpeg_convert_cmyk_row(uint8_t *row, unsigned width, bool is_inverted);

#endif
