// Compression for PNG: by ISA-L, which is many times as fast as zlib and finds fewer repetitions, or by zlib.

#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

#include <isa-l/igzip_lib.h>

#include "CCodecs.h"
#include "isal.h"

struct OzuDeflater {
  struct isal_zstream *fast;
  uint8_t *level_buffer;
  z_stream stream;
  bool has_stream;
};

static bool start_fast(OzuDeflater *deflater) {
  deflater->fast = malloc(sizeof(struct isal_zstream));
  deflater->level_buffer = malloc(ISAL_DEF_LVL3_DEFAULT);
  if (deflater->fast == NULL || deflater->level_buffer == NULL) return false;
  isal_deflate_init(deflater->fast);
  deflater->fast->level = 3;
  deflater->fast->level_buf = deflater->level_buffer;
  deflater->fast->level_buf_size = ISAL_DEF_LVL3_DEFAULT;
  deflater->fast->gzip_flag = IGZIP_ZLIB;
  return true;
}

OzuDeflater *ozu_deflater_new(int level, bool is_filtered) {
  OzuDeflater *deflater = calloc(1, sizeof(OzuDeflater));
  if (deflater == NULL) return NULL;
  if (level == 0) {
    if (start_fast(deflater)) return deflater;
    ozu_deflater_free(deflater);
    return NULL;
  }
  int strategy = is_filtered ? Z_FILTERED : Z_DEFAULT_STRATEGY;
  int result = deflateInit2(&deflater->stream, level, Z_DEFLATED, MAX_WBITS, 8, strategy);
  deflater->has_stream = result == Z_OK;
  if (deflater->has_stream) return deflater;
  ozu_deflater_free(deflater);
  return NULL;
}

void ozu_deflater_free(OzuDeflater *deflater) {
  if (deflater == NULL) return;
  free(deflater->fast);
  free(deflater->level_buffer);
  if (deflater->has_stream) deflateEnd(&deflater->stream);
  free(deflater);
}

OzuStatus ozu_deflater_step(
    OzuDeflater *deflater, const uint8_t *input, size_t input_size, bool is_last, size_t *used,
    uint8_t *output, size_t capacity, size_t *written) {
  // A piece is not longer than both libraries can count; the caller calls again.
  uint32_t in = input_size > 1u << 30 ? 1u << 30 : (uint32_t)input_size;
  uint32_t out = capacity > 1u << 30 ? 1u << 30 : (uint32_t)capacity;
  bool ends = is_last && in == input_size;
  if (deflater->fast != NULL) {
    struct isal_zstream *stream = deflater->fast;
    stream->next_in = (uint8_t *)input;
    stream->avail_in = in;
    stream->next_out = output;
    stream->avail_out = out;
    stream->end_of_stream = ends;
    int result = isal_deflate(stream);
    ozu_isal_returned();
    *used = in - stream->avail_in;
    *written = out - stream->avail_out;
    if (result != COMP_OK) return OzuStatusFailed;
    return ends && stream->internal_state.state == ZSTATE_END ? OzuStatusDone : OzuStatusMore;
  }
  z_stream *stream = &deflater->stream;
  stream->next_in = (Bytef *)input;
  stream->avail_in = in;
  stream->next_out = output;
  stream->avail_out = out;
  int result = deflate(stream, ends ? Z_FINISH : Z_NO_FLUSH);
  *used = in - stream->avail_in;
  *written = out - stream->avail_out;
  if (result == Z_STREAM_END) return OzuStatusDone;
  return result == Z_OK || result == Z_BUF_ERROR ? OzuStatusMore : OzuStatusFailed;
}
