// The header of a TIFF: the facts about the picture, the memory that decoding takes, and where parts can be cut out.

#include "tiff_decoder.h"

#ifdef OZU_TIFF

#include <math.h>

// A tile that is larger than the part of the picture in it is left to the library, unless it is smaller than this.
enum { common_tile_size = 1 << 20 };

// Reads the colours of an indexed picture; false if there are none.
static bool read_palette(TIFFDecoder *self) {
  uint16_t *colors[3] = {NULL, NULL, NULL};
  if (self->bits < 1 || self->bits > 8) return false;
  if (!tiff.TIFFGetField(self->file, TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2])) return false;
  if (colors[0] == NULL || colors[1] == NULL || colors[2] == NULL) return false;
  size_t count = (size_t)1 << self->bits;
  // Some writers store values of 8 bits.
  bool is_wide = false;
  for (size_t i = 0; i < count; i++)
    for (int channel = 0; channel < 3; channel++) is_wide = is_wide || colors[channel][i] > 255;
  for (size_t i = 0; i < count; i++)
    for (int channel = 0; channel < 3; channel++)
      self->palette[i][channel] = (uint8_t)(is_wide ? colors[channel][i] >> 8 : colors[channel][i]);
  return true;
}

static bool has_plain_samples(TIFFDecoder *self) {
  uint16_t format = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLEFORMAT, &format);
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  // Samples of an undefined kind are read as those whose kind is not stated.
  if (format == SAMPLEFORMAT_VOID) format = SAMPLEFORMAT_UINT;
  if (compression == COMPRESSION_OJPEG) return false;
  if (self->samples < color_count(self) || self->samples > 8) return false;
  if (self->photometric == PHOTOMETRIC_CIELAB)
    return (self->bits == 8 || self->bits == 16) && format <= SAMPLEFORMAT_INT && !self->has_planes;
  // The library drops the alpha beside an index (GIMP writes it), and converts indices alone well.
  if (self->photometric == PHOTOMETRIC_PALETTE)
    return self->samples > 1 && format == SAMPLEFORMAT_UINT && read_palette(self);
  if (self->photometric > PHOTOMETRIC_RGB && self->photometric != PHOTOMETRIC_SEPARATED) return false;
  if (format == SAMPLEFORMAT_IEEEFP) return self->bits == 32;
  if (format != SAMPLEFORMAT_UINT) return false;
  // The library converts grey of 1, 2 and 4 bits best.
  bool is_few = self->bits < 8 && self->samples == 1 && (self->bits & (self->bits - 1)) == 0;
  return (self->bits >= 1 && self->bits <= 16 && !is_few) || self->bits == 24 || self->bits == 32;
}

// Whether rows are made here from the tiles of a file with plain samples: if these are whole bytes. The library's own
// conversion steps wrongly over the rest of a tile that extends beyond the picture, in grey of 16 bits and in grey with
// further samples. It does not find the alpha of grey of 16 bits, nor alpha behind another sample.
static bool has_plain_tiles(TIFFDecoder *self) {
  uint16_t compression = COMPRESSION_NONE;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  if (compression == COMPRESSION_PIXARLOG || self->bits % 8 != 0) return false;
  uint32_t width = 0, height = 0;
  if (!tiff.TIFFGetField(self->file, TIFFTAG_TILEWIDTH, &width) || !tiff.TIFFGetField(self->file, TIFFTAG_TILELENGTH, &height))
    return false;
  tmsize_t size = tiff.TIFFTileSize(self->file);
  size_t pixel = pixel_size(self);
  if (width == 0 || height == 0 || size <= 0 || (size_t)size != ozu_product(width, height, pixel)) return false;
  // The library only copies these.
  bool is_copied = self->photometric <= PHOTOMETRIC_RGB && self->bits == 8 && self->samples == color_count(self)
      && !self->has_planes;
  size_t band = ozu_product(self->width, height < self->height ? height : self->height, pixel);
  if (is_copied && (size_t)size > common_tile_size && (size_t)size > band) return false;
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
  if (tiff.TIFFGetField(self->file, TIFFTAG_EXTRASAMPLES, &count, &extras) && count > 0) return;
  tiff.TIFFSetField(self->file, TIFFTAG_EXTRASAMPLES, 1, &alpha);
}

