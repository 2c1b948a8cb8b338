// PNG decoding through libpng.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "CCodecs.h"
#include "png_common.h"

struct OzuPNGDecoder {
  png_structp png;
  png_infop info;
  jmp_buf failure;
  char message[160];
  const uint8_t *data;
  size_t size;
  size_t position;
  bool has_ended;
  // The format that `open` has prepared.
  uint32_t width;
  OzuPixels pixels;
  bool is_open;
};

static void fail(png_structp png, png_const_charp message) {
  OzuPNGDecoder *decoder = png_get_error_ptr(png);
  snprintf(decoder->message, sizeof(decoder->message), "%s", message);
  longjmp(decoder->failure, 1);
}

static void note_nothing(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
  OzuPNGDecoder *decoder = png_get_io_ptr(png);
  if (count > decoder->size - decoder->position) {
    decoder->has_ended = true;
    png_error(png, "the file ends early");
  }
  memcpy(bytes, decoder->data + decoder->position, count);
  decoder->position += count;
}

OzuPNGDecoder *ozu_png_decoder_new(const uint8_t *data, size_t size) {
  OzuPNGDecoder *decoder = calloc(1, sizeof(OzuPNGDecoder));
  if (decoder == NULL) return NULL;
  decoder->data = data;
  decoder->size = size;
  return decoder;
}

void ozu_png_decoder_free(OzuPNGDecoder *decoder) {
  if (decoder == NULL) return;
  png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
  free(decoder);
}

const char *ozu_png_decoder_message(const OzuPNGDecoder *decoder) {
  return decoder == NULL ? "" : decoder->message;
}

static OzuStatus failed(const OzuPNGDecoder *decoder) {
  return decoder->has_ended ? OzuStatusTruncated : OzuStatusFailed;
}

void ozu_png_configure(png_structp png, uint32_t width, uint32_t height) {
  png_set_user_limits(png, width, height);
#ifdef PNG_HANDLE_AS_UNKNOWN_SUPPORTED
  // -1 means every ancillary chunk but tRNS: only PLTE, tRNS and IDAT make pixels here.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "tRNS", 1);
#endif
  // For builds of the library in which the lines above have no effect.
  png_set_chunk_cache_max(png, 128);
  png_set_chunk_malloc_max(png, 1 << 20);
}

bool ozu_png_prepare(
    png_structp png, png_infop info, uint32_t width, uint32_t height, OzuPixels pixels, int *passes) {
  if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height)
    png_error(png, "two sizes in one file");
  bool alpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0
               || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  size_t pixel_size = 4;
  switch (pixels) {
    case OzuPixelsBGRA8:
      png_set_expand(png);
      png_set_strip_16(png);
      png_set_gray_to_rgb(png);
      png_set_bgr(png);
      if (!alpha) png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
      break;
    case OzuPixelsRGBA16:
      pixel_size = 8;
      png_set_expand_16(png);
      png_set_gray_to_rgb(png);
      if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) png_set_swap(png);
      if (!alpha) png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
      break;
    case OzuPixelsGray8:
      pixel_size = 1;
      if (alpha || png_get_color_type(png, info) != PNG_COLOR_TYPE_GRAY) png_error(png, "it is not grey");
      png_set_expand(png);
      png_set_strip_16(png);
      break;
  }
  *passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (size_t)width * pixel_size)
    png_error(png, "a combination of colour type and depth that does not exist");
  return alpha;
}

OzuStatus ozu_png_decoder_open(
    OzuPNGDecoder *decoder, uint32_t width, uint32_t height, OzuPixels pixels, bool wants_partial,
    int *passes, bool *has_alpha) {
  if (setjmp(decoder->failure) != 0) return failed(decoder);
  decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, decoder, fail, note_nothing);
  if (decoder->png == NULL) {
    snprintf(decoder->message, sizeof(decoder->message), "libpng could not be started");
    return OzuStatusFailed;
  }
  png_structp png = decoder->png;
  decoder->info = png_create_info_struct(png);
  if (decoder->info == NULL) png_error(png, "out of memory");
  png_set_read_fn(png, decoder, read_bytes);
  ozu_png_configure(png, width, height);
  // libpng reads image data in pieces of this size, and gets all of a piece or nothing.
  if (wants_partial) png_set_compression_buffer_size(png, 64);
  png_read_info(png, decoder->info);
  *has_alpha = ozu_png_prepare(png, decoder->info, width, height, pixels, passes);
  decoder->width = width;
  decoder->pixels = pixels;
  decoder->is_open = true;
  return OzuStatusDone;
}

OzuStatus ozu_png_decoder_read_rows(OzuPNGDecoder *decoder, OzuRows rows, bool fills_blocks) {
  if (setjmp(decoder->failure) != 0) return failed(decoder);
  if (!decoder->is_open || !ozu_rows_hold(&rows, decoder->width, rows.height, decoder->pixels)) {
    snprintf(decoder->message, sizeof(decoder->message), "the memory is for another picture");
    return OzuStatusFailed;
  }
  for (uint32_t i = 0; i < rows.height; i++) {
    png_bytep row = rows.bytes + (size_t)i * rows.bytes_per_row;
    png_read_row(decoder->png, fills_blocks ? NULL : row, fills_blocks ? row : NULL);
  }
  return OzuStatusDone;
}
