// The common part of the files that decode TIFF. Not visible to Swift.

#ifndef OZU_TIFF_DECODER_H
#define OZU_TIFF_DECODER_H

#include "tiff_library.h"

#ifdef OZU_TIFF

#include "picture.h"

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
  // The red, green and blue of each index, if rows of indices with other samples are converted here.
  uint8_t palette[256][3];
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
  // Why the pixels cannot be read; empty if they can.
  char unread[1024];
} TIFFDecoder;

enum { no_alpha = 0xFFFF, rows_per_step = 32 };

/// Opens the file in memory through the library; NULL if it is not a TIFF.
TIFF *ozu_tiff_open_file(TIFFDecoder *self);

/// Reads the header of the picture: the first page, or the directory at `place`.
OzuStatus ozu_tiff_open(OzuPictureDecoder *base, OzuPictureInfo *info);

/// Finds the levels of a pyramid: the pages after the first, up to one that is another picture, and the directories
/// that the first page refers to. Directories of a file can refer to each other in a loop, so the number that is
/// read is limited.
bool ozu_tiff_find_levels(TIFFDecoder *self, OzuPictureInfo *info);

/// Converts a stored row to BGRA.
void ozu_tiff_convert_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels);
/// Converts a stored row of more than 8 bits to RGBA in 16 bits.
void ozu_tiff_convert_deep_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels);
/// Writes a row of one plane to its channel of BGRA pixels. With the last plane, CMYK is converted to light.
void ozu_tiff_place_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels);
/// Writes a row of one plane to its channel of RGBA pixels with 16 bits for each channel.
void ozu_tiff_place_deep_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels);

/// Returns `Failed` with the library's message, or with another one if it has reported none. Finds out whether the cause
/// is a compression that the library does not read, or the end of the file.
OzuStatus ozu_tiff_fail(OzuPictureDecoder *base, const char *otherwise);

/// Why the pixels cannot be read, from the header alone; NULL if they can.
const char *ozu_tiff_unread(TIFFDecoder *self);

/// The number of samples of a pixel that are colours.
static inline uint16_t color_count(const TIFFDecoder *self) {
  switch (self->photometric) {
    case PHOTOMETRIC_SEPARATED: return 4;
    case PHOTOMETRIC_RGB: case PHOTOMETRIC_CIELAB: return 3;
    default: return 1;
  }
}

/// The bytes of a pixel of whole bytes; of one of its samples, if these have planes.
static inline size_t pixel_size(const TIFFDecoder *self) {
  return (size_t)(self->has_planes ? 1 : self->samples) * self->bits / 8;
}

#endif

#endif