// Sets how many rows are converted at a time, and the memory for that.
static void set_memory(TIFFDecoder *self, OzuPictureInfo *info) {
  bool is_tiled = tiff.TIFFIsTiled(self->file);
  uint32_t rows = self->height;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_ROWSPERSTRIP, &rows);
  if (is_tiled) tiff.TIFFGetField(self->file, TIFFTAG_TILELENGTH, &rows);
  if (rows == 0 || rows > self->height) rows = self->height;
  self->strip_rows = rows;
  self->band = rows >= rows_per_step ? rows : rows * (rows_per_step / rows);
  if (self->is_plain) self->band = rows_per_step;
  info->scratch = ozu_product(self->width, self->band, 4);
  if (self->tile_size > 0) {
    // Not more rows than the picture has.
    self->band = rows;
    info->column_scratch = ozu_product(1, self->band, pixel_size(self));
    size_t rows_size = ozu_product(self->width, self->band, pixel_size(self));
    if (__builtin_add_overflow(rows_size, self->tile_size, &info->scratch)) info->scratch = SIZE_MAX;
  } else if (!self->is_plain) {
    info->column_scratch = ozu_product(1, self->band, 4);
    // The library unpacks a tile or a strip of each plane before it converts them.
    tmsize_t unpacked = is_tiled ? tiff.TIFFTileSize(self->file) : tiff.TIFFStripSize(self->file);
    size_t size = ozu_product(unpacked > 0 ? (size_t)unpacked : 0, self->has_planes ? self->samples : 1, 1);
    if (__builtin_add_overflow(info->scratch, size, &info->scratch)) info->scratch = SIZE_MAX;
  }
}

// Sets the columns and rows at which a part can be cut out. Rows that are converted here can begin at any whole
// byte; the library converts whole tiles or strips.
static void set_region(TIFFDecoder *self, OzuPictureInfo *info) {
  uint16_t compression = COMPRESSION_NONE;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_COMPRESSION, &compression);
  bool is_tiled = tiff.TIFFIsTiled(self->file);
  uint32_t width = self->width, rows = self->strip_rows;
  if (is_tiled && !tiff.TIFFGetField(self->file, TIFFTAG_TILEWIDTH, &width)) return;
  if (compression == COMPRESSION_OJPEG || width == 0) return;
  self->can_seek = compression == COMPRESSION_NONE;
  // A single strip is unpacked from its beginning.
  info->has_parts = rows <= self->height / 2 || width <= self->width / 2 || (self->can_seek && self->is_plain);
  info->region_width = self->is_plain ? 8 : width;
  info->region_height = self->is_plain ? 1 : rows;
}

