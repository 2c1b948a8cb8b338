// The common part of the files that decode JPEG XL. Not visible to Swift.

#ifndef OZU_JXL_DECODER_H
#define OZU_JXL_DECODER_H

#include "jxl_library.h"
#include "picture.h"

typedef struct {
  OzuPictureDecoder base;
  JxlDecoder *decoder;
  JxlBasicInfo info;
  uint8_t *profile;
  // Metadata that are compressed in the file.
  uint8_t *exif;
  uint8_t *xmp;
  // Whether colours are cyan, magenta and yellow; which extra channel is black, and its samples. -1 without one.
  bool has_inks;
  int black_channel;
  uint8_t *black;
  size_t given;
  bool has_output;
  // The place for rows of 16 bits while the library works; NULL otherwise.
  uint8_t *rows;
  size_t bytes_per_row;
  // The next frame, the number of frames, and the delays of the first of them in milliseconds.
  uint32_t frame;
  uint32_t frames;
  double *delays;
  uint32_t known_delays;
  uint32_t delay_room;
} JXLDecoder;

/// Reads the header, and the delays of an animation; no pixels are decoded.
OzuStatus ozu_jxl_open(OzuPictureDecoder *base, OzuPictureInfo *info);

/// Passes the next piece of the file to the library; false if there is none.
bool ozu_jxl_give_more(JXLDecoder *self);

#endif
