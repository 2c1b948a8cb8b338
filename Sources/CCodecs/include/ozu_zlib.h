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

#endif
