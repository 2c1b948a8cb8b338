// AVIF encoding through libavif.

#include "avif_library.h"

#ifdef OZU_AVIF

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCodecs.h"

// Adds the metadata blocks. The library copies them.
static avifResult add_blocks(avifImage *image, const OzuEncodeBlocks *blocks) {
  avifResult result = AVIF_RESULT_OK;
  if (blocks->exif != NULL)
    result = OZU_AVIF_RESULT(avif.avifImageSetMetadataExif(image, blocks->exif, blocks->exif_size));
  if (result == AVIF_RESULT_OK && blocks->xmp != NULL)
    result = OZU_AVIF_RESULT(avif.avifImageSetMetadataXMP(image, blocks->xmp, blocks->xmp_size));
  if (result != AVIF_RESULT_OK || blocks->profile == NULL) return result;
  // The numbers of H.273 would contradict the profile.
  image->colorPrimaries = AVIF_COLOR_PRIMARIES_UNSPECIFIED;
  image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED;
  return OZU_AVIF_RESULT(avif.avifImageSetProfileICC(image, blocks->profile, blocks->profile_size));
}

OzuStatus ozu_avif_encode(
    const OzuEncodeRequest *request, OzuBytes *file, char *message, size_t message_capacity) {
  if (!ozu_encode_request_holds(request) || request->format == OzuPixelsGray8) {
    snprintf(message, message_capacity, "rows that are too short");
    return OzuStatusFailed;
  }
  if (!ozu_dynamic_library_load(&ozu_avif_library, message, message_capacity)) return OzuStatusFailed;
  static const avifPixelFormat formats[] = {
      AVIF_PIXEL_FORMAT_YUV444, AVIF_PIXEL_FORMAT_YUV422, AVIF_PIXEL_FORMAT_YUV420};
  avifPixelFormat chroma = request->is_lossless ? AVIF_PIXEL_FORMAT_YUV444 : formats[request->chroma];
  // Every AVIF decoder reads ten bits; twelve are used only by the professional profile and for lossless pictures.
  bool is_deep = request->format == OzuPixelsRGBA16;
  avifImage *image = avif.avifImageCreate(
      (int)request->width, (int)request->height, !is_deep ? 8 : request->is_lossless ? 12 : 10, chroma);
  avifEncoder *encoder = avif.avifEncoderCreate();
  avifRWData output = AVIF_DATA_EMPTY;
  avifResult result = AVIF_RESULT_OUT_OF_MEMORY;
  if (image != NULL && encoder != NULL) {
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    image->matrixCoefficients = request->is_lossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY
                                                     : AVIF_MATRIX_COEFFICIENTS_BT601;
    if (request->transfer != 0) {
      image->colorPrimaries = (avifColorPrimaries)request->primaries;
      image->transferCharacteristics = (avifTransferCharacteristics)request->transfer;
      if (!request->is_lossless && request->primaries == AVIF_COLOR_PRIMARIES_BT2020)
        image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT2020_NCL;
    }
    image->yuvRange = AVIF_RANGE_FULL;
    avifRGBImage source;
    avif.avifRGBImageSetDefaults(&source, image);
    source.format = is_deep ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_BGRA;
    source.depth = is_deep ? 16 : 8;
    source.ignoreAlpha = !request->has_alpha;
    source.pixels = (uint8_t *)request->pixels;
    source.rowBytes = (uint32_t)request->bytes_per_row;
    encoder->maxThreads = 1;
    static const int speeds[] = {10, 6, 5};
    encoder->speed = speeds[request->effort];
    int quantizer = request->is_lossless ? 0 : (int)((1 - request->quality) * 63 + 0.5);
    encoder->minQuantizer = encoder->maxQuantizer = quantizer;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = quantizer;
    result = add_blocks(image, &request->blocks);
    if (result == AVIF_RESULT_OK) result = avif.avifImageRGBToYUV(image, &source);
    if (result == AVIF_RESULT_OK) result = avif.avifEncoderWrite(encoder, image, &output);
  }
  // libavif frees its buffer with its own function.
  if (result == AVIF_RESULT_OK && !ozu_bytes_append(file, output.data, output.size))
    result = AVIF_RESULT_OUT_OF_MEMORY;
  if (result != AVIF_RESULT_OK) snprintf(message, message_capacity, "%s", avif.avifResultToString(result));
  avif.avifRWDataFree(&output);
  if (encoder != NULL) avif.avifEncoderDestroy(encoder);
  if (image != NULL) avif.avifImageDestroy(image);
  return result == AVIF_RESULT_OK ? OzuStatusDone : OzuStatusFailed;
}

#endif
