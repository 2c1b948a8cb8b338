#ifndef OZU_ZLIB_H
#define OZU_ZLIB_H

#include <stdbool.h>
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

/// A zlib stream that is deflated piece by piece.
typedef struct OzuDeflater OzuDeflater;

/// Makes a deflater: level 0 is ISA-L on Linux, the fastest; 1 to 9 are zlib's. `is_filtered` tells zlib that short
/// repetitions are chance. NULL when memory is short.
OzuDeflater *ozu_deflater_new(int level, bool is_filtered);
void ozu_deflater_free(OzuDeflater *deflater);

/// Deflates on, until the input is used up or the output is full, and says how much of both. With `is_last` the stream ends
/// behind this input: `Done` when all of it is written.
OzuStatus ozu_deflater_step(
    OzuDeflater *deflater, const uint8_t *input, size_t input_size, bool is_last, size_t *used,
    uint8_t *output, size_t capacity, size_t *written);

#endif
