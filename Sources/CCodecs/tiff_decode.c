// TIFF decoding through libtiff. Grey, RGB and CMYK in strips, of up to 16, 24 or 32 bits or floating 32 bits, are
// converted here, row by row: pixel by pixel, or plane by plane. Everything else goes through the library's own
// conversion to RGBA, strip by strip.

#ifdef OZU_TIFF

#include <math.h>
#include <stdio.h>

#include "picture.h"
#include "tiff_library.h"

// The name of version 4.5, the first with the options that are used, and of those after it.
OZU_DEFINE_LIBRARY(tiff, OZU_TIFF_FUNCTIONS, "Read TIFF", "libtiff.so.6")

typedef struct {
  OzuPictureDecoder base;
  TIFF *file;
  toff_t position;
  uint32_t width;
  uint32_t height;
  uint16_t bits;
  uint16_t samples;
  uint16_t photometric;
  uint16_t alpha;
  bool is_float;
  // Whether rows are converted here.
  bool is_plain;
  // Whether each sample of the pixels has rows of its own; which one comes next.
  bool has_planes;
  uint16_t plane;
  uint32_t row;
  uint32_t band;
  uint8_t *scratch;
  TIFFRGBAImage converter;
  bool has_converter;
} TIFFDecoder;

enum { no_alpha = 0xFFFF, rows_per_step = 32 };

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

static OzuStatus fail(OzuPictureDecoder *base, const char *otherwise) {
  return base->message[0] == 0 ? ozu_picture_fail(base, otherwise) : OzuStatusFailed;
}

static TIFF *open_file(TIFFDecoder *self) {
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

static uint16_t color_count(const TIFFDecoder *self) {
  return self->photometric == PHOTOMETRIC_SEPARATED ? 4 : self->photometric == PHOTOMETRIC_RGB ? 3 : 1;
}

static bool is_plain(const TIFFDecoder *self) {
  uint16_t format = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLEFORMAT, &format);
  TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  if (TIFFIsTiled(self->file) || compression == COMPRESSION_OJPEG) return false;
  if (self->photometric > PHOTOMETRIC_RGB && self->photometric != PHOTOMETRIC_SEPARATED) return false;
  if (self->samples < color_count(self) || self->samples > 8) return false;
  if (format == SAMPLEFORMAT_IEEEFP) return self->bits == 32;
  if (format != SAMPLEFORMAT_UINT) return false;
  // Few bits of grey are what the library converts best.
  bool is_few = self->bits < 8 && self->samples == 1 && (self->bits & (self->bits - 1)) == 0;
  return (self->bits >= 1 && self->bits <= 16 && !is_few) || self->bits == 24 || self->bits == 32;
}

// Some writers leave out that the fourth sample of RGB is alpha. ImageMagick and libvips take it for alpha that is not
// multiplied in.
static void add_missing_alpha(const TIFFDecoder *self) {
  uint16_t count = 0, *extras = NULL, alpha = EXTRASAMPLE_UNASSALPHA;
  if (self->photometric != PHOTOMETRIC_RGB || self->samples != 4) return;
  if (TIFFGetField(self->file, TIFFTAG_EXTRASAMPLES, &count, &extras) && count > 0) return;
  TIFFSetField(self->file, TIFFTAG_EXTRASAMPLES, 1, &alpha);
}

