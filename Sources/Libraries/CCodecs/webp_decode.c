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
  // The rows of planes that the caller has taken.
  int taken_rows;
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

size_t ozu_webp_planes_size(uint32_t width, uint32_t height) {
  if (!is_possible(width, height)) return 0;
  return ((size_t)width + (width + 1) / 2) * ((size_t)height + height % 2);
}

// The planes share their rows, so that the rows of a part of the picture are one range of the memory: a row of luma and
// one of blue, then a row of luma and one of red.
OzuWebPDecoder *ozu_webp_plane_decoder_new(
    uint8_t *bytes, size_t size, uint32_t width, uint32_t height, bool skips_loop_filter) {
  if (bytes == NULL || !is_possible(width, height) || size < ozu_webp_planes_size(width, height)) return NULL;
  OzuWebPDecoder *decoder = new_decoder((int)width, (int)height);
  if (decoder == NULL) return NULL;
  decoder->config.options.bypass_filtering = skips_loop_filter;
  size_t bytes_per_row = (size_t)width + (width + 1) / 2;
  WebPDecBuffer *output = &decoder->config.output;
  output->colorspace = MODE_YUV;
  output->u.YUVA.y = bytes;
  output->u.YUVA.u = bytes + width;
  output->u.YUVA.v = bytes + bytes_per_row + width;
  output->u.YUVA.y_stride = (int)bytes_per_row;
  output->u.YUVA.u_stride = output->u.YUVA.v_stride = 2 * (int)bytes_per_row;
  output->u.YUVA.y_size = size;
  output->u.YUVA.u_size = size - width;
  output->u.YUVA.v_size = size - bytes_per_row - width;
  // The only way to make an incremental decoder with options; it keeps a pointer to them.
  decoder->decoder = WebPIDecode(NULL, 0, &decoder->config);
  return begun(decoder);
}

static uint8_t *moved_up(const uint8_t *plane, size_t distance) {
  // An integer, because the result may be before the memory.
  return (uint8_t *)((uintptr_t)plane - distance);
}

OzuWebPPlaneRows ozu_webp_decoder_take_rows(OzuWebPDecoder *decoder) {
  OzuWebPPlaneRows rows = {0};
  int left = 0, top = 0, width = 0, complete = 0;
  const WebPDecBuffer *buffer = WebPIDecodedArea(decoder->decoder, &left, &top, &width, &complete);
  if (buffer == NULL || buffer->colorspace != MODE_YUV) return rows;
  // Two rows of luma belong to one of chroma.
  int end = complete < decoder->height ? complete & ~1 : complete;
  const WebPYUVABuffer *planes = &buffer->u.YUVA;
  rows.luma_bytes_per_row = (size_t)planes->y_stride;
  rows.chroma_bytes_per_row = (size_t)planes->u_stride;
  rows.luma = planes->y + (size_t)decoder->taken_rows * rows.luma_bytes_per_row;
  size_t chroma_offset = (size_t)(decoder->taken_rows / 2) * rows.chroma_bytes_per_row;
  rows.blue = planes->u + chroma_offset;
  rows.red = planes->v + chroma_offset;
  rows.luma_count = (uint32_t)(end - decoder->taken_rows);
  rows.chroma_count = (rows.luma_count + 1) / 2;
  decoder->taken_rows = end;
  // libwebp computes the place of a row from this struct each time. If it had a copy, or if a row that is complete was
  // not taken, the next rows come behind these ones: the memory is large enough for all.
  WebPDecBuffer *output = &decoder->config.output;
  if (buffer == output && end == complete) {
    size_t distance = (size_t)rows.luma_count * rows.luma_bytes_per_row;
    output->u.YUVA.y = moved_up(output->u.YUVA.y, distance);
    output->u.YUVA.u = moved_up(output->u.YUVA.u, distance);
    output->u.YUVA.v = moved_up(output->u.YUVA.v, distance);
  }
  return rows;
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
