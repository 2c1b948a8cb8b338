// zlib, for the parts of PNG that libpng does not read here, and ISA-L, which inflates twice as fast.

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "CCodecs.h"
#include "isal.h"

uint32_t ozu_crc32(const uint8_t *data, size_t size) {
  uint32_t sum = crc32_gzip_refl(0, data, size);
  ozu_isal_returned();
  return sum;
}

uint32_t ozu_adler32(uint32_t sum, const uint8_t *data, size_t size) {
  sum = isal_adler32(sum, data, size);
  ozu_isal_returned();
  return sum;
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
  struct inflate_state state;
};

OzuInflater *ozu_inflater_new(void) {
  // ISA-L expects that its tables are zero where it has not written them.
  OzuInflater *inflater = calloc(1, sizeof(OzuInflater));
  if (inflater == NULL) return NULL;
  isal_inflate_init(&inflater->state);
  inflater->state.crc_flag = ISAL_ZLIB;
  return inflater;
}

void ozu_inflater_free(OzuInflater *inflater) {
  free(inflater);
}

OzuStatus ozu_inflater_step(
    OzuInflater *inflater, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written) {
  // A piece is not longer than both libraries can count; the caller calls again.
  uint32_t in = input_size > 1u << 30 ? 1u << 30 : (uint32_t)input_size;
  uint32_t out = capacity > 1u << 30 ? 1u << 30 : (uint32_t)capacity;
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
}
