// JPEG files as JPEG XL, without loss and back to the byte, through libjxl: it stores the coefficients of the JPEG by its
// own entropy coder, and beside them what else the bytes of the file depend on (ISO/IEC 18181-2, annex A).

#include "jxl_library.h"

#ifdef OZU_JXL

#include <stdio.h>
#include <stdlib.h>

#include "CCodecs.h"

// The library wants some room, not just one byte.
enum { room = 1 << 16 };

static OzuStatus end(bool is_done, const char *reason, OzuBytes *file, char *message, size_t message_capacity) {
  if (is_done) return OzuStatusDone;
  snprintf(message, message_capacity, "%s", reason);
  free(file->bytes);
  *file = (OzuBytes){0};
  return OzuStatusFailed;
}

OzuStatus ozu_jxl_from_jpeg(
    const uint8_t *data, size_t size, OzuBytes *file, char *message, size_t message_capacity) {
  if (!ozu_dynamic_library_load(&ozu_jxl_library, message, message_capacity)) return OzuStatusFailed;
  JxlEncoder *encoder = jxl.JxlEncoderCreate(NULL);
  JxlEncoderFrameSettings *settings = encoder == NULL ? NULL : jxl.JxlEncoderFrameSettingsCreate(encoder, NULL);
  if (settings == NULL) {
    if (encoder != NULL) jxl.JxlEncoderDestroy(encoder);
    return end(false, "out of memory", file, message, message_capacity);
  }
  bool is_done = false;
  const char *reason = "libjxl does not store this JPEG";
  if (jxl.JxlEncoderStoreJPEGMetadata(encoder, JXL_TRUE) == JXL_ENC_SUCCESS
      && jxl.JxlEncoderAddJPEGFrame(settings, data, size) == JXL_ENC_SUCCESS) {
    jxl.JxlEncoderCloseInput(encoder);
    JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;
    while (status == JXL_ENC_NEED_MORE_OUTPUT) {
      if (!ozu_bytes_reserve(file, room)) {
        reason = "out of memory";
        break;
      }
      uint8_t *next = file->bytes + file->count;
      size_t rest = file->capacity - file->count;
      status = jxl.JxlEncoderProcessOutput(encoder, &next, &rest);
      file->count = file->capacity - rest;
    }
    is_done = status == JXL_ENC_SUCCESS;
  }
  jxl.JxlEncoderDestroy(encoder);
  return end(is_done, reason, file, message, message_capacity);
}

// Lends free room of the file to the library.
static bool lend(JxlDecoder *decoder, OzuBytes *file, size_t count) {
  return ozu_bytes_reserve(file, count)
      && jxl.JxlDecoderSetJPEGBuffer(decoder, file->bytes + file->count, file->capacity - file->count) == JXL_DEC_SUCCESS;
}

OzuStatus ozu_jxl_to_jpeg(
    const uint8_t *data, size_t size, size_t limit, OzuBytes *file, char *message, size_t message_capacity) {
  if (!ozu_dynamic_library_load(&ozu_jxl_library, message, message_capacity)) return OzuStatusFailed;
  JxlDecoder *decoder = jxl.JxlDecoderCreate(NULL);
  if (decoder == NULL) return end(false, "out of memory", file, message, message_capacity);
  bool is_done = false, has_buffer = false;
  size_t lent = room;
  const char *reason = "it stores no JPEG";
  if (jxl.JxlDecoderSubscribeEvents(decoder, JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE) == JXL_DEC_SUCCESS
      && jxl.JxlDecoderSetInput(decoder, data, size) == JXL_DEC_SUCCESS) {
    for (;;) {
      JxlDecoderStatus status = jxl.JxlDecoderProcessInput(decoder);
      // Only these two go on; the library waits for room for pixels where a file stores no JPEG.
      bool wants_more = status == JXL_DEC_JPEG_NEED_MORE_OUTPUT;
      if (has_buffer) {
        file->count = file->capacity - jxl.JxlDecoderReleaseJPEGBuffer(decoder);
        has_buffer = false;
      }
      // libjxl 0.7 writes all of the JPEG again when it gets room, so the room must grow.
      if (file->count > limit || (wants_more && lent > limit)) {
        reason = "the JPEG is larger than it may be";
        break;
      }
      is_done = status == JXL_DEC_FULL_IMAGE && file->count > 0;
      if (status != JXL_DEC_JPEG_RECONSTRUCTION && !wants_more) break;
      if (wants_more) lent *= 2;
      if (!lend(decoder, file, lent)) {
        reason = "out of memory";
        break;
      }
      has_buffer = true;
    }
  }
  jxl.JxlDecoderDestroy(decoder);
  return end(is_done, reason, file, message, message_capacity);
}

#endif
