// TIFF decoding through libtiff. Grey, RGB and CMYK in strips, of up to 16, 24 or 32 bits or floating 32 bits, Lab, and
// indices beside other samples are converted here, row by row: pixel by pixel, or plane by plane. So are their tiles, if
// samples are whole bytes. Everything else uses the library's own conversion to RGBA, strip by strip. Except for planes,
// rows can be read one by one. The smaller pages of a pyramid are found, and each can be decoded by a decoder of its own.

#include "tiff_decoder.h"

#ifdef OZU_TIFF

// The name of version 4.5, the first with the options that are used, and of later versions.
OZU_DEFINE_LIBRARY(tiff, OZU_TIFF_FUNCTIONS, "Read TIFF", "libtiff.so.6")

static bool cut(OzuPictureDecoder *base, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  TIFFDecoder *self = (TIFFDecoder *)base;
  self->left = x;
  self->top = y;
  self->width = width;
  self->height = height;
  return true;
}

// Goes to the next plane that is needed; false after the last.
static bool next_plane(TIFFDecoder *self) {
  uint16_t next = self->plane + 1;
  if (next == color_count(self) && self->alpha != no_alpha) next = self->alpha;
  if (next > color_count(self) - 1 && next != self->alpha) return false;
  self->plane = next;
  self->row = 0;
  // The rows of tiles that are there belong to the plane before.
  self->band_count = 0;
  return true;
}

// Copies the tiles that contain a row of the file, in the current plane, into rows of the picture.
static bool read_tiles(TIFFDecoder *self, uint32_t row) {
  size_t pixel = pixel_size(self), row_size = (size_t)self->width * pixel;
  size_t tile_row_size = (size_t)self->tile_width * pixel;
  uint8_t *tile = self->scratch + row_size * self->band;
  uint32_t start = row / self->tile_height * self->tile_height;
  uint32_t rest = self->full_height - start, count = rest < self->band ? rest : self->band;
  uint64_t left = self->left, right = left + self->width;
  for (uint64_t x = left / self->tile_width * self->tile_width; x < right; x += self->tile_width) {
    uint32_t index = tiff.TIFFComputeTile(self->file, (uint32_t)x, start, 0, self->plane);
    if (tiff.TIFFReadEncodedTile(self->file, index, tile, (tmsize_t)self->tile_size) != (tmsize_t)self->tile_size) return false;
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
    if (tiff.TIFFReadScanline(self->file, self->scratch, first, self->plane) < 0) return false;
  return true;
}

// The row `self->row` of the part as stored, in the current plane; NULL and a message if it is missing. Rows of one
// plane must be read from top to bottom.
static const uint8_t *stored_row(TIFFDecoder *self) {
  OzuPictureDecoder *base = &self->base;
  uint32_t row = self->top + self->row;
  if (self->tile_size > 0) {
    size_t row_size = (size_t)self->width * pixel_size(self);
    if (self->scratch == NULL) self->scratch = malloc(row_size * self->band + self->tile_size);
    if (self->scratch == NULL) return ozu_picture_fail(base, "out of memory"), NULL;
    bool is_there = row >= self->band_start && row - self->band_start < self->band_count;
    if (!is_there && !read_tiles(self, row)) return ozu_tiff_fail(base, "missing tiles"), NULL;
    return self->scratch + row_size * (row - self->band_start);
  }
  size_t samples = self->has_planes ? 1 : self->samples;
  if (self->scratch == NULL) {
    tmsize_t size = tiff.TIFFScanlineSize(self->file);
    if (size < (tmsize_t)((self->full_width * samples * self->bits + 7) / 8))
      return ozu_tiff_fail(base, "rows that are too short"), NULL;
    // Packed samples are read three bytes at a time.
    self->scratch = calloc((size_t)size + 2, 1);
    if (self->scratch == NULL) return ozu_picture_fail(base, "out of memory"), NULL;
  }
  if (!read_scanline(self, row)) return ozu_tiff_fail(base, "missing rows"), NULL;
  // A part begins at a multiple of 8 columns, and so at a whole byte.
  return self->scratch + self->left * samples * self->bits / 8;
}

static OzuStatus step_plain(TIFFDecoder *self, uint8_t *pixels, size_t bytes_per_row) {
  for (uint32_t i = 0; i < rows_per_step && self->row < self->height; i++, self->row++) {
    const uint8_t *row = stored_row(self);
    if (row == NULL) return OzuStatusFailed;
    uint8_t *target = pixels + self->row * bytes_per_row;
    if (self->has_planes)
      (self->base.makes_deep ? ozu_tiff_place_deep_row : ozu_tiff_place_row)(self, row, target);
    else
      (self->base.makes_deep ? ozu_tiff_convert_deep_row : ozu_tiff_convert_row)(self, row, target);
  }
  if (self->row < self->height || (self->has_planes && next_plane(self))) return OzuStatusMore;
  return OzuStatusDone;
}

// Lets the library convert a band of rows, which begins at `self->row`, to RGBA.
static OzuStatus convert_band(TIFFDecoder *self) {
  OzuPictureDecoder *base = &self->base;
  if (!self->has_converter) {
    char otherwise[1024] = "";
    const char *reason = ozu_tiff_unread(self);
    if (reason == NULL && !tiff.TIFFRGBAImageBegin(&self->converter, self->file, 1, otherwise)) reason = otherwise;
    if (reason != NULL) {
      base->is_unsupported = true;
      ozu_picture_fail(base, reason);
      return ozu_tiff_fail(base, reason);
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
  if (!tiff.TIFFRGBAImageGet(&self->converter, (uint32_t *)(void *)self->scratch, self->width, count))
    return ozu_tiff_fail(base, "missing strips");
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
    ozu_tiff_convert_row(self, row, pixels);
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
  if (self->has_converter) tiff.TIFFRGBAImageEnd(&self->converter);
  if (self->file != NULL) tiff.TIFFClose(self->file);
  free(self->scratch);
}

OzuPictureDecoder *ozu_tiff_level_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint64_t place) {
  static const OzuPictureOperations operations = {
      ozu_tiff_open, step, close_decoder, .row = read_row, .samples = read_samples, .cut = cut,
      .library = &ozu_tiff_library};
  OzuPictureDecoder *base = ozu_picture_new(sizeof(TIFFDecoder), &operations, data, size, limits);
  if (base != NULL) ((TIFFDecoder *)base)->place = place;
  return base;
}

OzuPictureDecoder *ozu_tiff_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  return ozu_tiff_level_decoder_new(data, size, limits, 0);
}

#endif