static OzuStatus open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  self->file = open_file(self);
  if (self->file == NULL) return fail(base, "no directory");
  if (!TIFFGetField(self->file, TIFFTAG_IMAGEWIDTH, &self->width)
      || !TIFFGetField(self->file, TIFFTAG_IMAGELENGTH, &self->height))
    return fail(base, "a picture without a size");
  TIFFGetFieldDefaulted(self->file, TIFFTAG_BITSPERSAMPLE, &self->bits);
  TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
  if (!TIFFGetField(self->file, TIFFTAG_PHOTOMETRIC, &self->photometric))
    self->photometric = self->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  info->width = self->width;
  info->height = self->height;
  info->bits = self->bits;
  info->is_gray = self->photometric <= PHOTOMETRIC_MINISBLACK;
  info->is_cmyk = self->photometric == PHOTOMETRIC_SEPARATED;

  add_missing_alpha(self);
  uint16_t extra_count = 0, *extras = NULL, planes = PLANARCONFIG_CONTIG, format = SAMPLEFORMAT_UINT;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_EXTRASAMPLES, &extra_count, &extras);
  self->alpha = no_alpha;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_PLANARCONFIG, &planes);
  TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLEFORMAT, &format);
  self->has_planes = planes != PLANARCONFIG_CONTIG && self->samples > 1;
  self->is_float = format == SAMPLEFORMAT_IEEEFP;
  uint16_t colors = color_count(self);
  for (uint16_t i = 0; i < extra_count && self->alpha == no_alpha; i++)
    if (extras[i] == EXTRASAMPLE_ASSOCALPHA || extras[i] == EXTRASAMPLE_UNASSALPHA) {
      self->alpha = (uint16_t)(colors + i);
      info->is_premultiplied = extras[i] == EXTRASAMPLE_ASSOCALPHA;
    }
  if (self->alpha >= self->samples || info->is_cmyk) self->alpha = no_alpha;
  info->has_alpha = self->alpha != no_alpha;
  self->is_plain = is_plain(self);
  info->is_deep = self->is_plain && self->bits > 8 && self->photometric != PHOTOMETRIC_SEPARATED;
  // The library multiplies.
  if (!self->is_plain) info->is_premultiplied = info->has_alpha;
  if (!self->is_plain) info->is_cmyk = false;

  uint16_t orientation = 1, unit = RESUNIT_INCH;
  float resolution = 0;
  if (TIFFGetField(self->file, TIFFTAG_ORIENTATION, &orientation) && orientation >= 1 && orientation <= 8)
    info->orientation = orientation;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_RESOLUTIONUNIT, &unit);
  if (TIFFGetField(self->file, TIFFTAG_XRESOLUTION, &resolution) && resolution > 0 && unit != RESUNIT_NONE)
    info->dots_per_inch = unit == RESUNIT_CENTIMETER ? resolution * 2.54 : resolution;
  // EXIF data have the form of TIFF: what they say is in the directories of the file itself.
  info->exif = base->data;
  info->exif_size = base->size;
  uint32_t profile_size = 0;
  void *profile = NULL;
  if (TIFFGetField(self->file, TIFFTAG_ICCPROFILE, &profile_size, &profile) && profile != NULL) {
    info->profile = profile;
    info->profile_size = profile_size;
  }
  uint32_t xmp_size = 0;
  void *xmp = NULL;
  if (TIFFGetField(self->file, TIFFTAG_XMLPACKET, &xmp_size, &xmp) && xmp != NULL) {
    info->xmp = xmp;
    info->xmp_size = xmp_size;
  }
  uint32_t strip_rows = self->height;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_ROWSPERSTRIP, &strip_rows);
  if (TIFFIsTiled(self->file)) TIFFGetField(self->file, TIFFTAG_TILELENGTH, &strip_rows);
  if (strip_rows == 0 || strip_rows > self->height) strip_rows = self->height;
  self->band = strip_rows >= rows_per_step ? strip_rows : strip_rows * (rows_per_step / strip_rows);
  if (self->is_plain) self->band = rows_per_step;
  info->scratch = ozu_product(self->width, self->band, 4);
  return OzuStatusDone;
}

// A sample of a row, which is followed by two bytes more. The library has turned words of 16, 24 and 32 bits to the
// order of the machine; samples of other sizes lie bit by bit, the highest first.
static uint32_t integer(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  switch (self->bits) {
    case 8: return row[index];
    case 16: {
      uint16_t value;
      memcpy(&value, row + index * 2, 2);
      return value;
    }
    case 24: return (uint32_t)row[index * 3] | (uint32_t)row[index * 3 + 1] << 8 | (uint32_t)row[index * 3 + 2] << 16;
    case 32: {
      uint32_t value;
      memcpy(&value, row + index * 4, 4);
      return value;
    }
    default: {
      const uint8_t *at = row + index * self->bits / 8;
      uint32_t word = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
      return word >> (24 - index * self->bits % 8 - self->bits) & ((1u << self->bits) - 1);
    }
  }
}

