// WebP encoding through libwebp.

#ifdef OZU_WEBP

#include <stdio.h>
#include <stdlib.h>

#include <webp/encode.h>

#include "CCodecs.h"

OzuStatus ozu_webp_encode(
    const OzuEncodeRequest *request, uint8_t **file, size_t *size, char *message, size_t message_capacity) {
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) {
    snprintf(message, message_capacity, "another version of libwebp");
    return OzuStatusFailed;
  }
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  if (request->is_lossless) {
    WebPConfigLosslessPreset(&config, 4);
    config.exact = 0;
  } else {
    config.quality = (float)(request->quality * 100);
  }
  config.thread_level = 0;
  picture.use_argb = request->is_lossless;
  picture.width = (int)request->width;
  picture.height = (int)request->height;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  int stride = (int)request->width * 4;
  int is_done = (request->has_alpha ? WebPPictureImportBGRA(&picture, request->pixels, stride)
                                    : WebPPictureImportBGRX(&picture, request->pixels, stride))
      && WebPEncode(&config, &picture);
  if (!is_done) snprintf(message, message_capacity, "libwebp error %d", (int)picture.error_code);
  WebPPictureFree(&picture);
  if (!is_done) {
    WebPMemoryWriterClear(&writer);
    return OzuStatusFailed;
  }
  *file = writer.mem;
  *size = writer.size;
  return OzuStatusDone;
}

#endif
