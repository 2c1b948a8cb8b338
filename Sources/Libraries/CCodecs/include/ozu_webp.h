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

/// The memory that a decoder of planes needs, in bytes: luma and chroma of the whole picture. 0 if the size is impossible.
size_t ozu_webp_planes_size(uint32_t width, uint32_t height);

/// Makes a decoder of a lossy picture that writes samples as stored, with chroma at half the size on both sides, to
/// memory that must outlive it. `skips_loop_filter` leaves out the filter that smooths the borders of blocks. NULL if
/// the memory is smaller than `ozu_webp_planes_size`, or if memory is short.
OzuWebPDecoder *ozu_webp_plane_decoder_new(
    uint8_t *bytes, size_t size, uint32_t width, uint32_t height, bool skips_loop_filter);

/// Rows of luma and of both kinds of chroma, which belong to the same part of a picture.
typedef struct OzuWebPPlaneRows {
  const uint8_t *luma;
  const uint8_t *blue;
  const uint8_t *red;
  size_t luma_bytes_per_row;
  size_t chroma_bytes_per_row;
  uint32_t luma_count;
  uint32_t chroma_count;
} OzuWebPPlaneRows;

/// The rows that a decoder of planes has written since the last call. They are valid until the next call of
/// `ozu_webp_decoder_decode`, which writes the next rows to the same memory.
///
/// So the processor's cache holds the rows, and most pages of the memory are never touched. Their number has no bound
/// but that of the picture: a byte can stand for thousands of blocks of one colour, and libwebp decodes all that it can.
OzuWebPPlaneRows ozu_webp_decoder_take_rows(OzuWebPDecoder *decoder);

void ozu_webp_decoder_free(OzuWebPDecoder *decoder);

/// Decodes as far as the first `size` bytes of the file allow. Each call passes the same bytes, and more. `More`
/// while bytes are missing. The picture must have the size that the decoder was made for.
OzuStatus ozu_webp_decoder_decode(OzuWebPDecoder *decoder, const uint8_t *data, size_t size);

/// How many rows are complete.
int ozu_webp_decoder_rows(const OzuWebPDecoder *decoder);

/// The reason for the last failure; a constant text.
const char *ozu_webp_decoder_message(const OzuWebPDecoder *decoder);

#endif
