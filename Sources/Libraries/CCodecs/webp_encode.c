// WebP encoding through libwebp.

#ifdef OZU_WEBP

#include <stdio.h>
#include <stdlib.h>

#include <webp/encode.h>

#include "CCodecs.h"

static int append(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
  return ozu_bytes_append(picture->custom_ptr, bytes, count);
}

OzuStatus ozu_webp_encode(
    const OzuEncodeRequest *request, OzuBytes *file, char *message, size_t message_capacity) {
  if (!ozu_encode_request_holds(request) || request->format != OzuPixelsBGRA8) {
    snprintf(message, message_capacity, "rows that are too short");
    return OzuStatusFailed;
  }
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) {
    snprintf(message, message_capacity, "another version of libwebp");
    return OzuStatusFailed;
  }
  if (request->is_lossless) {
    static const int levels[] = {1, 4, 7};
    WebPConfigLosslessPreset(&config, levels[request->effort]);
    config.exact = 0;
  } else {
    static const int methods[] = {2, 4, 6};
    config.quality = (float)(request->quality * 100);
    config.method = methods[request->effort];
  }
  config.thread_level = 0;
  // The conversion that compares whole pixels needs red, green and blue.
  config.use_sharp_yuv =
      !request->is_lossless && (request->chroma == OzuChromaFull || request->effort == OzuEffortHigh);
  picture.use_argb = request->is_lossless || config.use_sharp_yuv;
  picture.width = (int)request->width;
  picture.height = (int)request->height;
  picture.writer = append;
  picture.custom_ptr = file;
  int stride = (int)request->bytes_per_row;
  int is_done = (request->has_alpha ? WebPPictureImportBGRA(&picture, request->pixels, stride)
                                    : WebPPictureImportBGRX(&picture, request->pixels, stride))
      && WebPEncode(&config, &picture);
  if (!is_done) {
    // The library reports a failed write only if memory is short.
    bool is_short = picture.error_code == VP8_ENC_ERROR_BAD_WRITE || picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY;
    if (is_short)
      snprintf(message, message_capacity, "out of memory");
    else
      snprintf(message, message_capacity, "libwebp error %d", (int)picture.error_code);
    free(file->bytes);
    *file = (OzuBytes){0};
  }
  WebPPictureFree(&picture);
  return is_done ? OzuStatusDone : OzuStatusFailed;
}

#endif
