// Only for Linux. On other systems the system's own client decodes content codings.
#ifdef __linux__

#include "ozu_content_coding.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

// RFC 9659 §3: a sender must not use a window larger than 8 MB, so a receiver need not support more.
static const int maximum_zstd_window_log = 23;

enum State {
  // Collects the first bytes of the coding, or of the next member or frame.
  Sniffing,
  Running,
  Ended,
};

struct OzuCoding {
  OzuCodingKind kind;
  enum State state;
  // Whether a member or a frame has already ended.
  bool has_ended_once;
  // The bytes that identify the next member or frame, and the number of them that the library has taken.
  uint8_t head[4];
  size_t head_size, head_wanted, head_used;
  z_stream zlib;
  bool has_zlib;
  BrotliDecoderState *brotli;
  ZSTD_DStream *zstd;
};

OzuCoding *ozu_coding_new(OzuCodingKind kind) {
  OzuCoding *coding = calloc(1, sizeof(OzuCoding));
  if (coding == NULL) return NULL;
  coding->kind = kind;
  coding->state = Sniffing;
  switch (kind) {
    case OzuCodingKindGzip:
    case OzuCodingKindDeflate:
      coding->head_wanted = 2;
      return coding;
    case OzuCodingKindBrotli:
      coding->state = Running;
      coding->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
      if (coding->brotli != NULL) return coding;
      break;
    case OzuCodingKindZstd:
      coding->head_wanted = 4;
      coding->zstd = ZSTD_createDStream();
      if (coding->zstd != NULL &&
          !ZSTD_isError(ZSTD_DCtx_setParameter(coding->zstd, ZSTD_d_windowLogMax, maximum_zstd_window_log))) {
        return coding;
      }
      break;
  }
  ozu_coding_free(coding);
  return NULL;
}

void ozu_coding_free(OzuCoding *coding) {
  if (coding == NULL) return;
  if (coding->has_zlib) inflateEnd(&coding->zlib);
  if (coding->brotli != NULL) BrotliDecoderDestroyInstance(coding->brotli);
  ZSTD_freeDStream(coding->zstd);
  free(coding);
}

bool ozu_coding_is_whole(const OzuCoding *coding) {
  return coding->state == Ended || (coding->state == Sniffing && coding->has_ended_once);
}

static bool is_gzip(const uint8_t *head) { return head[0] == 0x1F && head[1] == 0x8B; }

// RFC 1950 §2.2: deflate, a window of at most 32 KB, and a check value.
static bool is_zlib(const uint8_t *head) {
  return (head[0] & 0x0F) == 8 && head[0] >> 4 <= 7 && (head[0] << 8 | head[1]) % 31 == 0;
}

// RFC 8878 §3.1.1 and §3.1.2.
static bool is_zstd(const uint8_t *head) {
  bool is_frame = head[0] == 0x28 && head[1] == 0xB5 && head[2] == 0x2F && head[3] == 0xFD;
  bool is_skippable = head[0] >> 4 == 5 && head[1] == 0x2A && head[2] == 0x4D && head[3] == 0x18;
  return is_frame || is_skippable;
}

// Begins the member or frame that the first bytes identify. Unknown bytes after an end are ignored, as browsers do.
static OzuCodingStatus begin(OzuCoding *coding) {
  bool is_next;
  // The window bits for zlib; 32 lets zlib detect the format.
  int window = MAX_WBITS + 32;
  switch (coding->kind) {
    case OzuCodingKindZstd:
      is_next = is_zstd(coding->head);
      break;
    case OzuCodingKindGzip:
      is_next = is_gzip(coding->head) || (!coding->has_ended_once && is_zlib(coding->head));
      break;
    default:
      is_next = !coding->has_ended_once;
      if (!is_zlib(coding->head) && !is_gzip(coding->head)) window = -MAX_WBITS;
      break;
  }
  if (!is_next) {
    if (!coding->has_ended_once) return OzuCodingStatusCorrupt;
    coding->state = Ended;
    return OzuCodingStatusEnded;
  }
  if (coding->kind != OzuCodingKindZstd) {
    int result = coding->has_zlib ? inflateReset2(&coding->zlib, window) : inflateInit2(&coding->zlib, window);
    if (result != Z_OK) return OzuCodingStatusNoMemory;
    coding->has_zlib = true;
  }
  coding->state = Running;
  return OzuCodingStatusMore;
}

