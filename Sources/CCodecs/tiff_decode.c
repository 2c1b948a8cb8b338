// TIFF decoding through libtiff. Grey, RGB and CMYK in strips, of up to 16, 24 or 32 bits or floating 32 bits, are
// converted here, row by row: pixel by pixel, or plane by plane. So are tiles of grey and RGB in 8 bits. Everything
// else uses the library's own conversion to RGBA, strip by strip. Except for planes, rows can be read one by one.
// The smaller pages of a pyramid are found, and each can be decoded by a decoder of its own.

#ifdef OZU_TIFF

#include <math.h>
#include <stdio.h>

#include "picture.h"
#include "tiff_library.h"

// The name of version 4.5, the first with the options that are used, and of later versions.
OZU_DEFINE_LIBRARY(tiff, OZU_TIFF_FUNCTIONS, "Read TIFF", "libtiff.so.6")

typedef struct {
  OzuPictureDecoder base;
  TIFF *file;
  toff_t position;
  // The offset of the directory of a smaller rendition that is decoded instead of the first page; 0 for the first
  // page.
  uint64_t place;
  // The size of the picture; after a cut, the size of the part, which begins at `left` and `top`.
  uint32_t width;
  uint32_t height;
  uint32_t left;
  uint32_t top;
  uint32_t full_width;
  uint32_t full_height;
  uint16_t bits;
  uint16_t samples;
  uint16_t photometric;
  uint16_t alpha;
  bool is_float;
  // Whether rows are converted here.
  bool is_plain;
  // Whether each sample of the pixels has rows of its own, and which plane comes next.
  bool has_planes;
  uint16_t plane;
  uint32_t row;
  uint32_t band;
  // A stored row, or `band` rows in RGBA; for tiles, one tile follows.
  uint8_t *scratch;
  // The rows in a band of tiles or of RGBA, counted in the file.
  uint32_t band_start;
  uint32_t band_count;
  // The number of rows that are compressed together. Rows above a row are decoded before it, unless `can_seek`.
  uint32_t strip_rows;
  bool can_seek;
  // The size of tiles, if rows are made from them here; otherwise 0.
  uint32_t tile_width;
  uint32_t tile_height;
  size_t tile_size;
  TIFFRGBAImage converter;
  bool has_converter;
} TIFFDecoder;

enum { no_alpha = 0xFFFF, rows_per_step = 32 };

// A tile that is larger than the part of the picture in it is left to the library, unless it is smaller than this.
enum { common_tile_size = 1 << 20 };

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
  // The library converts grey of 1, 2 and 4 bits best.
  bool is_few = self->bits < 8 && self->samples == 1 && (self->bits & (self->bits - 1)) == 0;
  return (self->bits >= 1 && self->bits <= 16 && !is_few) || self->bits == 24 || self->bits == 32;
}

// Whether rows are made here from tiles: of grey or RGB without alpha in 8 bits, which the library's conversion
// would only copy.
static bool has_plain_tiles(TIFFDecoder *self) {
  uint16_t format = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLEFORMAT, &format);
  TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  if (!TIFFIsTiled(self->file) || compression == COMPRESSION_OJPEG || compression == COMPRESSION_PIXARLOG) return false;
  if (self->photometric > PHOTOMETRIC_RGB || self->bits != 8 || format != SAMPLEFORMAT_UINT) return false;
  if (self->samples != color_count(self) || self->has_planes) return false;
  uint32_t width = 0, height = 0;
  if (!TIFFGetField(self->file, TIFFTAG_TILEWIDTH, &width) || !TIFFGetField(self->file, TIFFTAG_TILELENGTH, &height))
    return false;
  tmsize_t size = TIFFTileSize(self->file);
  size_t band = ozu_product(self->width, height < self->height ? height : self->height, self->samples);
  if (width == 0 || height == 0 || size <= 0 || (size_t)size != ozu_product(width, height, self->samples)) return false;
  if ((size_t)size > common_tile_size && (size_t)size > band) return false;
  self->tile_width = width;
  self->tile_height = height;
  self->tile_size = (size_t)size;
  return true;
}

// Some writers do not declare that the fourth sample of RGB is alpha. ImageMagick and libvips take it for straight
// alpha.
static void add_missing_alpha(const TIFFDecoder *self) {
  uint16_t count = 0, *extras = NULL, alpha = EXTRASAMPLE_UNASSALPHA;
  if (self->photometric != PHOTOMETRIC_RGB || self->samples != 4) return;
  if (TIFFGetField(self->file, TIFFTAG_EXTRASAMPLES, &count, &extras) && count > 0) return;
  TIFFSetField(self->file, TIFFTAG_EXTRASAMPLES, 1, &alpha);
}

