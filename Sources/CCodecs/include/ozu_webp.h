#ifndef OZU_WEBP_H
#define OZU_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A decoder of a WebP picture over libwebp. Defined only with the trait WebP.
typedef struct OzuWebPDecoder OzuWebPDecoder;

/// Makes a decoder that writes rows of BGRA with straight alpha to memory that must outlive it. NULL if that is for
/// other pixels, or if memory is short.
OzuWebPDecoder *ozu_webp_decoder_new(OzuRows rows);

/// Makes a decoder of a lossy picture of `width` by `height` that writes luma and chroma, with chroma at half the
/// size on both sides, to memory that must outlive it: `written_height` rows of `written_width` bytes for luma, and
/// half as many rows of half as many bytes, rounded up, for each kind of chroma. If both sizes are equal, samples
/// are as stored; if the written size is smaller, each sample is the mean of those that it covers.
/// `skips_loop_filter` leaves out the filter that smooths the borders of blocks. NULL if the given
/// memory is smaller, or if memory is short.
OzuWebPDecoder *ozu_webp_plane_decoder_new(
    OzuPlaneRows luma, OzuPlaneRows blue, OzuPlaneRows red, uint32_t width, uint32_t height,
    uint32_t written_width, uint32_t written_height, bool skips_loop_filter);
void ozu_webp_decoder_free(OzuWebPDecoder *decoder);

/// Decodes as far as the first `size` bytes of the file allow. Each call passes the same bytes, and more. `More`
/// while bytes are missing. The picture must have the size that the decoder was made for.
OzuStatus ozu_webp_decoder_decode(OzuWebPDecoder *decoder, const uint8_t *data, size_t size);

/// How many rows are complete.
int ozu_webp_decoder_rows(const OzuWebPDecoder *decoder);

/// The reason for the last failure; a constant text.
const char *ozu_webp_decoder_message(const OzuWebPDecoder *decoder);

#endif
