// Decodes the content codings of HTTP piece by piece with bounded output: one interface to zlib, brotli and zstd.
#ifndef OZU_CONTENT_CODING_H
#define OZU_CONTENT_CODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum OzuCodingKind {
  OzuCodingKindGzip,
  /// zlib's format (RFC 9110 §8.4.1.2), or the bare deflate that some servers send under that name.
  OzuCodingKindDeflate,
  OzuCodingKindBrotli,
  OzuCodingKindZstd,
} OzuCodingKind;

typedef enum OzuCodingStatus {
  /// All input was used, and more is needed.
  OzuCodingStatusMore,
  /// The output is full, and there may be more output without further input.
  OzuCodingStatusFull,
  /// The coding has ended; bytes after it are taken and ignored.
  OzuCodingStatusEnded,
  OzuCodingStatusCorrupt,
  OzuCodingStatusNoMemory,
} OzuCodingStatus;

typedef struct OzuCoding OzuCoding;

/// Returns NULL if there is not enough memory.
OzuCoding *ozu_coding_new(OzuCodingKind kind);
void ozu_coding_free(OzuCoding *coding);

/// Decodes until all input is used, the output is full or the coding has ended. Returns how much of both was used.
OzuCodingStatus ozu_coding_step(
    OzuCoding *coding, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written);

/// Whether the input may end here: the last member of gzip, or the last frame of zstd, is complete.
bool ozu_coding_is_whole(const OzuCoding *coding);

#endif