// Sets how many rows are converted at a time, and the memory for that.
static void set_memory(TIFFDecoder *self, OzuPictureInfo *info) {
  bool is_tiled = TIFFIsTiled(self->file);
  uint32_t rows = self->height;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_ROWSPERSTRIP, &rows);
  if (is_tiled) TIFFGetField(self->file, TIFFTAG_TILELENGTH, &rows);
  if (rows == 0 || rows > self->height) rows = self->height;
  self->strip_rows = rows;
  self->band = rows >= rows_per_step ? rows : rows * (rows_per_step / rows);
  if (self->is_plain) self->band = rows_per_step;
  info->scratch = ozu_product(self->width, self->band, 4);
  if (self->tile_size > 0) {
    // Not more rows than the picture has.
    self->band = rows;
    info->column_scratch = ozu_product(1, self->band, self->samples);
    info->scratch = ozu_product(self->width, self->band, self->samples) + self->tile_size;
  } else if (!self->is_plain) {
    info->column_scratch = ozu_product(1, self->band, 4);
    // The library unpacks a tile or a strip of each plane before it converts them.
    tmsize_t unpacked = is_tiled ? TIFFTileSize(self->file) : TIFFStripSize(self->file);
    size_t size = ozu_product(unpacked > 0 ? (size_t)unpacked : 0, self->has_planes ? self->samples : 1, 1);
    if (__builtin_add_overflow(info->scratch, size, &info->scratch)) info->scratch = SIZE_MAX;
  }
}

// Sets the columns and rows at which a part can be cut out. Rows that are converted here can begin at any whole
// byte; the library converts whole tiles or strips.
static void set_region(TIFFDecoder *self, OzuPictureInfo *info) {
  uint16_t compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  bool is_tiled = TIFFIsTiled(self->file);
  uint32_t width = self->width, rows = self->strip_rows;
  if (is_tiled && !TIFFGetField(self->file, TIFFTAG_TILEWIDTH, &width)) return;
  if (compression == COMPRESSION_OJPEG || width == 0) return;
  self->can_seek = compression == COMPRESSION_NONE;
  // A single strip is unpacked from its beginning.
  info->has_parts = rows <= self->height / 2 || width <= self->width / 2 || (self->can_seek && self->is_plain);
  info->region_width = self->is_plain ? 8 : width;
  info->region_height = self->is_plain ? 1 : rows;
}

static bool cut(OzuPictureDecoder *base, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  self->left = x;
  self->top = y;
  self->width = width;
  self->height = height;
  return true;
}

// Adds the current directory to the levels, if it declares that it is a reduced image. The caller compares the
// sizes.
static void note_level(TIFFDecoder *self, OzuPictureInfo *info) {
  uint32_t kind = 0, width = 0, height = 0;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_SUBFILETYPE, &kind);
  if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != FILETYPE_REDUCEDIMAGE) return;
  if (info->level_count == OZU_MOST_LEVELS) return;
  if (!TIFFGetField(self->file, TIFFTAG_IMAGEWIDTH, &width) || width == 0) return;
  if (!TIFFGetField(self->file, TIFFTAG_IMAGELENGTH, &height) || height == 0) return;
  OzuPictureLevel level = {width, height, TIFFCurrentDirOffset(self->file)};
  info->levels[info->level_count++] = level;
}

// Finds the levels of a pyramid: the pages after the first, up to one that is another picture, and the directories
// that the first page refers to. Directories of a file can refer to each other in a loop, so the number that is
// read is limited.
static bool find_levels(TIFFDecoder *self, OzuPictureInfo *info) {
  uint16_t count = 0;
  uint64_t *named = NULL, places[OZU_MOST_LEVELS];
  if (!TIFFGetField(self->file, TIFFTAG_SUBIFD, &count, &named) || named == NULL) count = 0;
  if (count > OZU_MOST_LEVELS) count = OZU_MOST_LEVELS;
  // The array belongs to the current directory.
  for (uint16_t i = 0; i < count; i++) places[i] = named[i];
  if (count == 0 && TIFFLastDirectory(self->file)) return true;
  for (int i = 0; i < OZU_MOST_LEVELS && !TIFFLastDirectory(self->file) && TIFFReadDirectory(self->file); i++) {
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(self->file, TIFFTAG_SUBFILETYPE, &kind);
    // GDAL puts masks between its levels.
    if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) break;
    note_level(self, info);
  }
  for (uint16_t i = 0; i < count; i++)
    if (places[i] != 0 && TIFFSetSubDirectory(self->file, places[i])) note_level(self, info);
  // Errors in levels are not errors of the picture.
  self->base.message[0] = 0;
  return TIFFSetDirectory(self->file, 0);
}