static float real(const uint8_t *row, size_t index) {
  float value;
  memcpy(&value, row + index * 4, 4);
  return value > 0 ? value < 1 ? value : 1 : 0;
}

static uint8_t sample(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  if (self->is_float) return (uint8_t)lrintf(real(row, index) * 255);
  uint32_t value = integer(self, row, index);
  if (self->bits >= 8) return (uint8_t)(value >> (self->bits - 8));
  uint32_t most = (1u << self->bits) - 1;
  return (uint8_t)((value * 255 + most / 2) / most);
}

static void ink_to_light(const uint8_t ink[4], uint8_t *pixel) {
  uint8_t light[3];
  for (int i = 0; i < 3; i++) light[i] = (uint8_t)(((255 - ink[2 - i]) * (255 - ink[3]) + 127) / 255);
  memcpy(pixel, light, 3);
  pixel[3] = 255;
}

static void convert_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 4) {
    size_t at = (size_t)x * self->samples;
    uint8_t a = sample(self, row, at);
    if (self->photometric == PHOTOMETRIC_SEPARATED) {
      uint8_t ink[4] = {a, sample(self, row, at + 1), sample(self, row, at + 2), sample(self, row, at + 3)};
      if (self->base.keeps_cmyk) memcpy(pixels, ink, 4);
      else ink_to_light(ink, pixels);
      continue;
    }
    if (self->photometric == PHOTOMETRIC_RGB) {
      pixels[0] = sample(self, row, at + 2);
      pixels[1] = sample(self, row, at + 1);
      pixels[2] = a;
    } else {
      pixels[0] = pixels[1] = pixels[2] = self->photometric == PHOTOMETRIC_MINISWHITE ? (uint8_t)~a : a;
    }
    pixels[3] = self->alpha == no_alpha ? 255 : sample(self, row, at + self->alpha);
  }
}

// Of more than 8 bits.
static uint16_t wide_sample(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  if (self->is_float) return (uint16_t)lrintf(real(row, index) * 65535);
  uint32_t value = integer(self, row, index);
  if (self->bits >= 16) return (uint16_t)(value >> (self->bits - 16));
  return (uint16_t)(value << (16 - self->bits) | value >> (2 * self->bits - 16));
}

// Rows of more than 8 bits to RGBA in 16.
static void convert_deep_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 8) {
    size_t at = (size_t)x * self->samples;
    uint16_t pixel[4];
    pixel[0] = wide_sample(self, row, at);
    if (self->photometric == PHOTOMETRIC_RGB) {
      pixel[1] = wide_sample(self, row, at + 1);
      pixel[2] = wide_sample(self, row, at + 2);
    } else {
      if (self->photometric == PHOTOMETRIC_MINISWHITE) pixel[0] = (uint16_t)~pixel[0];
      pixel[1] = pixel[2] = pixel[0];
    }
    pixel[3] = self->alpha == no_alpha ? 65535 : wide_sample(self, row, at + self->alpha);
    memcpy(pixels, pixel, 8);
  }
}

// Puts a row of one plane into its place of the pixels: 16 bits a channel.
static void place_deep_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 8) {
    uint16_t value = wide_sample(self, row, x), opaque = 65535;
    if (self->photometric == PHOTOMETRIC_MINISWHITE && self->plane == 0) value = (uint16_t)~value;
    bool is_gray = self->photometric != PHOTOMETRIC_RGB;
    for (int channel = 0; channel < (is_gray && self->plane == 0 ? 3 : 1); channel++)
      memcpy(pixels + 2 * (self->plane == self->alpha ? 3 : self->plane + channel), &value, 2);
    if (self->alpha == no_alpha && self->plane == 0) memcpy(pixels + 6, &opaque, 2);
  }
}

