// The common part of the files that decode AVIF. Not visible to Swift.

#ifndef OZU_AVIF_DECODER_H
#define OZU_AVIF_DECODER_H

#include "avif_library.h"
#include "picture.h"

typedef struct {
  OzuPictureDecoder base;
  avifDecoder *decoder;
  // The size of the whole picture, before the crop.
  uint32_t image_width;
  uint32_t image_height;
  avifCropRect crop;
  bool has_crop;
  uint32_t frame;
  bool has_frame;
  // The file without the tracks that the library does not support, or without its gain map; NULL for the file itself.
  uint8_t *copy;
  // Whether the file is cut off, and the frames that are there are read.
  bool reads_cut_file;
  // Whether the header declares more than the limits allow. Then no pixels are decoded, and of some files only the size
  // is known.
  bool is_refused;
} AVIFDecoder;

/// Reads the header; no pixels are decoded.
OzuStatus ozu_avif_open(OzuPictureDecoder *base, OzuPictureInfo *info);

/// Stores the library's message about an error, and whether data are missing; returns `Failed`.
OzuStatus ozu_avif_fail(OzuPictureDecoder *base, avifResult result);

/// Whether luma and chroma can be returned: not for pictures that are cropped or blended, or that are not YCbCr.
bool ozu_avif_has_planes(const AVIFDecoder *self);

#endif
