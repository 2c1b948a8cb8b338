// The header of an AVIF file: the facts about the picture, and the errors of libavif.

#include "avif_library.h"

#ifdef OZU_AVIF

#include <stdio.h>
#include <string.h>

#include "avif_decoder.h"
#include "boxes.h"

OzuStatus ozu_avif_fail(OzuPictureDecoder *base, avifResult result) {
  OzuBoxesEnd end = ozu_boxes_find_end(base->data, base->size);
  // libavif does not read a box without a length.
  if (result == AVIF_RESULT_BMFF_PARSE_FAILED && end == OzuBoxesEndOpen) {
    base->is_unsupported = true;
    return ozu_picture_fail(base, "a box reaches to the end of the file");
  }
  switch (result) {
    // No part of a picture is there before all of it is.
    case AVIF_RESULT_TRUNCATED_DATA: base->is_truncated = true; break;
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_OUT_OF_MEMORY: base->is_unsupported = true; break;
    // A file that ends with a box may lack the one with the coded pictures.
    default: base->is_truncated = end == OzuBoxesEndCut || !ozu_boxes_have(base->data, base->size, "mdat"); break;
  }
  const avifDecoder *decoder = ((AVIFDecoder *)base)->decoder;
  if (decoder == NULL || decoder->diag.error[0] == 0) return ozu_picture_fail(base, avif.avifResultToString(result));
  char message[sizeof(base->message)];
  snprintf(message, sizeof(message), "%s: %s", avif.avifResultToString(result), decoder->diag.error);
  return ozu_picture_fail(base, message);
}

// The turn and the mirror of a file as one orientation of EXIF. The mirror is applied after the turn (ISO/IEC
// 23000-22), and the turn is anticlockwise.
static int orientation(const avifImage *image) {
  int turn = (image->transformFlags & AVIF_TRANSFORM_IROT) ? image->irot.angle & 3 : 0;
  static const int turned[4] = {1, 8, 3, 6};
  // Mirrored top to bottom, and left to right.
  static const int flipped[2][4] = {{4, 5, 2, 7}, {2, 7, 4, 5}};
  if (!(image->transformFlags & AVIF_TRANSFORM_IMIR)) return turned[turn];
  return flipped[OZU_AVIF_MIRROR_AXIS(image->imir) & 1][turn];
}

bool ozu_avif_has_planes(const AVIFDecoder *self) {
  const avifImage *image = self->decoder->image;
  if (self->has_crop || self->decoder->alphaPresent) return false;
  switch (image->matrixCoefficients) {
    case AVIF_MATRIX_COEFFICIENTS_BT709:
    case AVIF_MATRIX_COEFFICIENTS_UNSPECIFIED:
    case AVIF_MATRIX_COEFFICIENTS_BT470BG:
    case AVIF_MATRIX_COEFFICIENTS_BT601:
    case AVIF_MATRIX_COEFFICIENTS_BT2020_NCL: return image->yuvFormat != AVIF_PIXEL_FORMAT_NONE;
    default: return false;
  }
}

// The limits of the library, whose limit on pixels is never higher than its own.
static OzuPictureLimits library_limits(const OzuPictureDecoder *base) {
  OzuPictureLimits limits = base->limits;
  if (limits.pixels > AVIF_DEFAULT_IMAGE_SIZE_LIMIT) limits.pixels = AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
  return limits;
}

// Whether the library would refuse the file for a size over its limits. It says so in words only, and the caller's own
// check has a better error.
static bool find_excess(const OzuPictureDecoder *base, OzuPictureInfo *info) {
  OzuPictureLimits limits = library_limits(base);
  return ozu_boxes_find_large_item(base->data, base->size, limits, &info->width, &info->height)
      || ozu_boxes_find_large_track(base->data, base->size, limits, &info->width, &info->height);
}

static bool hide_gain_map(AVIFDecoder *self) {
  uint8_t *copy = ozu_avif_without_gain_map(self->copy == NULL ? self->base.data : self->copy, self->base.size);
  if (copy == NULL) return false;
  free(self->copy);
  self->copy = copy;
  return true;
}

static avifResult parse(AVIFDecoder *self, avifDecoderSource source, bool ignores_exif, bool ignores_xmp) {
  const OzuPictureDecoder *base = &self->base;
  avifDecoder *decoder = avif.avifDecoderCreate();
  if (decoder == NULL) return AVIF_RESULT_OUT_OF_MEMORY;
  if (self->decoder != NULL) avif.avifDecoderDestroy(self->decoder);
  self->decoder = decoder;
  if (avif.avifCodecName(AVIF_CODEC_CHOICE_DAV1D, AVIF_CODEC_FLAG_CAN_DECODE) != NULL)
    decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
  decoder->maxThreads = 1;
  decoder->ignoreExif = ignores_exif;
  decoder->requestedSource = source;
  decoder->ignoreXMP = ignores_xmp;
  // Many files do not repeat the size of the picture for alpha.
  decoder->strictFlags = AVIF_STRICT_CLAP_VALID;
  OzuPictureLimits limits = library_limits(base);
  // Of a refused picture only the header is read.
  decoder->imageSizeLimit = self->is_refused ? AVIF_DEFAULT_IMAGE_SIZE_LIMIT : (uint32_t)limits.pixels;
  decoder->imageDimensionLimit = limits.side;
  decoder->imageCountLimit = OZU_LARGEST_FRAME_COUNT;
  avifResult result = avif.avifDecoderSetIOMemory(decoder, self->copy == NULL ? base->data : self->copy, base->size);
  // Without the size, the library refuses no frame that lies beyond the end of the file before it is asked for.
  if (self->reads_cut_file && decoder->io != NULL) decoder->io->sizeHint = 0;
  return result == AVIF_RESULT_OK ? avif.avifDecoderParse(decoder) : result;
}

