// What the decoders behind ozu_picture.h have in common. Not seen by Swift.

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
  /// May be NULL, and so may those below.
  OzuStatus (*select)(OzuPictureDecoder *decoder, uint32_t frame);
  OzuStatus (*delay)(OzuPictureDecoder *decoder, uint32_t frame, double *milliseconds);
  OzuStatus (*planes)(OzuPictureDecoder *decoder, OzuPicturePlanes *planes);
  /// Writes the next row, of BGRA and as `step` would; called for no more rows than there are.
  OzuStatus (*row)(OzuPictureDecoder *decoder, uint8_t *pixels);
  /// The next row in `info->row_channels` bytes a pixel; NULL and a message when it is missing.
  const uint8_t *(*samples)(OzuPictureDecoder *decoder);
  /// Decodes only a part from here on, which was checked.
  bool (*cut)(OzuPictureDecoder *decoder, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
  /// Whether the picture has no pixels of its own and is drawn at any size.
  bool is_drawing;
  /// What has to be loaded before any of the functions is called.
  OzuDynamicLibrary *library;
} OzuPictureOperations;

/// The first member of each decoder.
struct OzuPictureDecoder {
  const OzuPictureOperations *operations;
  const uint8_t *data;
  size_t size;
  OzuPictureLimits limits;
  bool is_unsupported;
  bool keeps_cmyk;
  /// Whether pixels are to be RGBA in 16 bits.
  bool makes_deep;
  bool is_deep;
  /// The size that `step` writes: that of the header, or the one that a drawing was asked for.
  uint32_t width;
  uint32_t height;
  /// The rows that were handed out one by one, and whether they have samples.
  uint32_t row_count;
  bool has_samples;
  char message[200];
};

/// Makes a decoder of `byte_count` bytes, all zero behind the common part.
OzuPictureDecoder *ozu_picture_new(
    size_t byte_count, const OzuPictureOperations *operations, const uint8_t *data, size_t size,
    OzuPictureLimits limits);

/// Takes EXIF data as HEIF and JPEG XL store them: behind the distance of the byte-order mark, of four bytes.
void ozu_picture_set_exif(OzuPictureInfo *info, const uint8_t *content, size_t size);

/// The product, or SIZE_MAX when it does not fit.
size_t ozu_product(size_t a, size_t b, size_t c);

/// Takes down a message; returns `Failed`.
OzuStatus ozu_picture_fail(OzuPictureDecoder *decoder, const char *message);

#endif
