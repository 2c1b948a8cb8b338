// The common part of the decoders behind ozu_picture.h.

#include "picture.h"

#include <stdio.h>

OzuPictureDecoder *ozu_picture_new(
    size_t byte_count, const OzuPictureOperations *operations, const uint8_t *data, size_t size,
    OzuPictureLimits limits) {
  OzuPictureDecoder *decoder = calloc(1, byte_count);
  if (decoder == NULL) return NULL;
  decoder->operations = operations;
  decoder->data = data;
  decoder->size = size;
  decoder->limits = limits;
  return decoder;
}

OzuStatus ozu_picture_fail(OzuPictureDecoder *decoder, const char *message) {
  // One line: libraries end messages with line breaks, or repeat in them what a file says.
  size_t length = 0;
  for (const char *text = message == NULL ? "" : message; *text != 0; text++) {
    bool is_blank = (unsigned char)*text <= ' ';
    if (is_blank && (length == 0 || decoder->message[length - 1] == ' ')) continue;
    if (length == sizeof(decoder->message) - 1) break;
    decoder->message[length++] = is_blank ? ' ' : *text;
  }
  while (length > 0 && decoder->message[length - 1] == ' ') length--;
  decoder->message[length] = 0;
  return OzuStatusFailed;
}

void ozu_picture_set_exif(OzuPictureInfo *info, const uint8_t *content, size_t size) {
  if (size < 4) return;
  size_t at = 0;
  // Some writers, such as ffmpeg, leave the distance out.
  if (memcmp(content, "II*\0", 4) != 0 && memcmp(content, "MM\0*", 4) != 0) {
    size_t distance = (size_t)content[0] << 24 | (size_t)content[1] << 16 | (size_t)content[2] << 8 | content[3];
    if (distance > size - 4) return;
    at = 4 + distance;
  }
  info->exif = content + at;
  info->exif_size = size - at;
}

OzuPictureLevel ozu_picture_level(const OzuPictureInfo *info, uint32_t index) {
  OzuPictureLevel none = {0};
  return index < info->level_count && index < OZU_MOST_LEVELS ? info->levels[index] : none;
}

size_t ozu_product(size_t a, size_t b, size_t c) {
  size_t product;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, c, &product)) return SIZE_MAX;
  return product;
}

void ozu_swap_red_and_blue(const uint8_t *from, uint8_t *to, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, from += 4, to += 4) {
    uint8_t red = from[0], green = from[1], blue = from[2], alpha = from[3];
    to[0] = blue;
    to[1] = green;
    to[2] = red;
    to[3] = alpha;
  }
}

void ozu_picture_free(OzuPictureDecoder *decoder) {
  if (decoder == NULL) return;
  decoder->operations->free(decoder);
  free(decoder);
}

const char *ozu_picture_message(const OzuPictureDecoder *decoder) { return decoder->message; }

bool ozu_picture_is_unsupported(const OzuPictureDecoder *decoder) { return decoder->is_unsupported; }

bool ozu_picture_is_truncated(const OzuPictureDecoder *decoder) { return decoder->is_truncated; }

static bool load(OzuPictureDecoder *decoder) {
  if (ozu_dynamic_library_load(decoder->operations->library, decoder->message, sizeof(decoder->message))) return true;
  // The library is missing on this system; the file is not wrong.
  decoder->is_unsupported = true;
  return false;
}

bool ozu_picture_prepare(OzuPictureDecoder *decoder) {
  if (!load(decoder)) return false;
  return decoder->operations->prepare == NULL || decoder->operations->prepare(decoder);
}

OzuStatus ozu_picture_open(OzuPictureDecoder *decoder, OzuPictureInfo *info) {
  memset(info, 0, sizeof(*info));
  info->orientation = 1;
  info->bits = 8;
  info->frames = 1;
  info->primaries = 2;
  info->transfer = 2;
  if (!load(decoder)) return OzuStatusFailed;
  OzuStatus status = decoder->operations->open(decoder, info);
  decoder->width = info->width;
  decoder->height = info->height;
  decoder->is_deep = info->is_deep;
  decoder->has_samples = info->row_channels > 0;
  return status;
}

