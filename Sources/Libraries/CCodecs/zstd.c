// zstd, for renditions that must keep every pixel.

#include <zstd.h>

#include "CCodecs.h"

size_t ozu_zstd_bound(size_t size) { return ZSTD_compressBound(size); }

size_t ozu_zstd_compress(const uint8_t *data, size_t size, uint8_t *output, size_t capacity, int level) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  if (context == NULL) return 0;
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  size_t count = ZSTD_compress2(context, output, capacity, data, size);
  ZSTD_freeCCtx(context);
  return ZSTD_isError(count) ? 0 : count;
}

bool ozu_zstd_decompress(const uint8_t *data, size_t size, uint8_t *output, size_t output_size) {
  if (ZSTD_getFrameContentSize(data, size) != output_size) return false;
  if (ZSTD_findFrameCompressedSize(data, size) != size) return false;
  return ZSTD_decompress(output, output_size, data, size) == output_size;
}
