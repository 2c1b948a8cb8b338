#ifndef OZU_ZLIB_H
#define OZU_ZLIB_H

#include <stddef.h>
#include <stdint.h>

#include "ozu_status.h"

/// The checksum of PNG chunks.
uint32_t ozu_crc32(const uint8_t *data, size_t size);

/// Inflates a zlib stream to at most `capacity` bytes. `Truncated` when the stream ends early, `More` when it has
/// more than fit: nothing beyond `capacity` is ever taken.
OzuStatus ozu_inflate(
    const uint8_t *data, size_t size, uint8_t *output, size_t capacity, size_t *written);

/// A zlib stream that is inflated piece by piece: by ISA-L on Linux, by zlib elsewhere.
typedef struct OzuInflater OzuInflater;

/// Makes an inflater; NULL when memory is short.
OzuInflater *ozu_inflater_new(void);
void ozu_inflater_free(OzuInflater *inflater);

/// Inflates on, until the input is used up or the output is full, and says how much of both. `Done` when the stream
/// has ended and its checksum is right.
OzuStatus ozu_inflater_step(
    OzuInflater *inflater, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written);

#endif
