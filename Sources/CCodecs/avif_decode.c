// AVIF decoding through libavif, with dav1d for the pixels. libavif decodes a frame in one call, which cannot be
// stopped; so the size of the frame is checked against the limits first.

#ifdef OZU_AVIF

#include <stdio.h>

#include "avif_boxes.h"
#include "avif_library.h"
#include "picture.h"

// The name changes with each version of libavif that breaks binary compatibility.
#if AVIF_VERSION_MAJOR >= 1
#define SONAME "libavif.so.16"
#elif AVIF_VERSION_MINOR >= 11
#define SONAME "libavif.so.15"
#else
#error "libavif 0.11 or newer is needed"
#endif

OZU_DEFINE_LIBRARY(avif, OZU_AVIF_FUNCTIONS, "Read and write AVIF", SONAME)

typedef struct {
  OzuPictureDecoder base;
  avifDecoder *decoder;
  // The size of the whole picture, before the crop.
  uint32_t image_width;
  uint32_t image_height;
  avifCropRect crop;
  bool has_crop;
  uint32_t frame;
  bool has_frame;
  // The file without the tracks that the library does not support; NULL if it has none.
  uint8_t *copy;
  // Whether the header declares more than the limits allow. Then only the size is known.
  bool is_refused;
} AVIFDecoder;

// Whether some box at the top level has an open end, which is allowed and which libavif does not read.
static bool has_endless_box(const OzuPictureDecoder *base) {
  size_t at = 0;
  while (base->size >= 8 && at <= base->size - 8) {
    const uint8_t *box = base->data + at;
    size_t length = (size_t)box[0] << 24 | (size_t)box[1] << 16 | (size_t)box[2] << 8 | box[3];
    if (length == 0) return true;
    if (length < 8) return false;
    at += length;
  }
  return false;
}

static OzuStatus fail(OzuPictureDecoder *base, avifResult result) {
  if (result == AVIF_RESULT_BMFF_PARSE_FAILED && has_endless_box(base)) {
    base->is_unsupported = true;
    return ozu_picture_fail(base, "a box reaches to the end of the file");
  }
  switch (result) {
    case AVIF_RESULT_TRUNCATED_DATA:
      ozu_picture_fail(base, avifResultToString(result));
      return OzuStatusTruncated;
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NOT_IMPLEMENTED: base->is_unsupported = true; break;
    default: break;
  }
  const avifDecoder *decoder = ((AVIFDecoder *)base)->decoder;
  if (decoder == NULL || decoder->diag.error[0] == 0) return ozu_picture_fail(base, avifResultToString(result));
  char message[sizeof(base->message)];
  snprintf(message, sizeof(message), "%s: %s", avifResultToString(result), decoder->diag.error);
  return ozu_picture_fail(base, message);
}

// Takes the size from the library's error about a picture that is over the limits, so that the caller's own check
// can report it.
static bool find_refused_size(AVIFDecoder *self, OzuPictureInfo *info) {
  const char *size = self->decoder == NULL ? NULL : strrchr(self->decoder->diag.error, '[');
  if (size == NULL || strstr(self->decoder->diag.error, "too large") == NULL) return false;
  self->is_refused = sscanf(size, "[%u x%u]", &info->width, &info->height) == 2;
  return self->is_refused;
}

// The turn and the mirror of a file as one orientation of EXIF. The mirror is applied after the turn (ISO/IEC
// 23000-22), and the turn is anticlockwise.
static int orientation(const avifImage *image) {
  int turn = (image->transformFlags & AVIF_TRANSFORM_IROT) ? image->irot.angle & 3 : 0;
  static const int turned[4] = {1, 8, 3, 6};
  // Mirrored top to bottom, and left to right.
  static const int flipped[2][4] = {{4, 5, 2, 7}, {2, 7, 4, 5}};
  if (!(image->transformFlags & AVIF_TRANSFORM_IMIR)) return turned[turn];
  return flipped[image->imir.mode & 1][turn];
}

