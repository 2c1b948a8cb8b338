// The common part of the files that decode JPEG. Not visible to Swift.

#ifndef OZU_JPEG_DECODER_H
#define OZU_JPEG_DECODER_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
// After that, which says whether there are messages about arithmetic codes.
#include <jerror.h>

#include "CCodecs.h"

struct OzuJPEGDecoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf failure;
  char message[JMSG_LENGTH_MAX];
  // The caller's bytes, how many of them the library has consumed, and how many bytes after those it will skip.
  const uint8_t *data;
  size_t consumed;
  size_t skipped;
  // Whether no more bytes will come.
  bool is_whole;
  // Whether the library asked for bytes after the end of a whole file.
  bool has_ended;
  // Whether an EOI stands behind the last scan of a file in arithmetic coding. It is known only then.
  bool has_end;
  // The zeros that were given to the decoder of arithmetic codes after the end.
  int zeros;
  // Whether entropy-coded data were missing at the end of the file or before an EOI.
  bool misses_data;
  // Whether the current step met missing data.
  bool misses_data_now;
  bool has_header;
  bool is_started;
  bool is_painting;
  // After a failure the library cannot continue.
  bool has_failed;
  bool keeps_cmyk;
  bool has_scan[MAX_COMPONENTS];
};

// Ends the bytes of a whole file in arithmetic coding before the EOI behind the scan that begins here, or behind all scans, if
// that is the next marker. The decoder of arithmetic codes that meets an EOI takes zeros for as long as it likes, and nobody
// could count them: so a file that was cut and then got an EOI would be whole.
void ozu_jpeg_decoder_hide_end(OzuJPEGDecoder *decoder, bool is_behind_all);

// Whether a coefficient is missing in a file of several scans: no scan had it, or not all of its bits.
bool ozu_jpeg_decoder_misses_bits(const OzuJPEGDecoder *decoder);

// Begins each function in which the library may jump. The target must be in the function itself.
#define CATCH_FAILURE(decoder) \
  do { \
    if ((decoder)->has_failed) return OzuStatusFailed; \
    if (setjmp((decoder)->failure) != 0) { \
      (decoder)->has_failed = true; \
      return OzuStatusFailed; \
    } \
  } while (false)
// For errors in which nothing was written or read: the decoder can continue.
static inline OzuStatus refuse(OzuJPEGDecoder *decoder, const char *reason) {
  snprintf(decoder->message, sizeof(decoder->message), "%s", reason);
  return OzuStatusFailed;
}

// Whether rows can be read.
static inline bool gives_rows(const OzuJPEGDecoder *decoder) {
  return decoder->is_started && (decoder->is_painting || !decoder->info.buffered_image);
}

#endif
