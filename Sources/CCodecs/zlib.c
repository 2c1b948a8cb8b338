// zlib, for the parts of PNG that libpng leaves to us.

#include <limits.h>
#include <string.h>

#include <zlib.h>

#include "CCodecs.h"

uint32_t ozu_crc32(const uint8_t *data, size_t size) {
  uLong sum = crc32(0, Z_NULL, 0);
  return (uint32_t)crc32_z(sum, data, size);
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
