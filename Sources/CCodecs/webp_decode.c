// WebP decoding through libwebp's incremental decoder, its only interface that can be stopped between two steps.

#ifdef OZU_WEBP

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>

#include "CCodecs.h"

struct OzuWebPDecoder {
  WebPDecoderConfig config;
  WebPIDecoder *decoder;
  int width;
  int height;
  bool has_features;
  const char *message;
};

// A decoder whose output memory is not set yet.
static OzuWebPDecoder *new_decoder(int width, int height) {
  OzuWebPDecoder *decoder = calloc(1, sizeof(OzuWebPDecoder));
  if (decoder == NULL || !WebPInitDecoderConfig(&decoder->config)) {
    free(decoder);
    return NULL;
  }
  decoder->width = width;
  decoder->height = height;
  decoder->message = "";
  decoder->config.output.is_external_memory = 1;
  decoder->config.output.width = width;
  decoder->config.output.height = height;
  return decoder;
}

// Returns the decoder if libwebp has started; otherwise frees it and returns NULL.
static OzuWebPDecoder *begun(OzuWebPDecoder *decoder) {
  if (decoder->decoder != NULL) return decoder;
  free(decoder);
  return NULL;
}

// The longest side of the format, in pixels.
enum { largest_side = 16384 };

static bool is_possible(uint32_t width, uint32_t height) {
  return width > 0 && height > 0 && width <= largest_side && height <= largest_side;
}

OzuWebPDecoder *ozu_webp_decoder_new(OzuRows rows) {
  if (!is_possible(rows.width, rows.height) || rows.bytes_per_row > INT_MAX
      || !ozu_rows_hold(&rows, rows.width, rows.height, OzuPixelsBGRA8))
    return NULL;
  OzuWebPDecoder *decoder = new_decoder((int)rows.width, (int)rows.height);
  if (decoder == NULL) return NULL;
  WebPDecBuffer *output = &decoder->config.output;
  output->colorspace = MODE_BGRA;
  output->u.RGBA.rgba = rows.bytes;
  output->u.RGBA.stride = (int)rows.bytes_per_row;
  output->u.RGBA.size = rows.bytes_per_row * (rows.height - 1) + (size_t)rows.width * 4;
  decoder->decoder = WebPINewDecoder(output);
  return begun(decoder);
}

OzuWebPDecoder *ozu_webp_plane_decoder_new(
    OzuPlaneRows luma, OzuPlaneRows blue, OzuPlaneRows red, uint32_t width, uint32_t height,
    uint32_t written_width, uint32_t written_height, bool skips_loop_filter) {
  uint32_t chroma_width = (written_width + 1) / 2, chroma_height = (written_height + 1) / 2;
  if (!is_possible(width, height) || !is_possible(written_width, written_height) || written_width > width
      || written_height > height || luma.bytes_per_row > INT_MAX || blue.bytes_per_row > INT_MAX
      || blue.bytes_per_row != red.bytes_per_row || !ozu_plane_rows_hold(&luma, written_width, written_height)
      || !ozu_plane_rows_hold(&blue, chroma_width, chroma_height)
      || !ozu_plane_rows_hold(&red, chroma_width, chroma_height))
    return NULL;
  OzuWebPDecoder *decoder = new_decoder((int)width, (int)height);
  if (decoder == NULL) return NULL;
  decoder->config.options.bypass_filtering = skips_loop_filter;
  if (written_width != width || written_height != height) {
    decoder->config.options.use_scaling = 1;
    decoder->config.options.scaled_width = (int)written_width;
    decoder->config.options.scaled_height = (int)written_height;
    decoder->config.output.width = (int)written_width;
    decoder->config.output.height = (int)written_height;
  }
  WebPDecBuffer *output = &decoder->config.output;
  output->colorspace = MODE_YUV;
  output->u.YUVA.y = luma.bytes;
  output->u.YUVA.u = blue.bytes;
  output->u.YUVA.v = red.bytes;
  output->u.YUVA.y_stride = (int)luma.bytes_per_row;
  output->u.YUVA.u_stride = output->u.YUVA.v_stride = (int)blue.bytes_per_row;
  output->u.YUVA.y_size = luma.bytes_per_row * written_height;
  output->u.YUVA.u_size = output->u.YUVA.v_size = blue.bytes_per_row * chroma_height;
  // The only way to make an incremental decoder with options; it keeps a pointer to them.
  decoder->decoder = WebPIDecode(NULL, 0, &decoder->config);
  return begun(decoder);
}

void ozu_webp_decoder_free(OzuWebPDecoder *decoder) {
  if (decoder == NULL) return;
  WebPIDelete(decoder->decoder);
  WebPFreeDecBuffer(&decoder->config.output);
  free(decoder);
}

static const char *message(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY: return "out of memory";
    case VP8_STATUS_BITSTREAM_ERROR: return "the coded data break the rules";
    case VP8_STATUS_UNSUPPORTED_FEATURE: return "a feature that libwebp does not read";
    case VP8_STATUS_INVALID_PARAM: return "the picture is not of the announced size";
    default: return "libwebp reports another error";
  }
}

OzuStatus ozu_webp_decoder_decode(OzuWebPDecoder *decoder, const uint8_t *data, size_t size) {
  if (!decoder->has_features) {
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(data, size, &features);
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) return OzuStatusMore;
    if (status == VP8_STATUS_OK && (features.width != decoder->width || features.height != decoder->height))
      status = VP8_STATUS_INVALID_PARAM;
    if (status != VP8_STATUS_OK) {
      decoder->message = message(status);
      return OzuStatusFailed;
    }
    decoder->has_features = true;
  }
  VP8StatusCode status = WebPIUpdate(decoder->decoder, data, size);
  if (status == VP8_STATUS_OK) return OzuStatusDone;
  if (status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_NOT_ENOUGH_DATA) return OzuStatusMore;
  decoder->message = message(status);
  return OzuStatusFailed;
}

int ozu_webp_decoder_rows(const OzuWebPDecoder *decoder) {
  int last_y = 0;
  return WebPIDecGetRGB(decoder->decoder, &last_y, NULL, NULL, NULL) == NULL ? 0 : last_y;
}

const char *ozu_webp_decoder_message(const OzuWebPDecoder *decoder) { return decoder->message; }

#endif