// The same for 8 bits. Four inks become light with the last of them.
static void place_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 4) {
    uint8_t value = sample(self, row, x);
    if (self->photometric == PHOTOMETRIC_SEPARATED) {
      pixels[self->plane] = value;
      if (self->plane == 3 && !self->base.keeps_cmyk) ink_to_light(pixels, pixels);
      continue;
    }
    if (self->plane == 0 && self->alpha == no_alpha) pixels[3] = 255;
    if (self->plane == self->alpha) pixels[3] = value;
    else if (self->photometric == PHOTOMETRIC_RGB) pixels[2 - self->plane] = value;
    else pixels[0] = pixels[1] = pixels[2] = self->photometric == PHOTOMETRIC_MINISWHITE ? (uint8_t)~value : value;
  }
}

// Goes on to the next plane that is wanted; false after the last.
static bool next_plane(TIFFDecoder *self) {
  uint16_t next = self->plane + 1;
  if (next == color_count(self) && self->alpha != no_alpha) next = self->alpha;
  if (next > color_count(self) - 1 && next != self->alpha) return false;
  self->plane = next;
  self->row = 0;
  return true;
}

static OzuStatus step_plain(TIFFDecoder *self, uint8_t *pixels, size_t bytes_per_row) {
  tmsize_t size = TIFFScanlineSize(self->file);
  size_t samples = (size_t)self->width * (self->has_planes ? 1 : self->samples);
  if (size < (tmsize_t)((samples * self->bits + 7) / 8)) return fail(&self->base, "rows that are too short");
  // Packed samples are read three bytes at a time.
  if (self->scratch == NULL) self->scratch = calloc((size_t)size + 2, 1);
  if (self->scratch == NULL) return ozu_picture_fail(&self->base, "out of memory");
  for (uint32_t i = 0; i < self->band && self->row < self->height; i++, self->row++) {
    if (TIFFReadScanline(self->file, self->scratch, self->row, self->plane) < 0)
      return fail(&self->base, "missing rows");
    uint8_t *target = pixels + self->row * bytes_per_row;
    if (self->has_planes)
      (self->base.makes_deep ? place_deep_row : place_row)(self, self->scratch, target);
    else
      (self->base.makes_deep ? convert_deep_row : convert_row)(self, self->scratch, target);
  }
  if (self->row < self->height || (self->has_planes && next_plane(self))) return OzuStatusMore;
  return OzuStatusDone;
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  if (self->is_plain) return step_plain(self, pixels, bytes_per_row);
  if (!self->has_converter) {
    char reason[1024] = "";
    if (!TIFFRGBAImageOK(self->file, reason) || !TIFFRGBAImageBegin(&self->converter, self->file, 1, reason)) {
      base->is_unsupported = true;
      return ozu_picture_fail(base, reason);
    }
    self->has_converter = true;
    // Rows are wanted as they are stored.
    self->converter.orientation = ORIENTATION_TOPLEFT;
    self->converter.req_orientation = ORIENTATION_TOPLEFT;
    self->scratch = malloc(ozu_product(self->width, self->band, 4));
    if (self->scratch == NULL) return ozu_picture_fail(base, "out of memory");
  }
  uint32_t rest = self->height - self->row, count = rest < self->band ? rest : self->band;
  self->converter.row_offset = (int)self->row;
  self->converter.col_offset = 0;
  if (!TIFFRGBAImageGet(&self->converter, (uint32_t *)(void *)self->scratch, self->width, count))
    return fail(base, "missing strips");
  // On big-endian machines the words of the library would have to be turned; Ozu runs on none.
  for (uint32_t i = 0; i < count; i++, self->row++)
    ozu_swap_red_and_blue(
        self->scratch + (size_t)i * self->width * 4, pixels + self->row * bytes_per_row, self->width);
  return self->row == self->height ? OzuStatusDone : OzuStatusMore;
}

static void close_decoder(OzuPictureDecoder *base) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  if (self->has_converter) TIFFRGBAImageEnd(&self->converter);
  if (self->file != NULL) TIFFClose(self->file);
  free(self->scratch);
}

OzuPictureDecoder *ozu_tiff_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  static const OzuPictureOperations operations = {
      open, step, close_decoder, .library = &ozu_tiff_library};
  return ozu_picture_new(sizeof(TIFFDecoder), &operations, data, size, limits);
}

#endif
