// Animated WebP through libwebpmux, which finds the changed area of each frame.

#ifdef OZU_WEBP

#include <stdio.h>
#include <stdlib.h>

#include <webp/encode.h>
#include <webp/mux.h>

#include "CCodecs.h"

struct OzuWebPAnimation {
  WebPAnimEncoder *encoder;
  WebPConfig config;
  uint32_t width;
  uint32_t height;
  char message[256];
};

static OzuStatus fail(OzuWebPAnimation *animation, const char *reason) {
  // The library has no message for an animation that is finished.
  snprintf(animation->message, sizeof animation->message, "%s", reason == NULL ? "it is finished" : reason);
  return OzuStatusFailed;
}

OzuWebPAnimation *ozu_webp_animation_new(const OzuWebPAnimationRequest *request) {
  if (request->width == 0 || request->height == 0 || request->width > WEBP_MAX_DIMENSION
      || request->height > WEBP_MAX_DIMENSION)
    return NULL;
  OzuWebPAnimation *animation = calloc(1, sizeof *animation);
  if (animation == NULL) return NULL;
  animation->width = request->width;
  animation->height = request->height;
  WebPAnimEncoderOptions options;
  if (!WebPConfigInit(&animation->config) || !WebPAnimEncoderOptionsInit(&options)) {
    free(animation);
    return NULL;
  }
  if (request->is_lossless) {
    static const int levels[] = {1, 4, 7};
    WebPConfigLosslessPreset(&animation->config, levels[request->effort]);
  } else {
    static const int methods[] = {2, 4, 6};
    animation->config.quality = (float)(request->quality * 100);
    animation->config.method = methods[request->effort];
    animation->config.use_sharp_yuv = request->effort == OzuEffortHigh;
    // Encodes each frame both lossy and lossless, at twice the time, and keeps the smaller one.
    options.allow_mixed = request->effort == OzuEffortHigh;
  }
  animation->config.thread_level = 0;
  options.anim_params.loop_count = request->loop_count;
  // The values of gif2webp: a player that seeks starts again at most this number of frames earlier, and the library
  // holds at most `kmax - kmin + 1` frames twice, encoded.
  options.kmin = request->is_lossless ? 9 : 3;
  options.kmax = request->is_lossless ? 17 : 5;
  animation->encoder = WebPAnimEncoderNew((int)request->width, (int)request->height, &options);
  if (animation->encoder == NULL) {
    free(animation);
    return NULL;
  }
  return animation;
}

void ozu_webp_animation_free(OzuWebPAnimation *animation) {
  if (animation == NULL) return;
  WebPAnimEncoderDelete(animation->encoder);
  free(animation);
}

OzuStatus ozu_webp_animation_add(
    OzuWebPAnimation *animation, const uint8_t *pixels, size_t bytes_per_row, uint32_t width, uint32_t height,
    bool has_alpha, int32_t start) {
  if (pixels == NULL || width != animation->width || height != animation->height
      || bytes_per_row / 4 < width || bytes_per_row > INT32_MAX)
    return fail(animation, "rows that are too short");
  WebPPicture picture;
  if (!WebPPictureInit(&picture)) return fail(animation, "another version of libwebp");
  // The library compares frames as ARGB, whatever it writes.
  picture.use_argb = 1;
  picture.width = (int)width;
  picture.height = (int)height;
  int stride = (int)bytes_per_row;
  bool is_done = has_alpha ? WebPPictureImportBGRA(&picture, pixels, stride)
                           : WebPPictureImportBGRX(&picture, pixels, stride);
  if (!is_done)
    fail(animation, "out of memory");
  else if (!WebPAnimEncoderAdd(animation->encoder, &picture, start, &animation->config)) {
    is_done = false;
    fail(
        animation, picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ? "out of memory"
                                                                     : WebPAnimEncoderGetError(animation->encoder));
  }
  WebPPictureFree(&picture);
  return is_done ? OzuStatusDone : OzuStatusFailed;
}

OzuStatus ozu_webp_animation_finish(OzuWebPAnimation *animation, int32_t end, OzuBytes *file) {
  WebPData data;
  WebPDataInit(&data);
  if (!WebPAnimEncoderAdd(animation->encoder, NULL, end, NULL)
      || !WebPAnimEncoderAssemble(animation->encoder, &data))
    return fail(animation, WebPAnimEncoderGetError(animation->encoder));
  // The library frees its block, so the bytes are copied. Its frames are freed before that.
  WebPAnimEncoderDelete(animation->encoder);
  animation->encoder = NULL;
  bool is_done = ozu_bytes_append(file, data.bytes, data.size);
  WebPDataClear(&data);
  return is_done ? OzuStatusDone : fail(animation, "out of memory");
}

const char *ozu_webp_animation_message(const OzuWebPAnimation *animation) { return animation->message; }

#endif