// Whether luma and chroma can be returned: not for pictures that are cropped or blended, or that are not YCbCr.
static bool has_planes(const AVIFDecoder *self) {
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

static avifResult parse(AVIFDecoder *self, avifDecoderSource source, bool ignores_exif, bool ignores_xmp) {
  const OzuPictureDecoder *base = &self->base;
  avifDecoder *decoder = avifDecoderCreate();
  if (decoder == NULL) return AVIF_RESULT_OUT_OF_MEMORY;
  if (self->decoder != NULL) avifDecoderDestroy(self->decoder);
  self->decoder = decoder;
  if (avifCodecName(AVIF_CODEC_CHOICE_DAV1D, AVIF_CODEC_FLAG_CAN_DECODE) != NULL)
    decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
  decoder->maxThreads = 1;
  decoder->ignoreExif = ignores_exif;
  decoder->requestedSource = source;
  decoder->ignoreXMP = ignores_xmp;
  // Many files do not repeat the size of the picture for alpha.
  decoder->strictFlags = AVIF_STRICT_CLAP_VALID;
  // The library's limit has 32 bits; the caller checks the exact limit and reports it.
  decoder->imageSizeLimit = base->limits.pixels < AVIF_DEFAULT_IMAGE_SIZE_LIMIT
      ? (uint32_t)base->limits.pixels : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
  decoder->imageDimensionLimit = base->limits.side;
  decoder->imageCountLimit = OZU_LARGEST_FRAME_COUNT;
  avifResult result = avifDecoderSetIOMemory(decoder, self->copy == NULL ? base->data : self->copy, base->size);
  return result == AVIF_RESULT_OK ? avifDecoderParse(decoder) : result;
}

static OzuStatus open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  const char *objection = ozu_avif_objection(base->data, base->size, &base->is_unsupported);
  if (objection != NULL) return ozu_picture_fail(base, objection);
  self->copy = ozu_avif_without_other_tracks(base->data, base->size);
  avifResult result = parse(self, AVIF_DECODER_SOURCE_AUTO, false, false);
  // Broken or truncated metadata make the whole file fail: the picture is tried again without them.
  if (result != AVIF_RESULT_OK) result = parse(self, AVIF_DECODER_SOURCE_AUTO, false, true);
  if (result != AVIF_RESULT_OK) result = parse(self, AVIF_DECODER_SOURCE_AUTO, true, true);
  bool has_too_many_frames =
      result != AVIF_RESULT_OK && self->decoder != NULL
      && strstr(self->decoder->diag.error, "imageCountLimit") != NULL;
  // Most sequences also have a still picture.
  if (has_too_many_frames) result = parse(self, AVIF_DECODER_SOURCE_PRIMARY_ITEM, true, true);
  if (result != AVIF_RESULT_OK) return find_refused_size(self, info) ? OzuStatusDone : fail(base, result);
  avifDecoder *decoder = self->decoder;

  const avifImage *image = decoder->image;
  info->width = self->image_width = image->width;
  info->height = self->image_height = image->height;
  if (image->transformFlags & AVIF_TRANSFORM_CLAP) {
    avifDiagnostics diagnostics;
    avifDiagnosticsClearError(&diagnostics);
    self->has_crop = avifCropRectConvertCleanApertureBox(
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
  info->profile = image->icc.size > 0 ? image->icc.data : NULL;
  info->profile_size = image->icc.size;
  info->primaries = image->colorPrimaries;
  info->transfer = image->transferCharacteristics;
  info->exif = image->exif.size > 0 ? image->exif.data : NULL;
  info->exif_size = image->exif.size;
  info->xmp = image->xmp.size > 0 ? image->xmp.data : NULL;
  info->xmp_size = image->xmp.size;
  info->has_planes = has_planes(self);
  if (image->yuvFormat != AVIF_PIXEL_FORMAT_YUV400) {
    info->chroma_columns = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV444 ? 1 : 2;
    info->chroma_rows = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? 2 : 1;
  }
  size_t planes_size = ozu_product(image->width, image->height, image->depth > 8 ? 6 : 3);
  if (__builtin_add_overflow(info->scratch, planes_size, &info->scratch)) info->scratch = SIZE_MAX;
  return OzuStatusDone;
}

static OzuStatus select_frame(OzuPictureDecoder *base, uint32_t frame) {
  ((AVIFDecoder *)base)->frame = frame;
  ((AVIFDecoder *)base)->has_frame = false;
  return OzuStatusDone;
}

static OzuStatus delay(OzuPictureDecoder *base, uint32_t frame, double *milliseconds) {
  avifImageTiming timing;
  avifResult result = avifDecoderNthImageTiming(((AVIFDecoder *)base)->decoder, frame, &timing);
  if (result != AVIF_RESULT_OK) return fail(base, result);
  *milliseconds = timing.duration * 1000;
  return OzuStatusDone;
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  if (self->is_refused) return ozu_picture_fail(base, "it is larger than the limits allow");
  if (!self->has_frame) {
    avifResult result = avifDecoderNthImage(self->decoder, self->frame);
    if (result != AVIF_RESULT_OK) return fail(base, result);
    self->has_frame = true;
    return OzuStatusMore;
  }
  avifImage *image = self->decoder->image;
  if (image->width != self->image_width || image->height != self->image_height)
    return ozu_picture_fail(base, "a frame of another size than the picture");
  avifRGBImage target;
  avifRGBImageSetDefaults(&target, image);
  size_t pixel_size = base->makes_deep ? 8 : 4;
  target.format = base->makes_deep ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_BGRA;
  target.depth = base->makes_deep ? 16 : 8;
  target.alphaPremultiplied = AVIF_FALSE;
  uint8_t *whole = NULL;
  if (self->has_crop) {
    if (self->crop.x + self->crop.width > image->width || self->crop.y + self->crop.height > image->height)
      return ozu_picture_fail(base, "a frame smaller than its clean aperture");
    whole = malloc(ozu_product(image->width, image->height, pixel_size));
    if (whole == NULL) return ozu_picture_fail(base, "out of memory");
    target.pixels = whole;
    target.rowBytes = image->width * (uint32_t)pixel_size;
  } else {
    target.pixels = pixels;
    target.rowBytes = (uint32_t)bytes_per_row;
  }
  avifResult result = avifImageYUVToRGB(image, &target);
  for (uint32_t y = 0; whole != NULL && result == AVIF_RESULT_OK && y < self->crop.height; y++)
    memcpy(
        pixels + y * bytes_per_row,
        whole + ((size_t)(self->crop.y + y) * image->width + self->crop.x) * pixel_size,
        (size_t)self->crop.width * pixel_size);
  free(whole);
  return result == AVIF_RESULT_OK ? OzuStatusDone : fail(base, result);
}

static OzuStatus planes(OzuPictureDecoder *base, OzuPicturePlanes *planes) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  if (self->is_refused) return ozu_picture_fail(base, "it is larger than the limits allow");
  avifPixelFormat announced = self->decoder->image->yuvFormat;
  uint32_t depth = self->decoder->image->depth;
  avifResult result = avifDecoderNthImage(self->decoder, self->frame);
  if (result != AVIF_RESULT_OK) return fail(base, result);
  const avifImage *image = self->decoder->image;
  if (image->yuvFormat != announced || image->depth != depth || !has_planes(self))
    return ozu_picture_fail(base, "pixels of another kind than announced");
  for (int i = 0; i < 3; i++) {
    planes->samples[i] = image->yuvPlanes[i];
    planes->bytes_per_row[i] = image->yuvRowBytes[i];
  }
  planes->width = image->width;
  planes->height = image->height;
  planes->bits = (int)image->depth;
  planes->is_full_range = image->yuvRange == AVIF_RANGE_FULL;
  planes->matrix = image->matrixCoefficients;
  bool lacks_chroma = image->yuvPlanes[1] == NULL || image->yuvPlanes[2] == NULL;
  if (image->yuvPlanes[0] == NULL || (lacks_chroma && announced != AVIF_PIXEL_FORMAT_YUV400))
    return ozu_picture_fail(base, "a plane is missing");
  return OzuStatusDone;
}

static void close_decoder(OzuPictureDecoder *base) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  if (self->decoder != NULL) avifDecoderDestroy(self->decoder);
  free(self->copy);
}

OzuPictureDecoder *ozu_avif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  static const OzuPictureOperations operations = {
      open, step, close_decoder, select_frame, delay, planes, .library = &ozu_avif_library};
  return ozu_picture_new(sizeof(AVIFDecoder), &operations, data, size, limits);
}

#endif
