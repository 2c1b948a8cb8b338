// PNG encoding through libpng, into memory that grows.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <png.h>

#include "CCodecs.h"

struct OzuPNGEncoder {
  png_structp png;
  png_infop info;
  jmp_buf failure;
  char message[160];
  OzuBytes file;
  // What a row takes from the caller; 0 before the start.
  size_t row_byte_count;
};

static void fail(png_structp png, png_const_charp message) {
  OzuPNGEncoder *encoder = png_get_error_ptr(png);
  snprintf(encoder->message, sizeof(encoder->message), "%s", message);
  longjmp(encoder->failure, 1);
}

static void note_nothing(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
  OzuPNGEncoder *encoder = png_get_io_ptr(png);
  if (!ozu_bytes_append(&encoder->file, bytes, count)) png_error(png, "out of memory");
}

static void flush_nothing(png_structp png) { (void)png; }

OzuPNGEncoder *ozu_png_encoder_new(void) { return calloc(1, sizeof(OzuPNGEncoder)); }

void ozu_png_encoder_free(OzuPNGEncoder *encoder) {
  if (encoder == NULL) return;
  png_destroy_write_struct(&encoder->png, &encoder->info);
  free(encoder->file.bytes);
  free(encoder);
}

const char *ozu_png_encoder_message(const OzuPNGEncoder *encoder) {
  return encoder == NULL ? "" : encoder->message;
}

OzuStatus ozu_png_encoder_start(
    OzuPNGEncoder *encoder, uint32_t width, uint32_t height, OzuPixels pixels, bool has_alpha,
    int compression_level) {
  if (setjmp(encoder->failure) != 0) return OzuStatusFailed;
  encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, fail, note_nothing);
  if (encoder->png == NULL) {
    snprintf(encoder->message, sizeof(encoder->message), "libpng could not be started");
    return OzuStatusFailed;
  }
  png_structp png = encoder->png;
  encoder->info = png_create_info_struct(png);
  if (encoder->info == NULL) png_error(png, "out of memory");
  png_set_write_fn(png, encoder, write_bytes, flush_nothing);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(png, compression_level);
  bool is_gray = pixels == OzuPixelsGray8, is_deep = pixels == OzuPixelsRGBA16;
  png_set_IHDR(
      png, encoder->info, width, height, is_deep ? 16 : 8,
      is_gray ? PNG_COLOR_TYPE_GRAY : has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, encoder->info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, encoder->info);
  const uint16_t one = 1;
  if (is_deep && *(const uint8_t *)&one == 1) png_set_swap(png);
  if (pixels == OzuPixelsBGRA8) png_set_bgr(png);
  if (!has_alpha && !is_gray) png_set_filler(png, 0, PNG_FILLER_AFTER);
  encoder->row_byte_count = (size_t)width * ozu_pixel_size(pixels);
  return OzuStatusDone;
}

OzuStatus ozu_png_encoder_write_row(OzuPNGEncoder *encoder, const uint8_t *row, size_t byte_count) {
  if (row == NULL || encoder->row_byte_count == 0 || byte_count < encoder->row_byte_count) {
    snprintf(encoder->message, sizeof(encoder->message), "a row that is too short");
    return OzuStatusFailed;
  }
  if (setjmp(encoder->failure) != 0) return OzuStatusFailed;
  png_write_row(encoder->png, row);
  return OzuStatusDone;
}

OzuStatus ozu_png_encoder_finish(OzuPNGEncoder *encoder, OzuBytes *file) {
  if (setjmp(encoder->failure) != 0) return OzuStatusFailed;
  png_write_end(encoder->png, encoder->info);
  *file = encoder->file;
  encoder->file = (OzuBytes){0};
  return OzuStatusDone;
}
