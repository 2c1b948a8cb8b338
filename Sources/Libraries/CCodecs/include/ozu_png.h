#ifndef OZU_PNG_H
#define OZU_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_bytes.h"
#include "ozu_pixels.h"
#include "ozu_status.h"

/// A decoder of PNG over libpng. Belongs to one thread at a time.
typedef struct OzuPNGDecoder OzuPNGDecoder;

/// Makes a decoder; NULL if memory is short. `data` must outlive it.
OzuPNGDecoder *ozu_png_decoder_new(const uint8_t *data, size_t size);
void ozu_png_decoder_free(OzuPNGDecoder *decoder);

/// The library's message about the last failure. Valid until the next call.
const char *ozu_png_decoder_message(const OzuPNGDecoder *decoder);

/// Reads the chunks up to the image data and prepares decoding with straight alpha.
///
/// Fails unless the file has the given size, and is grey without alpha if grey is asked for. Text, profiles and all
/// other chunks that pixels do not need are skipped without being inflated. `*passes` is 7 for an interlaced file,
/// else 1: all rows must be read that many times. With `wants_partial`, the data of a truncated file are used
/// almost to the last byte.
OzuStatus ozu_png_decoder_open(
    OzuPNGDecoder *decoder, uint32_t width, uint32_t height, OzuPixels pixels, bool wants_partial,
    int *passes, bool *has_alpha);

/// Decodes the next rows of the current pass, all rows of the memory, into the same rows of the picture. `Failed`
/// if it is for other pixels than in `open`.
///
/// With `fills_blocks`, early passes of an interlaced picture also paint the pixels of later passes.
OzuStatus ozu_png_decoder_read_rows(OzuPNGDecoder *decoder, OzuRows rows, bool fills_blocks);

#endif