static OzuStatus open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  self->file = open_file(self);
  if (self->file == NULL) return fail(base, "no directory");
  if (!(self->place == 0 ? find_levels(self, info) : TIFFSetSubDirectory(self->file, self->place)))
    return fail(base, "no such directory");
  if (!TIFFGetField(self->file, TIFFTAG_IMAGEWIDTH, &self->width)
      || !TIFFGetField(self->file, TIFFTAG_IMAGELENGTH, &self->height))
    return fail(base, "a picture without a size");
  TIFFGetFieldDefaulted(self->file, TIFFTAG_BITSPERSAMPLE, &self->bits);
  TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
  if (!TIFFGetField(self->file, TIFFTAG_PHOTOMETRIC, &self->photometric))
    self->photometric = self->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  info->width = self->full_width = self->width;
  info->height = self->full_height = self->height;
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
  self->is_plain = is_plain(self) || has_plain_tiles(self);
  info->is_deep = self->is_plain && self->bits > 8 && self->photometric != PHOTOMETRIC_SEPARATED;
  // The library premultiplies.
  if (!self->is_plain) info->is_premultiplied = info->has_alpha;
  if (!self->is_plain) info->is_cmyk = false;

  uint16_t orientation = 1, unit = RESUNIT_INCH;
  float resolution = 0;
  if (TIFFGetField(self->file, TIFFTAG_ORIENTATION, &orientation) && orientation >= 1 && orientation <= 8)
    info->orientation = orientation;
  TIFFGetFieldDefaulted(self->file, TIFFTAG_RESOLUTIONUNIT, &unit);
  if (TIFFGetField(self->file, TIFFTAG_XRESOLUTION, &resolution) && resolution > 0 && unit != RESUNIT_NONE)
    info->dots_per_inch = unit == RESUNIT_CENTIMETER ? resolution * 2.54 : resolution;
  // EXIF data have the structure of TIFF: their facts are in the directories of the file itself.
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
  set_memory(self, info);
  set_region(self, info);
  info->has_rows = !self->has_planes;
  bool has_bytes = self->is_plain && self->bits == 8 && !self->is_float && info->has_rows;
  if (has_bytes && !info->has_alpha && !info->is_cmyk && self->samples == colors) info->row_channels = colors;
  return OzuStatusDone;
}

// A sample of a row. Two bytes must follow the row. The library has converted words of 16, 24 and 32 bits to the
// byte order of the machine; samples of other sizes are stored bit by bit, the highest bit first.
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

// The common formats: grey and RGB in 8 bits without alpha; false for others. Words are built in registers, so that
// compilers vectorise the loops.
static bool convert_bytes(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  if (self->bits != 8 || self->is_float || self->alpha != no_alpha) return false;
  size_t width = self->width, samples = self->samples;
  if (self->photometric == PHOTOMETRIC_RGB) {
    for (size_t x = 0; x < width; x++) {
      const uint8_t *at = row + x * samples;
      uint32_t word = (uint32_t)at[2] | (uint32_t)at[1] << 8 | (uint32_t)at[0] << 16 | 0xFF000000u;
      memcpy(pixels + 4 * x, &word, 4);
    }
    return true;
  }
  if (self->photometric == PHOTOMETRIC_SEPARATED) return false;
  uint8_t inversion = self->photometric == PHOTOMETRIC_MINISWHITE ? 0xFF : 0;
  for (size_t x = 0; x < width; x++) {
    uint32_t word = (uint32_t)(uint8_t)(row[x * samples] ^ inversion) * 0x010101u | 0xFF000000u;
    memcpy(pixels + 4 * x, &word, 4);
  }
  return true;
}

static void convert_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  if (convert_bytes(self, row, pixels)) return;
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

