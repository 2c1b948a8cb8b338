#ifndef OZU_ZSTD_H
#define OZU_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The most bytes that `size` bytes can become.
size_t ozu_zstd_bound(size_t size);

/// Compresses to one frame with a checksum of its content; 0 if that fails.
size_t ozu_zstd_compress(const uint8_t *data, size_t size, uint8_t *output, size_t capacity, int level);

/// Decompresses one frame. It must fill all of `data`, declare `output_size` bytes, contain exactly these, and have
/// the right checksum. Nothing is written beyond `output`.
bool ozu_zstd_decompress(const uint8_t *data, size_t size, uint8_t *output, size_t output_size);

#endif
