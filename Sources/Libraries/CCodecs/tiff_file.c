// The input of the TIFF decoder: the library reads the file in memory, and reports errors here.

#include "tiff_decoder.h"

#ifdef OZU_TIFF

#include <stdio.h>

// The number of `count` bytes in the order of the file, which must have them.
static uint64_t number(const uint8_t *at, size_t count, bool is_big) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) value = value << 8 | at[is_big ? i : count - 1 - i];
  return value;
}

// Whether the first directory, or something that its entries refer to, lies beyond the end of the file. Looks at the
// bytes, because the library keeps no directory that it cannot read.
static bool directory_is_cut(const uint8_t *data, size_t size) {
  static const uint8_t sizes[19] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
  if (size < 8) return true;
  bool is_big = data[0] == 'M', is_long = number(data + 2, 2, is_big) == 43;
  if (is_long && size < 16) return true;
  size_t word = is_long ? 8 : 4, count_size = is_long ? 8 : 2, entry = is_long ? 20 : 12;
  uint64_t at = number(data + (is_long ? 8 : 4), word, is_big);
  if (at > size || size - at < count_size) return true;
  uint64_t count = number(data + at, count_size, is_big);
  at += count_size;
  if (count > (size - at) / entry) return true;
  for (uint64_t i = 0; i < count; i++, at += entry) {
    uint64_t type = number(data + at + 2, 2, is_big), values = number(data + at + 4, word, is_big);
    uint64_t length, place = number(data + at + 4 + word, word, is_big);
    if (type >= sizeof(sizes) || __builtin_mul_overflow(values, (uint64_t)sizes[type], &length) || length <= word) continue;
    if (place > size || length > size - place) return true;
  }
  return false;
}

// Whether a strip or a tile lies beyond the end of the file.
static bool data_are_cut(const TIFFDecoder *self) {
  uint64_t *places = NULL, *lengths = NULL, size = self->base.size;
  bool is_tiled = tiff.TIFFIsTiled(self->file);
  uint32_t count = is_tiled ? tiff.TIFFNumberOfTiles(self->file) : tiff.TIFFNumberOfStrips(self->file);
  if (!tiff.TIFFGetField(self->file, is_tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS, &places) || places == NULL
      || !tiff.TIFFGetField(self->file, is_tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS, &lengths)
      || lengths == NULL)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (places[i] > size || lengths[i] > size - places[i]) return true;
  return false;
}

// The names of the compressions that the library has no code for, as far as there are files of them.
static const char *missing_compression(const TIFFDecoder *self) {
  uint16_t compression = COMPRESSION_NONE;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  switch (compression) {
    case 33003: case 33004: case 33005: case 34712: return "JPEG 2000 inside TIFF";
    case 22610: case 34934: return "JPEG XR inside TIFF";
    case 34661: return "JBIG inside TIFF";
    case 34892: return "lossy JPEG of DNG inside TIFF";
    case 50002: case 52546: return "JPEG XL inside TIFF";
    default: return tiff.TIFFIsCODECConfigured(compression) ? NULL : "a compression that libtiff does not know";
  }
}

// Whether the samples of the first directory have different numbers of bits, as in 5, 6 and 5 bits of RGB: the library
// refuses such a directory.
static bool has_mixed_bits(const uint8_t *data, size_t size) {
  if (size < 8) return false;
  bool is_big = data[0] == 'M';
  uint64_t at = number(data + 4, 4, is_big);
  // BigTIFF is newer than such files.
  if (number(data + 2, 2, is_big) != 42 || at > size || size - at < 2) return false;
  uint64_t count = number(data + at, 2, is_big);
  at += 2;
  for (uint64_t i = 0; i < count && size - at >= 12; i++, at += 12) {
    uint64_t values = number(data + at + 4, 4, is_big), place = number(data + at + 8, 4, is_big);
    if (number(data + at, 2, is_big) != TIFFTAG_BITSPERSAMPLE) continue;
    if (number(data + at + 2, 2, is_big) != TIFF_SHORT) return false;
    if (values <= 2) place = at + 8;
    if (values > 16 || place > size || size - place < values * 2) return false;
    for (uint64_t value = 1; value < values; value++)
      if (number(data + place + value * 2, 2, is_big) != number(data + place, 2, is_big)) return true;
    return false;
  }
  return false;
}