// A sample of more than 8 bits, as 16 bits.
static uint16_t wide_sample(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  if (self->is_float) return (uint16_t)lrintf(real(row, index) * 65535);
  uint32_t value = integer(self, row, index);
  if (self->bits >= 16) return (uint16_t)(value >> (self->bits - 16));
  return (uint16_t)(value << (16 - self->bits) | value >> (2 * self->bits - 16));
}

// Converts rows of more than 8 bits to RGBA in 16 bits.
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

// Writes a row of one plane to its channel of the pixels, with 16 bits for each channel.
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

// The same for 8 bits. With the last plane, CMYK is converted to light.
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

// Goes to the next plane that is needed; false after the last.
static bool next_plane(TIFFDecoder *self) {
  uint16_t next = self->plane + 1;
  if (next == color_count(self) && self->alpha != no_alpha) next = self->alpha;
  if (next > color_count(self) - 1 && next != self->alpha) return false;
  self->plane = next;
  self->row = 0;
  return true;
}

// Copies the tiles that contain a row of the file into rows of the picture.
static bool read_tiles(TIFFDecoder *self, uint32_t row) {
  size_t pixel = self->samples, row_size = (size_t)self->width * pixel, tile_row_size = (size_t)self->tile_width * pixel;
  uint8_t *tile = self->scratch + row_size * self->band;
  uint32_t start = row / self->tile_height * self->tile_height;
  uint32_t rest = self->full_height - start, count = rest < self->band ? rest : self->band;
  uint64_t left = self->left, right = left + self->width;
  for (uint64_t x = left / self->tile_width * self->tile_width; x < right; x += self->tile_width) {
    uint32_t index = TIFFComputeTile(self->file, (uint32_t)x, start, 0, 0);
    if (TIFFReadEncodedTile(self->file, index, tile, (tmsize_t)self->tile_size) != (tmsize_t)self->tile_size) return false;
    // A tile may extend beyond the part and the picture.
    uint64_t from = x < left ? left : x, to = x + self->tile_width < right ? x + self->tile_width : right;
    for (uint32_t y = 0; y < count; y++)
      memcpy(
          self->scratch + row_size * y + (size_t)(from - left) * pixel,
          tile + tile_row_size * y + (size_t)(from - x) * pixel, (size_t)(to - from) * pixel);
  }
  self->band_start = start;
  self->band_count = count;
  return true;
}

// Reads a row of the file. Before the first row of a part, it reads the rows that are compressed together with it
// above.
static bool read_scanline(TIFFDecoder *self, uint32_t row) {
  uint32_t first = row;
  if (self->row == 0 && !self->can_seek) first = row / self->strip_rows * self->strip_rows;
  for (; first <= row; first++)
    if (TIFFReadScanline(self->file, self->scratch, first, self->plane) < 0) return false;
  return true;
}

// The row `self->row` of the part as stored, in the current plane; NULL and a message if it is missing. Rows of one
// plane must be read from top to bottom.
static const uint8_t *stored_row(TIFFDecoder *self) {
  OzuPictureDecoder *base = &self->base;
  uint32_t row = self->top + self->row;
  if (self->tile_size > 0) {
    size_t row_size = (size_t)self->width * self->samples;
    if (self->scratch == NULL) self->scratch = malloc(row_size * self->band + self->tile_size);
    if (self->scratch == NULL) return ozu_picture_fail(base, "out of memory"), NULL;
    bool is_there = row >= self->band_start && row - self->band_start < self->band_count;
    if (!is_there && !read_tiles(self, row)) return fail(base, "missing tiles"), NULL;
    return self->scratch + row_size * (row - self->band_start);
  }
  size_t samples = self->has_planes ? 1 : self->samples;
  if (self->scratch == NULL) {
    tmsize_t size = TIFFScanlineSize(self->file);
    if (size < (tmsize_t)((self->full_width * samples * self->bits + 7) / 8))
      return fail(base, "rows that are too short"), NULL;
    // Packed samples are read three bytes at a time.
    self->scratch = calloc((size_t)size + 2, 1);
    if (self->scratch == NULL) return ozu_picture_fail(base, "out of memory"), NULL;
  }
  if (!read_scanline(self, row)) return fail(base, "missing rows"), NULL;
  // A part begins at a multiple of 8 columns, and so at a whole byte.
  return self->scratch + self->left * samples * self->bits / 8;
}

