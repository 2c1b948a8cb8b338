#ifndef OZU_ZSTD_H
#define OZU_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The most bytes that so many can become.
size_t ozu_zstd_bound(size_t size);

/// Compresses to one frame with a checksum of its content; 0 when that fails.
size_t ozu_zstd_compress(const uint8_t *data, size_t size, uint8_t *output, size_t capacity, int level);

/// Decompresses one frame that must be all of `data`, must say that it holds `output_size` bytes, and must hold them
/// with the right checksum. Nothing beyond `output` is ever taken.
bool ozu_zstd_decompress(const uint8_t *data, size_t size, uint8_t *output, size_t output_size);

#endif