// Reads the track of a file that is cut off. False if it has none.
static bool parse_cut_track(AVIFDecoder *self) {
  if (ozu_boxes_find_end(self->base.data, self->base.size) != OzuBoxesEndCut) return false;
  self->reads_cut_file = true;
  return parse(self, AVIF_DECODER_SOURCE_AUTO, true, true) == AVIF_RESULT_OK && self->decoder->imageCount > 1;
}

// How many frames lie in the file. They are stored in order, so the first that does not is found by halves.
static uint32_t whole_frames(const AVIFDecoder *self) {
  uint32_t first = 0, end = (uint32_t)self->decoder->imageCount;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    avifExtent extent = {0};
    bool is_there = avif.avifDecoderNthImageMaxExtent(self->decoder, middle, &extent) == AVIF_RESULT_OK
        && extent.offset <= self->base.size && extent.size <= self->base.size - extent.offset;
    if (is_there) first = middle + 1;
    else end = middle;
  }
  return first;
}

OzuStatus ozu_avif_open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  self->is_refused = find_excess(base, info);
  self->copy = ozu_avif_without_other_tracks(base->data, base->size);
  avifResult result = parse(self, AVIF_DECODER_SOURCE_AUTO, false, false);
  // A gain map that the library refuses makes the whole file fail, though not the library applies it but Ozu. So do
  // broken or truncated metadata. The picture is tried again without them.
  if (result != AVIF_RESULT_OK && hide_gain_map(self)) result = parse(self, AVIF_DECODER_SOURCE_AUTO, false, false);
  if (result != AVIF_RESULT_OK) result = parse(self, AVIF_DECODER_SOURCE_AUTO, false, true);
  if (result != AVIF_RESULT_OK) result = parse(self, AVIF_DECODER_SOURCE_AUTO, true, true);
  bool has_too_many_frames =
      result != AVIF_RESULT_OK && ozu_boxes_frame_count(base->data, base->size) > OZU_LARGEST_FRAME_COUNT;
  // Most sequences also have a still picture.
  if (has_too_many_frames) result = parse(self, AVIF_DECODER_SOURCE_PRIMARY_ITEM, true, true);
  if (result != AVIF_RESULT_OK && !parse_cut_track(self))
    return self->is_refused ? OzuStatusDone : ozu_avif_fail(base, result);
  avifDecoder *decoder = self->decoder;

  const avifImage *image = decoder->image;
  // The rest of the header is for a grid that is decoded in pieces, each a file of its own. In other files the size that is
  // too large may be hidden.
  bool is_shown_whole = decoder->imageCount == 1 && !(image->transformFlags & AVIF_TRANSFORM_CLAP)
      && image->width == info->width && image->height == info->height;
  if (self->is_refused && !is_shown_whole) return OzuStatusDone;
  info->width = self->image_width = image->width;
  info->height = self->image_height = image->height;
  if (image->transformFlags & AVIF_TRANSFORM_CLAP) {
    avifDiagnostics diagnostics;
    avif.avifDiagnosticsClearError(&diagnostics);
    self->has_crop = avif.avifCropRectConvertCleanApertureBox(
        &self->crop, &image->clap, image->width, image->height, image->yuvFormat, &diagnostics);
    if (self->has_crop) {
      info->width = self->crop.width;
      info->height = self->crop.height;
      info->scratch = ozu_product(image->width, image->height, image->depth > 8 ? 8 : 4);
    }
  }
  info->orientation = orientation(image);
  info->bits = (int)image->depth;
  info->is_deep = image->depth > 8;
  info->has_alpha = decoder->alphaPresent;
  info->is_gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  info->frames = has_too_many_frames ? OZU_LARGEST_FRAME_COUNT : (uint32_t)decoder->imageCount;
  if (decoder->imageCount > 1) info->loops = OZU_AVIF_LOOPS(decoder);
  info->is_cut = self->reads_cut_file;
  if (info->is_cut) info->whole_frames = whole_frames(self);
  info->profile = image->icc.size > 0 ? image->icc.data : NULL;
  info->profile_size = image->icc.size;
  info->primaries = image->colorPrimaries;
  info->transfer = image->transferCharacteristics;
  info->exif = image->exif.size > 0 ? image->exif.data : NULL;
  info->exif_size = image->exif.size;
  info->xmp = image->xmp.size > 0 ? image->xmp.data : NULL;
  info->xmp_size = image->xmp.size;
  info->has_planes = ozu_avif_has_planes(self);
  if (image->yuvFormat != AVIF_PIXEL_FORMAT_YUV400) {
    info->chroma_columns = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV444 ? 1 : 2;
    info->chroma_rows = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? 2 : 1;
  }
  size_t planes_size = ozu_product(image->width, image->height, image->depth > 8 ? 6 : 3);
  if (__builtin_add_overflow(info->scratch, planes_size, &info->scratch)) info->scratch = SIZE_MAX;
  return OzuStatusDone;
}

#endif