static OzuStatus step_plain(TIFFDecoder *self, uint8_t *pixels, size_t bytes_per_row) {
  for (uint32_t i = 0; i < rows_per_step && self->row < self->height; i++, self->row++) {
    const uint8_t *row = stored_row(self);
    if (row == NULL) return OzuStatusFailed;
    uint8_t *target = pixels + self->row * bytes_per_row;
    if (self->has_planes)
      (self->base.makes_deep ? place_deep_row : place_row)(self, row, target);
    else
      (self->base.makes_deep ? convert_deep_row : convert_row)(self, row, target);
  }
  if (self->row < self->height || (self->has_planes && next_plane(self))) return OzuStatusMore;
  return OzuStatusDone;
}

// Lets the library convert a band of rows, which begins at `self->row`, to RGBA.
static OzuStatus convert_band(TIFFDecoder *self) {
  OzuPictureDecoder *base = &self->base;
  if (!self->has_converter) {
    char reason[1024] = "";
    if (!TIFFRGBAImageOK(self->file, reason) || !TIFFRGBAImageBegin(&self->converter, self->file, 1, reason)) {
      base->is_unsupported = true;
      return ozu_picture_fail(base, reason);
    }
    self->has_converter = true;
    // Rows are returned as stored.
    self->converter.orientation = ORIENTATION_TOPLEFT;
    self->converter.req_orientation = ORIENTATION_TOPLEFT;
    self->scratch = malloc(ozu_product(self->width, self->band, 4));
    if (self->scratch == NULL) return ozu_picture_fail(base, "out of memory");
  }
  uint32_t rest = self->height - self->row, count = rest < self->band ? rest : self->band;
  self->converter.row_offset = (int)(self->top + self->row);
  self->converter.col_offset = (int)self->left;
  if (!TIFFRGBAImageGet(&self->converter, (uint32_t *)(void *)self->scratch, self->width, count))
    return fail(base, "missing strips");
  self->band_start = self->row;
  self->band_count = count;
  return OzuStatusDone;
}

// On big-endian machines the library's words would need another order; Ozu does not support those.
static void copy_band_row(const TIFFDecoder *self, uint8_t *pixels) {
  ozu_swap_red_and_blue(
      self->scratch + (size_t)(self->row - self->band_start) * self->width * 4, pixels, self->width);
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  if (self->is_plain) return step_plain(self, pixels, bytes_per_row);
  OzuStatus status = convert_band(self);
  if (status != OzuStatusDone) return status;
  for (uint32_t i = 0; i < self->band_count; i++, self->row++) copy_band_row(self, pixels + self->row * bytes_per_row);
  return self->row == self->height ? OzuStatusDone : OzuStatusMore;
}

static OzuStatus read_row(OzuPictureDecoder *base, uint8_t *pixels) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  if (self->has_planes) return ozu_picture_fail(base, "its rows lie in planes");
  if (self->is_plain) {
    const uint8_t *row = stored_row(self);
    if (row == NULL) return OzuStatusFailed;
    convert_row(self, row, pixels);
  } else {
    if (self->row - self->band_start >= self->band_count) {
      OzuStatus status = convert_band(self);
      if (status != OzuStatusDone) return status;
    }
    copy_band_row(self, pixels);
  }
  self->row++;
  return OzuStatusDone;
}

static const uint8_t *read_samples(OzuPictureDecoder *base) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  const uint8_t *row = stored_row(self);
  if (row == NULL) return NULL;
  if (self->photometric == PHOTOMETRIC_MINISWHITE) {
    // One sample for each pixel, in memory of this decoder; each row is read only once.
    uint8_t *samples = self->scratch + (row - self->scratch);
    for (uint32_t x = 0; x < self->width; x++) samples[x] = (uint8_t)~samples[x];
  }
  self->row++;
  return row;
}

static void close_decoder(OzuPictureDecoder *base) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  if (self->has_converter) TIFFRGBAImageEnd(&self->converter);
  if (self->file != NULL) TIFFClose(self->file);
  free(self->scratch);
}

OzuPictureDecoder *ozu_tiff_level_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint64_t place) {
  static const OzuPictureOperations operations = {
      open, step, close_decoder, .row = read_row, .samples = read_samples, .cut = cut,
      .library = &ozu_tiff_library};
  OzuPictureDecoder *base = ozu_picture_new(sizeof(TIFFDecoder), &operations, data, size, limits);
  if (base != NULL) ((TIFFDecoder *)base)->place = place;
  return base;
}

OzuPictureDecoder *ozu_tiff_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  return ozu_tiff_level_decoder_new(data, size, limits, 0);
}

#endif
