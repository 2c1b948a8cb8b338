// JPEG encoding through libjpeg-turbo's libjpeg interface.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "CCodecs.h"
#include "jpeg_destination.h"
#include "jpeg_settings.h"

const int ozu_jpeg_side_limit = JPEG_MAX_DIMENSION;

// Everything that must survive a longjmp is here, in memory, not in registers.
typedef struct {
  struct jpeg_compress_struct info;
  JPEGFailure failure;
  JPEGDestination destination;
  uint8_t *blended;
} Encoder;

// The colours are premultiplied, so blending over white adds 255 - alpha to each of them.
static void blend_over_white(const uint8_t *row, uint8_t *blended, int width) {
  for (int x = 0; x < width; x++, row += 4, blended += 4) {
    unsigned white = 255u - row[3];
    for (int channel = 0; channel < 3; channel++) {
      unsigned value = row[channel] + white;
      blended[channel] = (uint8_t)(value > 255 ? 255 : value);
    }
    blended[3] = 255;
  }
}

static void encode(
    Encoder *encoder, const uint8_t *pixels, size_t bytes_per_row, int width, int height, bool is_opaque,
    const OzuJPEGParameters *parameters) {
  struct jpeg_compress_struct *info = &encoder->info;
  jpeg_create_compress(info);
  ozu_jpeg_write_into(info, &encoder->destination);
  ozu_jpeg_set_up(info, width, height, parameters);
  if (parameters->is_progressive) jpeg_simple_progression(info);
  jpeg_start_compress(info, TRUE);
  for (int y = 0; y < height; y++) {
    const uint8_t *row = pixels + (size_t)y * bytes_per_row;
    if (!is_opaque) {
      blend_over_white(row, encoder->blended, width);
      row = encoder->blended;
    }
    JSAMPROW rows[1] = {(JSAMPROW)row};
    jpeg_write_scanlines(info, rows, 1);
  }
  jpeg_finish_compress(info);
}

OzuStatus ozu_jpeg_encode(
    const uint8_t *pixels, size_t bytes_per_row, int width, int height, bool is_opaque,
    const OzuJPEGParameters *parameters, OzuBytes *file, char *message, size_t message_capacity) {
  if (pixels == NULL || width <= 0 || height <= 0 || bytes_per_row / 4 < (size_t)width) {
    snprintf(message, message_capacity, "rows that are too short");
    return OzuStatusFailed;
  }
  Encoder *encoder = calloc(1, sizeof(Encoder));
  uint8_t *blended = is_opaque || encoder == NULL ? NULL : malloc((size_t)width * 4);
  if (encoder == NULL || (!is_opaque && blended == NULL)) {
    free(encoder);
    snprintf(message, message_capacity, "out of memory");
    return OzuStatusFailed;
  }
  encoder->blended = blended;
  ozu_jpeg_catch((j_common_ptr)&encoder->info, &encoder->failure);

  OzuStatus status = OzuStatusDone;
  if (setjmp(encoder->failure.place) == 0)
    encode(encoder, pixels, bytes_per_row, width, height, is_opaque, parameters);
  else
    status = OzuStatusFailed;

  if (status == OzuStatusDone) {
    *file = encoder->destination.file;
  } else {
    snprintf(message, message_capacity, "%s", encoder->failure.message);
    free(encoder->destination.file.bytes);
  }
  jpeg_destroy_compress(&encoder->info);
  free(encoder->blended);
  free(encoder);
  return status;
}