// Whether grey, colours or inks are signed. The library takes them for unsigned, and shows the darkest as the lightest; nor
// does a file say what black and white are. In other kinds of pixels, such as LogLuv, the sign is part of the coding.
static bool has_signed_samples(const TIFFDecoder *self) {
  uint16_t format = SAMPLEFORMAT_UINT;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLEFORMAT, &format);
  bool has_kind = self->photometric <= PHOTOMETRIC_RGB || self->photometric == PHOTOMETRIC_SEPARATED;
  return format == SAMPLEFORMAT_INT && self->bits >= 8 && has_kind;
}

// Whether the library converts such pixels. Some kinds it refuses only when it begins.
static bool can_convert(TIFFDecoder *self) {
  TIFFRGBAImage converter;
  if (!tiff.TIFFRGBAImageOK(self->file, self->unread) || !tiff.TIFFRGBAImageBegin(&converter, self->file, 1, self->unread))
    return false;
  tiff.TIFFRGBAImageEnd(&converter);
  return true;
}

const char *ozu_tiff_unread(TIFFDecoder *self) {
  const char *compression = missing_compression(self);
  if (compression != NULL) {
    snprintf(self->unread, sizeof(self->unread), "it is %s", compression);
  } else if (has_signed_samples(self)) {
    snprintf(self->unread, sizeof(self->unread), "its samples are signed integers");
  } else if (self->is_plain || can_convert(self)) {
    return NULL;
  }
  return self->unread;
}

OzuStatus ozu_tiff_fail(OzuPictureDecoder *base, const char *otherwise) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  if (self->file != NULL && missing_compression(self) != NULL) {
    base->is_unsupported = true;
    snprintf(base->message, sizeof(base->message), "%s", ozu_tiff_unread(self));
    return OzuStatusFailed;
  }
  if (has_mixed_bits(base->data, base->size)) {
    base->is_unsupported = true;
    return ozu_picture_fail(base, "its samples have different numbers of bits");
  }
  base->is_truncated =
      directory_is_cut(base->data, base->size) || (self->file != NULL && data_are_cut(self));
  return base->message[0] == 0 ? ozu_picture_fail(base, otherwise) : OzuStatusFailed;
}

static tmsize_t read_bytes(thandle_t handle, void *bytes, tmsize_t count) {
  TIFFDecoder *self = handle;
  if (count < 0 || self->position >= self->base.size) return 0;
  size_t rest = self->base.size - (size_t)self->position;
  size_t taken = (size_t)count < rest ? (size_t)count : rest;
  memcpy(bytes, self->base.data + self->position, taken);
  self->position += taken;
  return (tmsize_t)taken;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t count) {
  (void)handle; (void)bytes; (void)count;
  return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int origin) {
  TIFFDecoder *self = handle;
  switch (origin) {
    case SEEK_CUR: self->position += offset; break;
    case SEEK_END: self->position = self->base.size + offset; break;
    default: self->position = offset;
  }
  return self->position;
}

static int close_nothing(thandle_t handle) { (void)handle; return 0; }
static toff_t byte_count(thandle_t handle) { return ((TIFFDecoder *)handle)->base.size; }

static int map(thandle_t handle, void **base, toff_t *size) {
  TIFFDecoder *self = handle;
  *base = (void *)self->base.data;
  *size = self->base.size;
  return 1;
}

static void unmap(thandle_t handle, void *base, toff_t size) { (void)handle; (void)base; (void)size; }

static int note_error(TIFF *file, void *user, const char *module, const char *format, va_list arguments) {
  (void)file; (void)module;
  OzuPictureDecoder *base = user;
  if (base->message[0] == 0) vsnprintf(base->message, sizeof(base->message), format, arguments);
  return 1;
}

static int note_nothing(TIFF *file, void *user, const char *module, const char *format, va_list arguments) {
  (void)file; (void)user; (void)module; (void)format; (void)arguments;
  return 1;
}

TIFF *ozu_tiff_open_file(TIFFDecoder *self) {
  TIFFOpenOptions *options = tiff.TIFFOpenOptionsAlloc();
  if (options == NULL) return NULL;
  tiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)self->base.limits.bytes);
  tiff.TIFFOpenOptionsSetErrorHandlerExtR(options, note_error, self);
  tiff.TIFFOpenOptionsSetWarningHandlerExtR(options, note_nothing, NULL);
  TIFF *file = tiff.TIFFClientOpenExt(
      "picture", "r", self, read_bytes, write_nothing, seek, close_nothing, byte_count, map, unmap, options);
  tiff.TIFFOpenOptionsFree(options);
  return file;
}

#endif
