#ifndef OZU_ENCODE_H
#define OZU_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A picture to be written: rows without padding, alpha not multiplied in.
typedef struct {
  const uint8_t *pixels;
  /// BGRA in 8 bits, or RGBA in 16 where the format takes it: AVIF writes 10 of them, JPEG XL all.
  OzuPixels format;
  uint32_t width;
  uint32_t height;
  bool has_alpha;
  /// 0 to 1.
  double quality;
  bool is_lossless;
} OzuEncodeRequest;

/// Each is defined with its trait only. On `Done`, `*file` is a block of `*size` bytes for the caller to free(). On
/// `Failed`, `message` holds the library's words.
OzuStatus ozu_webp_encode(
    const OzuEncodeRequest *request, uint8_t **file, size_t *size, char *message, size_t message_capacity);
OzuStatus ozu_avif_encode(
    const OzuEncodeRequest *request, uint8_t **file, size_t *size, char *message, size_t message_capacity);
OzuStatus ozu_jxl_encode(
    const OzuEncodeRequest *request, uint8_t **file, size_t *size, char *message, size_t message_capacity);

#endif
