#ifndef OZU_ZLIB_H
#define OZU_ZLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_status.h"

/// The checksum of PNG chunks.
uint32_t ozu_crc32(const uint8_t *data, size_t size);

/// The Adler-32 of bytes that follow others, whose sum is `sum`; 1 if there are none.
uint32_t ozu_adler32(uint32_t sum, const uint8_t *data, size_t size);

/// Inflates a zlib stream to at most `capacity` bytes. `Truncated` if the stream ends early, `More` if it has more
/// bytes than fit: nothing is written beyond `capacity`.
OzuStatus ozu_inflate(
    const uint8_t *data, size_t size, uint8_t *output, size_t capacity, size_t *written);

/// A zlib stream that is inflated piece by piece: by ISA-L.
typedef struct OzuInflater OzuInflater;

/// Makes an inflater; NULL if memory is short.
OzuInflater *ozu_inflater_new(void);
void ozu_inflater_free(OzuInflater *inflater);

/// Continues to inflate, until the input is used up or the output is full, and returns how much of both was used. `Done` if
/// the stream has ended with a correct checksum.
OzuStatus ozu_inflater_step(
    OzuInflater *inflater, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written);

/// A zlib stream that is compressed piece by piece.
typedef struct OzuDeflater OzuDeflater;

/// Makes a deflater: level 0 is ISA-L, the fastest; 1 to 9 are zlib's. `is_filtered` tells zlib that short
/// repetitions are accidental. NULL if memory is short.
OzuDeflater *ozu_deflater_new(int level, bool is_filtered);
void ozu_deflater_free(OzuDeflater *deflater);

/// Continues to compress, until the input is used up or the output is full, and returns how much of both was used. With
/// `is_last` the stream ends after this input: `Done` when all of it is written.
OzuStatus ozu_deflater_step(
    OzuDeflater *deflater, const uint8_t *input, size_t input_size, bool is_last, size_t *used,
    uint8_t *output, size_t capacity, size_t *written);

#endif
