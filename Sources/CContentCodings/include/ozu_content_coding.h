// The content codings of HTTP, undone piece by piece with bounded output: one face over zlib, brotli and zstd.
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
  /// The input is used up, and more is needed.
  OzuCodingStatusMore,
  /// The output is full, and there may be more to come without further input.
  OzuCodingStatusFull,
  /// The coding has ended; bytes behind it are taken and mean nothing.
  OzuCodingStatusEnded,
  OzuCodingStatusCorrupt,
  OzuCodingStatusNoMemory,
} OzuCodingStatus;

typedef struct OzuCoding OzuCoding;

/// NULL when memory is short.
OzuCoding *ozu_coding_new(OzuCodingKind kind);
void ozu_coding_free(OzuCoding *coding);

/// Decodes on, until the input is used up, the output is full or the coding has ended. Says how much of both was used.
OzuCodingStatus ozu_coding_step(
    OzuCoding *coding, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written);

/// Whether what has come may be all: the last member of gzip, or the last frame of zstd, has ended.
bool ozu_coding_is_whole(const OzuCoding *coding);

#endif