OzuStatus ozu_tiff_open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  self->file = ozu_tiff_open_file(self);
  if (self->file == NULL) return ozu_tiff_fail(base, "no directory");
  if (!(self->place == 0 ? ozu_tiff_find_levels(self, info) : tiff.TIFFSetSubDirectory(self->file, self->place)))
    return ozu_tiff_fail(base, "no such directory");
  if (!tiff.TIFFGetField(self->file, TIFFTAG_IMAGEWIDTH, &self->width)
      || !tiff.TIFFGetField(self->file, TIFFTAG_IMAGELENGTH, &self->height))
    return ozu_tiff_fail(base, "a picture without a size");
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_BITSPERSAMPLE, &self->bits);
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
  if (!tiff.TIFFGetField(self->file, TIFFTAG_PHOTOMETRIC, &self->photometric))
    self->photometric = self->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  info->width = self->full_width = self->width;
  info->height = self->full_height = self->height;
  info->bits = self->bits;
  info->is_gray = self->photometric <= PHOTOMETRIC_MINISBLACK;
  info->is_cmyk = self->photometric == PHOTOMETRIC_SEPARATED;

  add_missing_alpha(self);
  uint16_t extra_count = 0, *extras = NULL, planes = PLANARCONFIG_CONTIG, format = SAMPLEFORMAT_UINT;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_EXTRASAMPLES, &extra_count, &extras);
  self->alpha = no_alpha;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_PLANARCONFIG, &planes);
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_SAMPLEFORMAT, &format);
  self->has_planes = planes != PLANARCONFIG_CONTIG && self->samples > 1;
  self->is_float = format == SAMPLEFORMAT_IEEEFP;
  uint16_t colors = color_count(self);
  for (uint16_t i = 0; i < extra_count && self->alpha == no_alpha; i++)
    if (extras[i] == EXTRASAMPLE_ASSOCALPHA || extras[i] == EXTRASAMPLE_UNASSALPHA) {
      self->alpha = (uint16_t)(colors + i);
      // Nobody multiplies indices.
      info->is_premultiplied = extras[i] == EXTRASAMPLE_ASSOCALPHA && self->photometric != PHOTOMETRIC_PALETTE;
    }
  if (self->alpha >= self->samples) self->alpha = no_alpha;
  info->drops_alpha = info->is_cmyk && self->alpha != no_alpha;
  if (info->is_cmyk) self->alpha = no_alpha;
  info->has_alpha = self->alpha != no_alpha;
  self->is_plain = has_plain_samples(self) && (!tiff.TIFFIsTiled(self->file) || has_plain_tiles(self));
  bool is_converted = self->photometric == PHOTOMETRIC_SEPARATED || self->photometric == PHOTOMETRIC_CIELAB;
  info->is_deep = self->is_plain && self->bits > 8 && !is_converted;
  // The library premultiplies.
  if (!self->is_plain) info->is_premultiplied = info->has_alpha;
  if (!self->is_plain) info->is_cmyk = false;

  uint16_t orientation = 1, unit = RESUNIT_INCH;
  float resolution = 0;
  if (tiff.TIFFGetField(self->file, TIFFTAG_ORIENTATION, &orientation) && orientation >= 1 && orientation <= 8)
    info->orientation = orientation;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_RESOLUTIONUNIT, &unit);
  // A file may state any number, infinity among them.
  if (tiff.TIFFGetField(self->file, TIFFTAG_XRESOLUTION, &resolution) && resolution > 0 && isfinite(resolution)
      && unit != RESUNIT_NONE)
    info->dots_per_inch = unit == RESUNIT_CENTIMETER ? resolution * 2.54 : resolution;
  // EXIF data have the structure of TIFF: their facts are in the directories of the file itself.
  info->exif = base->data;
  info->exif_size = base->size;
  uint32_t profile_size = 0;
  void *profile = NULL;
  if (tiff.TIFFGetField(self->file, TIFFTAG_ICCPROFILE, &profile_size, &profile) && profile != NULL) {
    info->profile = profile;
    info->profile_size = profile_size;
  }
  uint32_t xmp_size = 0;
  void *xmp = NULL;
  if (tiff.TIFFGetField(self->file, TIFFTAG_XMLPACKET, &xmp_size, &xmp) && xmp != NULL) {
    info->xmp = xmp;
    info->xmp_size = xmp_size;
  }
  set_memory(self, info);
  set_region(self, info);
  info->has_rows = !self->has_planes;
  bool has_bytes = self->is_plain && self->bits == 8 && !self->is_float && info->has_rows;
  if (has_bytes && !info->has_alpha && !is_converted && self->samples == colors) info->row_channels = colors;
  // Last, as it may change how the library unpacks a JPEG. An error of the pixels is none of the header.
  info->unread = ozu_tiff_unread(self);
  base->message[0] = 0;
  return OzuStatusDone;
}

#endif
