#ifndef OZU_ENCODE_H
#define OZU_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_bytes.h"
#include "ozu_pixels.h"
#include "ozu_status.h"

/// How much time an encoder spends to make the file small: the cases of `EncodingOptions.Effort`.
typedef enum __attribute__((enum_extensibility(closed))) {
  OzuEffortLow,
  OzuEffortMedium,
  OzuEffortHigh,
} OzuEffort;

/// How much chroma is kept: all (4:4:4), half (4:2:2), a quarter (4:2:0).
typedef enum __attribute__((enum_extensibility(closed))) {
  OzuChromaFull,
  OzuChromaHalf,
  OzuChromaQuarter,
} OzuChroma;

/// Blocks that are written beside the pixels; NULL for none. The caller owns them.
typedef struct {
  /// Beginning with the byte-order mark.
  const uint8_t *exif;
  size_t exif_size;
  const uint8_t *xmp;
  size_t xmp_size;
  /// The ICC profile of the pixels; NULL for sRGB.
  const uint8_t *profile;
  size_t profile_size;
} OzuEncodeBlocks;

/// A picture to write: `height` rows of `width` pixels with straight alpha.
typedef struct {
  const uint8_t *pixels;
  size_t bytes_per_row;
  /// BGRA in 8 bits, or RGBA in 16 if the format supports it: AVIF writes 10 or 12 of these bits, JPEG XL all.
  OzuPixels format;
  uint32_t width;
  uint32_t height;
  bool has_alpha;
  /// The quality on the codec's own scale, 0 to 1.
  double quality;
  bool is_lossless;
  OzuEffort effort;
  /// For AVIF. For WebP, `Full` selects the slower conversion that keeps edges.
  OzuChroma chroma;
  /// For JPEG XL.
  bool is_progressive;
  /// For AVIF and JPEG XL: primaries and transfer function by ITU-T H.273; 0 for sRGB.
  int primaries;
  int transfer;
  /// For JPEG XL: the greatest light of a picture under PQ, in candelas per square metre; 0 if unknown.
  float peak;
  /// For AVIF and JPEG XL.
  OzuEncodeBlocks blocks;
} OzuEncodeRequest;

/// Whether the sizes of a request are valid, and its rows are long enough for their pixels.
bool ozu_encode_request_holds(const OzuEncodeRequest *request);

/// Each is defined only with its trait. On `Done`, `file`, which must be empty before, has the bytes; the caller
/// has to free() them. On `Failed` it is empty, and `message` has the library's message.
OzuStatus ozu_webp_encode(
    const OzuEncodeRequest *request, OzuBytes *file, char *message, size_t message_capacity);
OzuStatus ozu_avif_encode(
    const OzuEncodeRequest *request, OzuBytes *file, char *message, size_t message_capacity);
OzuStatus ozu_jxl_encode(
    const OzuEncodeRequest *request, OzuBytes *file, char *message, size_t message_capacity);

/// Stores a JPEG as JPEG XL without loss, so that `ozu_jxl_to_jpeg` gives back the same bytes. The library reads the JPEG;
/// the caller has checked its size. `file` and `message` as above.
OzuStatus ozu_jxl_from_jpeg(
    const uint8_t *data, size_t size, OzuBytes *file, char *message, size_t message_capacity);

/// Writes the JPEG that a JPEG XL stores. `Failed` if there is none, or if it has more than `limit` bytes.
OzuStatus ozu_jxl_to_jpeg(
    const uint8_t *data, size_t size, size_t limit, OzuBytes *file, char *message, size_t message_capacity);

#endif