// Whether a range of a side begins and ends at places where it can be cut.
static bool lies_between(uint32_t start, uint32_t length, uint32_t whole, uint32_t unit) {
  if (unit == 0 || length == 0 || start > whole || length > whole - start || start % unit != 0) return false;
  uint32_t end = start + length;
  return end == whole || end % unit == 0;
}

OzuStatus ozu_picture_cut(
    OzuPictureDecoder *decoder, uint32_t x, uint32_t y, uint32_t width, uint32_t height, OzuPictureInfo *info) {
  bool is_possible = decoder->operations->cut != NULL && lies_between(x, width, info->width, info->region_width)
      && lies_between(y, height, info->height, info->region_height) && decoder->width == info->width
      && decoder->height == info->height;
  if (!is_possible || !decoder->operations->cut(decoder, x, y, width, height))
    return ozu_picture_fail(decoder, "it cannot be cut there");
  info->scratch -= (info->width - width) * info->column_scratch;
  info->width = decoder->width = width;
  info->height = decoder->height = height;
  info->region_width = info->region_height = 0;
  return OzuStatusDone;
}

void ozu_picture_set_size(OzuPictureDecoder *decoder, uint32_t width, uint32_t height) {
  if (!decoder->operations->is_drawing) return;
  decoder->width = width;
  decoder->height = height;
}

void ozu_picture_keep_cmyk(OzuPictureDecoder *decoder) { decoder->keeps_cmyk = true; }

void ozu_picture_make_deep(OzuPictureDecoder *decoder) { decoder->makes_deep = decoder->is_deep; }

OzuStatus ozu_picture_select(OzuPictureDecoder *decoder, uint32_t frame) {
  if (decoder->operations->select == NULL) return ozu_picture_fail(decoder, "it has one frame only");
  decoder->makes_deep = false;
  decoder->keeps_cmyk = false;
  return decoder->operations->select(decoder, frame);
}

OzuStatus ozu_picture_delay(OzuPictureDecoder *decoder, uint32_t frame, double *milliseconds) {
  if (decoder->operations->delay == NULL) return ozu_picture_fail(decoder, "it has one frame only");
  return decoder->operations->delay(decoder, frame, milliseconds);
}

// The only place where the caller's memory is compared with the size of the file: `step` of every format writes
// `decoder->height` rows of `decoder->width` pixels, and nothing else.
OzuStatus ozu_picture_step(OzuPictureDecoder *decoder, OzuRows rows) {
  OzuPixels format = decoder->makes_deep ? OzuPixelsRGBA16 : OzuPixelsBGRA8;
  if (!ozu_rows_hold(&rows, decoder->width, decoder->height, format))
    return ozu_picture_fail(decoder, "the memory is for another picture");
  return decoder->operations->step(decoder, rows.bytes, rows.bytes_per_row);
}

OzuStatus ozu_picture_planes(OzuPictureDecoder *decoder, OzuPicturePlanes *planes) {
  if (decoder->operations->planes == NULL) return ozu_picture_fail(decoder, "this format has no planes");
  return decoder->operations->planes(decoder, planes);
}

OzuStatus ozu_picture_row(OzuPictureDecoder *decoder, OzuRows row) {
  if (decoder->operations->row == NULL || decoder->makes_deep) return ozu_picture_fail(decoder, "it has no rows");
  if (!ozu_rows_hold(&row, decoder->width, 1, OzuPixelsBGRA8) || decoder->row_count >= decoder->height)
    return ozu_picture_fail(decoder, "the memory is for another picture");
  decoder->row_count++;
  return decoder->operations->row(decoder, row.bytes);
}

const uint8_t *ozu_picture_samples(OzuPictureDecoder *decoder) {
  if (!decoder->has_samples || decoder->row_count >= decoder->height) {
    ozu_picture_fail(decoder, "it has no such row");
    return NULL;
  }
  decoder->row_count++;
  return decoder->operations->samples(decoder);
}