// A member or a frame has ended; another one may follow (RFC 1952 §2.2, RFC 8878 §3).
static OzuCodingStatus end(OzuCoding *coding) {
  coding->has_ended_once = true;
  coding->head_size = coding->head_used = 0;
  bool has_members = coding->kind == OzuCodingKindGzip || coding->kind == OzuCodingKindZstd;
  coding->state = has_members ? Sniffing : Ended;
  return has_members ? OzuCodingStatusMore : OzuCodingStatusEnded;
}

static OzuCodingStatus run_zlib(
    OzuCoding *coding, const uint8_t **input, size_t *size, uint8_t **output, size_t *room) {
  z_stream *stream = &coding->zlib;
  uInt in = *size > UINT_MAX ? UINT_MAX : (uInt)*size, out = *room > UINT_MAX ? UINT_MAX : (uInt)*room;
  stream->next_in = (Bytef *)*input;
  stream->avail_in = in;
  stream->next_out = *output;
  stream->avail_out = out;
  int result = inflate(stream, Z_NO_FLUSH);
  *input += in - stream->avail_in;
  *size -= in - stream->avail_in;
  *output += out - stream->avail_out;
  *room -= out - stream->avail_out;
  switch (result) {
    case Z_STREAM_END: return end(coding);
    case Z_OK:
    case Z_BUF_ERROR: return *room == 0 ? OzuCodingStatusFull : OzuCodingStatusMore;
    case Z_MEM_ERROR: return OzuCodingStatusNoMemory;
    default: return OzuCodingStatusCorrupt;
  }
}

static OzuCodingStatus run_brotli(
    OzuCoding *coding, const uint8_t **input, size_t *size, uint8_t **output, size_t *room) {
  switch (BrotliDecoderDecompressStream(coding->brotli, size, input, room, output, NULL)) {
    case BROTLI_DECODER_RESULT_SUCCESS: return end(coding);
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return OzuCodingStatusMore;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return OzuCodingStatusFull;
    default: break;
  }
  // The codes for failed allocations are at the end of the range.
  BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(coding->brotli);
  bool is_short = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
  return is_short ? OzuCodingStatusNoMemory : OzuCodingStatusCorrupt;
}

static OzuCodingStatus run_zstd(
    OzuCoding *coding, const uint8_t **input, size_t *size, uint8_t **output, size_t *room) {
  ZSTD_inBuffer in = {*input, *size, 0};
  ZSTD_outBuffer out = {*output, *room, 0};
  size_t result = ZSTD_decompressStream(coding->zstd, &out, &in);
  *input += in.pos;
  *size -= in.pos;
  *output += out.pos;
  *room -= out.pos;
  if (ZSTD_isError(result)) {
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? OzuCodingStatusNoMemory
                                                                     : OzuCodingStatusCorrupt;
  }
  if (result == 0) return end(coding);
  return *room == 0 ? OzuCodingStatusFull : OzuCodingStatusMore;
}

static OzuCodingStatus run(
    OzuCoding *coding, const uint8_t **input, size_t *size, uint8_t **output, size_t *room) {
  switch (coding->kind) {
    case OzuCodingKindBrotli: return run_brotli(coding, input, size, output, room);
    case OzuCodingKindZstd: return run_zstd(coding, input, size, output, room);
    default: return run_zlib(coding, input, size, output, room);
  }
}

OzuCodingStatus ozu_coding_step(
    OzuCoding *coding, const uint8_t *input, size_t input_size, size_t *used, uint8_t *output,
    size_t capacity, size_t *written) {
  const uint8_t *next = input;
  size_t left = input_size, room = capacity;
  OzuCodingStatus status = OzuCodingStatusMore;
  // `More` from the library continues here while there is input: after the first bytes, or in the next member.
  while (status == OzuCodingStatusMore) {
    if (coding->state == Ended) {
      left = 0;
      status = OzuCodingStatusEnded;
    } else if (coding->state == Sniffing) {
      while (left > 0 && coding->head_size < coding->head_wanted) {
        coding->head[coding->head_size++] = *next++;
        left--;
      }
      if (coding->head_size < coding->head_wanted) break;
      status = begin(coding);
    } else if (coding->head_used < coding->head_size) {
      const uint8_t *head = coding->head + coding->head_used;
      size_t head_left = coding->head_size - coding->head_used;
      // `end` clears both numbers.
      coding->head_used = coding->head_size;
      status = run(coding, &head, &head_left, &output, &room);
      if (coding->state == Running) coding->head_used -= head_left;
    } else {
      status = run(coding, &next, &left, &output, &room);
      if (left == 0 && coding->state == Running) break;
    }
  }
  if (status == OzuCodingStatusEnded) left = 0;
  *used = input_size - left;
  *written = capacity - room;
  return status;
}

#endif
