// AVIF decoding through libavif, with dav1d for the pixels. libavif decodes a frame in one call, which cannot be
// stopped; so the size of the frame is checked against the limits first.

#include "avif_library.h"

#ifdef OZU_AVIF

#include "avif_decoder.h"

OZU_DEFINE_LIBRARY(avif, OZU_AVIF_FUNCTIONS, "Read and write AVIF", OZU_AVIF_SONAME)

static OzuStatus select_frame(OzuPictureDecoder *base, uint32_t frame) {
  ((AVIFDecoder *)base)->frame = frame;
  ((AVIFDecoder *)base)->has_frame = false;
  return OzuStatusDone;
}

static OzuStatus delay(OzuPictureDecoder *base, uint32_t frame, double *milliseconds) {
  avifImageTiming timing;
  avifResult result = avif.avifDecoderNthImageTiming(((AVIFDecoder *)base)->decoder, frame, &timing);
  if (result != AVIF_RESULT_OK) return ozu_avif_fail(base, result);
  *milliseconds = timing.duration * 1000;
  return OzuStatusDone;
}

// The caller's limits allow the picture, or it would not have come here.
static OzuStatus refuse(OzuPictureDecoder *base) {
  base->is_unsupported = true;
  return ozu_picture_fail(base, "it has more pixels than libavif reads");
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  if (self->is_refused) return refuse(base);
  if (!self->has_frame) {
    avifResult result = avif.avifDecoderNthImage(self->decoder, self->frame);
    if (result != AVIF_RESULT_OK) return ozu_avif_fail(base, result);
    self->has_frame = true;
    return OzuStatusMore;
  }
  avifImage *image = self->decoder->image;
  if (image->width != self->image_width || image->height != self->image_height)
    return ozu_picture_fail(base, "a frame of another size than the picture");
  avifRGBImage target;
  avif.avifRGBImageSetDefaults(&target, image);
  size_t pixel_size = base->makes_deep ? 8 : 4;
  target.format = base->makes_deep ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_BGRA;
  target.depth = base->makes_deep ? 16 : 8;
  target.alphaPremultiplied = AVIF_FALSE;
  // For 12 bits libavif 0.11 would otherwise choose a conversion of libyuv that repeats chroma in blocks.
  if (image->depth > 10) target.chromaUpsampling = AVIF_CHROMA_UPSAMPLING_BILINEAR;
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
  avifResult result = avif.avifImageYUVToRGB(image, &target);
  for (uint32_t y = 0; whole != NULL && result == AVIF_RESULT_OK && y < self->crop.height; y++)
    memcpy(
        pixels + y * bytes_per_row,
        whole + ((size_t)(self->crop.y + y) * image->width + self->crop.x) * pixel_size,
        (size_t)self->crop.width * pixel_size);
  free(whole);
  return result == AVIF_RESULT_OK ? OzuStatusDone : ozu_avif_fail(base, result);
}

static OzuStatus planes(OzuPictureDecoder *base, OzuPicturePlanes *planes) {
  AVIFDecoder *self = (AVIFDecoder *)base;
  if (self->is_refused) return refuse(base);
  avifPixelFormat announced = self->decoder->image->yuvFormat;
  uint32_t depth = self->decoder->image->depth;
  avifResult result = avif.avifDecoderNthImage(self->decoder, self->frame);
  if (result != AVIF_RESULT_OK) return ozu_avif_fail(base, result);
  const avifImage *image = self->decoder->image;
  if (image->yuvFormat != announced || image->depth != depth || !ozu_avif_has_planes(self))
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
  if (self->decoder != NULL) avif.avifDecoderDestroy(self->decoder);
  free(self->copy);
}

OzuPictureDecoder *ozu_avif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  static const OzuPictureOperations operations = {
      ozu_avif_open, step, close_decoder, select_frame, delay, planes, .library = &ozu_avif_library};
  return ozu_picture_new(sizeof(AVIFDecoder), &operations, data, size, limits);
}

#endif
