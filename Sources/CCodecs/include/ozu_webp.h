#ifndef OZU_WEBP_H
#define OZU_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A WebP picture being decoded through libwebp. Defined with the trait WebP only.
typedef struct OzuWebPDecoder OzuWebPDecoder;

/// Makes a decoder that writes BGRA rows, alpha not multiplied in, to memory that must outlive it. NULL when that is for
/// other pixels, or memory is short.
OzuWebPDecoder *ozu_webp_decoder_new(OzuRows rows);

/// Makes a decoder of a lossy picture of `width` by `height` that writes luma and chroma, chroma half as fine on both
/// sides, to memory that must outlive it: `written_height` rows of `written_width` bytes, and twice half as many of half
/// as many, rounded up. These are as stored where the sizes are the same; where the written one is smaller, each is the
/// mean of what it covers. `skips_loop_filter` leaves out the filter that smooths the borders of blocks. NULL when there
/// is less memory than that, or memory is short.
OzuWebPDecoder *ozu_webp_plane_decoder_new(
    OzuPlaneRows luma, OzuPlaneRows blue, OzuPlaneRows red, uint32_t width, uint32_t height,
    uint32_t written_width, uint32_t written_height, bool skips_loop_filter);
void ozu_webp_decoder_free(OzuWebPDecoder *decoder);

/// Decodes what the first `size` bytes of the file allow. The same bytes, and more of them, are given at each
/// call. `More` while bytes are missing. The picture must be of the size the decoder was made for.
OzuStatus ozu_webp_decoder_decode(OzuWebPDecoder *decoder, const uint8_t *data, size_t size);

/// How many rows are complete.
int ozu_webp_decoder_rows(const OzuWebPDecoder *decoder);

/// What went wrong, in words that never change.
const char *ozu_webp_decoder_message(const OzuWebPDecoder *decoder);

#endif
