// The smaller renditions in a TIFF: the levels of a pyramid.

#include "tiff_decoder.h"

#ifdef OZU_TIFF

// Adds the current directory to the levels, if it declares that it is a reduced image. The caller compares the
// sizes.
static void note_level(TIFFDecoder *self, OzuPictureInfo *info) {
  uint32_t kind = 0, width = 0, height = 0;
  tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_SUBFILETYPE, &kind);
  if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != FILETYPE_REDUCEDIMAGE) return;
  if (info->level_count == OZU_MOST_LEVELS) return;
  if (!tiff.TIFFGetField(self->file, TIFFTAG_IMAGEWIDTH, &width) || width == 0) return;
  if (!tiff.TIFFGetField(self->file, TIFFTAG_IMAGELENGTH, &height) || height == 0) return;
  OzuPictureLevel level = {width, height, tiff.TIFFCurrentDirOffset(self->file)};
  info->levels[info->level_count++] = level;
}

bool ozu_tiff_find_levels(TIFFDecoder *self, OzuPictureInfo *info) {
  uint16_t count = 0;
  uint64_t *named = NULL, places[OZU_MOST_LEVELS];
  if (!tiff.TIFFGetField(self->file, TIFFTAG_SUBIFD, &count, &named) || named == NULL) count = 0;
  if (count > OZU_MOST_LEVELS) count = OZU_MOST_LEVELS;
  // The array belongs to the current directory.
  for (uint16_t i = 0; i < count; i++) places[i] = named[i];
  if (count == 0 && tiff.TIFFLastDirectory(self->file)) return true;
  for (int i = 0; i < OZU_MOST_LEVELS && !tiff.TIFFLastDirectory(self->file) && tiff.TIFFReadDirectory(self->file); i++) {
    uint32_t kind = 0;
    tiff.TIFFGetFieldDefaulted(self->file, TIFFTAG_SUBFILETYPE, &kind);
    // GDAL puts masks between its levels.
    info->has_pages = (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
    if (info->has_pages) break;
    note_level(self, info);
  }
  for (uint16_t i = 0; i < count; i++)
    if (places[i] != 0 && tiff.TIFFSetSubDirectory(self->file, places[i])) note_level(self, info);
  // Errors in levels are not errors of the picture.
  self->base.message[0] = 0;
  return tiff.TIFFSetDirectory(self->file, 0);
}

#endif
