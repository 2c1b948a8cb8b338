// The input of the TIFF decoder: the library reads the file in memory, and reports errors here.

#include "tiff_decoder.h"

#ifdef OZU_TIFF

#include <stdio.h>

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
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == NULL) return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)self->base.limits.bytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options, note_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options, note_nothing, NULL);
  TIFF *file = TIFFClientOpenExt(
      "picture", "r", self, read_bytes, write_nothing, seek, close_nothing, byte_count, map, unmap, options);
  TIFFOpenOptionsFree(options);
  return file;
}

#endif
