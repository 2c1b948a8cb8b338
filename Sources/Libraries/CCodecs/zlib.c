// zlib, for the parts of PNG that libpng does not read here, and ISA-L, which inflates twice as fast.

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#ifdef OZU_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif

#include "CCodecs.h"
#include "isal.h"

uint32_t ozu_crc32(const uint8_t *data, size_t size) {
#ifdef OZU_ISAL
  uint32_t sum = crc32_gzip_refl(0, data, size);
  ozu_isal_returned();
  return sum;
#else
  uLong sum = crc32(0, Z_NULL, 0);
  return (uint32_t)crc32_z(sum, data, size);
#endif
}

uint32_t ozu_adler32(uint32_t sum, const uint8_t *data, size_t size) {
#ifdef OZU_ISAL
  sum = isal_adler32(sum, data, size);
  ozu_isal_returned();
  return sum;
#else
  return (uint32_t)adler32_z(sum, data, size);
#endif
}

OzuStatus ozu_inflate(
    const uint8_t *data, size_t size, uint8_t *output, size_t capacity, size_t *written) {
  z_stream stream;
  memset(&stream, 0, sizeof(stream));
  *written = 0;
  if (size > UINT_MAX || capacity > UINT_MAX || inflateInit(&stream) != Z_OK) return OzuStatusFailed;
  stream.next_in = (Bytef *)data;
  stream.avail_in = (uInt)size;
  stream.next_out = output;
  stream.avail_out = (uInt)capacity;
  int result = inflate(&stream, Z_FINISH);
  *written = capacity - stream.avail_out;
  uInt room = stream.avail_out;
  inflateEnd(&stream);
  if (result == Z_STREAM_END) return OzuStatusDone;
  if (result != Z_BUF_ERROR && result != Z_OK) return OzuStatusFailed;
  return room == 0 ? OzuStatusMore : OzuStatusTruncated;
}

struct OzuInflater {
#ifdef OZU_ISAL
  struct inflate_state state;
#else
  z_stream stream;
#endif
};

OzuInflater *ozu_inflater_new(void) {
  // ISA-L expects that its tables are zero where it has not written them.
  OzuInflater *inflater = calloc(1, sizeof(OzuInflater));
  if (inflater == NULL) return NULL;
#ifdef OZU_ISAL
  isal_inflate_init(&inflater->state);
  inflater->state.crc_flag = ISAL_ZLIB;
#else
  if (inflateInit(&inflater->stream) != Z_OK) {
    free(inflater);
    return NULL;
  }
#endif
  return inflater;
}

void ozu_inflater_free(OzuInflater *inflater) {
  if (inflater == NULL) return;
#ifndef OZU_ISAL
  inflateEnd(&inflater->stream);
#endif
  free(inflater);
}

OzuStatus ozu_inflater_step(
    OzuInflater *inflater, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written) {
  // A piece is not longer than both libraries can count; the caller calls again.
  uint32_t in = input_size > 1u << 30 ? 1u << 30 : (uint32_t)input_size;
  uint32_t out = capacity > 1u << 30 ? 1u << 30 : (uint32_t)capacity;
#ifdef OZU_ISAL
  struct inflate_state *state = &inflater->state;
  state->next_in = (uint8_t *)input;
  state->avail_in = in;
  state->next_out = output;
  state->avail_out = out;
  int result = isal_inflate(state);
  ozu_isal_returned();
  *used = in - state->avail_in;
  *written = out - state->avail_out;
  if (result < 0 || result == ISAL_NEED_DICT) return OzuStatusFailed;
  return state->block_state == ISAL_BLOCK_FINISH ? OzuStatusDone : OzuStatusMore;
#else
  inflater->stream.next_in = (Bytef *)input;
  inflater->stream.avail_in = in;
  inflater->stream.next_out = output;
  inflater->stream.avail_out = out;
  int result = inflate(&inflater->stream, Z_NO_FLUSH);
  *used = in - inflater->stream.avail_in;
  *written = out - inflater->stream.avail_out;
  if (result == Z_STREAM_END) return OzuStatusDone;
  return result == Z_OK || result == Z_BUF_ERROR ? OzuStatusMore : OzuStatusFailed;
#endif
}
