// The common part of the decoders behind ozu_picture.h. Not visible to Swift.

#ifndef OZU_PICTURE_OPERATIONS_H
#define OZU_PICTURE_OPERATIONS_H

#include <stdlib.h>
#include <string.h>

#include "CCodecs.h"
#include "ozu_dynamic_library.h"

typedef struct {
  OzuStatus (*open)(OzuPictureDecoder *decoder, OzuPictureInfo *info);
  OzuStatus (*step)(OzuPictureDecoder *decoder, uint8_t *pixels, size_t bytes_per_row);
  void (*free)(OzuPictureDecoder *decoder);
  /// May be NULL, and so may the functions below.
  OzuStatus (*select)(OzuPictureDecoder *decoder, uint32_t frame);
  OzuStatus (*delay)(OzuPictureDecoder *decoder, uint32_t frame, double *milliseconds);
  OzuStatus (*planes)(OzuPictureDecoder *decoder, OzuPicturePlanes *planes);
  /// Writes the next row of BGRA, as `step` would; not called after the last row.
  OzuStatus (*row)(OzuPictureDecoder *decoder, uint8_t *pixels);
  /// The next row with `info->row_channels` bytes for each pixel; NULL and a message if it is missing.
  const uint8_t *(*samples)(OzuPictureDecoder *decoder);
  /// From here on decodes only a part. Its position was checked.
  bool (*cut)(OzuPictureDecoder *decoder, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
  /// Loads what the library would load later by itself. False and a message if no file can be read without it.
  bool (*prepare)(OzuPictureDecoder *decoder);
  /// Whether the picture has no pixels of its own and is drawn at any size.
  bool is_drawing;
  /// The library that must be loaded before any of the functions is called.
  OzuDynamicLibrary *library;
} OzuPictureOperations;

/// The first member of each decoder.
struct OzuPictureDecoder {
  const OzuPictureOperations *operations;
  const uint8_t *data;
  size_t size;
  OzuPictureLimits limits;
  bool is_unsupported;
  bool is_truncated;
  bool keeps_cmyk;
  /// Whether pixels are written as RGBA in 16 bits.
  bool makes_deep;
  bool is_deep;
  /// The size that `step` writes: that of the header, or the size that was set for a drawing.
  uint32_t width;
  uint32_t height;
  /// How many rows were read one by one, and whether they can be read as samples.
  uint32_t row_count;
  bool has_samples;
  char message[200];
};

/// Makes a decoder of `byte_count` bytes, all zero after the common part.
OzuPictureDecoder *ozu_picture_new(
    size_t byte_count, const OzuPictureOperations *operations, const uint8_t *data, size_t size,
    OzuPictureLimits limits);

/// Reads EXIF data as HEIF and JPEG XL store them: after the offset of the byte-order mark, which has four bytes.
void ozu_picture_set_exif(OzuPictureInfo *info, const uint8_t *content, size_t size);

/// The product, or SIZE_MAX if it overflows.
size_t ozu_product(size_t a, size_t b, size_t c);

/// Stores a message; returns `Failed`.
OzuStatus ozu_picture_fail(OzuPictureDecoder *decoder, const char *message);

#endif
