// JPEG decoding through libjpeg-turbo's libjpeg interface.
//
// A file of one scan is decoded row by row as it is read. A file of several scans is read in the library's
// buffered-image mode, whose jpeg_consume_input() stops after every row of blocks: so a file of thousands of
// scans can be given up at any point, which jpeg_start_decompress() in the ordinary mode would not allow
// without a callback.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "CCodecs.h"
#include "jpeg.h"

struct OzuJPEGDecoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf failure;
  char message[JMSG_LENGTH_MAX];
  const uint8_t *data;
  size_t size;
  // Whether the library asked for bytes beyond the end.
  bool has_ended;
  // Whether entropy-coded data were missing at the end of the file or before an EOI.
  bool misses_data;
  // Whether the current step met missing data.
  bool misses_data_now;
  bool is_buffered;
  bool has_output;
  bool keeps_cmyk;
  bool has_scan[MAX_COMPONENTS];
};

static const char *const no_message = "";

static void fail(j_common_ptr info) {
  OzuJPEGDecoder *decoder = info->client_data;
  info->err->format_message(info, decoder->message);
  longjmp(decoder->failure, 1);
}

// Warnings come here (level -1) and traces, which are of no interest.
static void note(j_common_ptr info, int level) {
  OzuJPEGDecoder *decoder = info->client_data;
  if (level >= 0) return;
  info->err->num_warnings++;
  // The entropy decoder ran into a marker. A restart marker is dealt with by the library; at the end of the
  // image, everything that follows in this scan is lost.
  if (info->err->msg_code == JWRN_HIT_MARKER && decoder->info.unread_marker == JPEG_EOI) {
    decoder->misses_data = true;
    decoder->misses_data_now = true;
  }
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void start_source(j_decompress_ptr info) { (void)info; }

static boolean give_end_of_image(j_decompress_ptr info) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  OzuJPEGDecoder *decoder = info->client_data;
  decoder->has_ended = true;
  info->src->next_input_byte = end;
  info->src->bytes_in_buffer = sizeof(end);
  return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  if ((size_t)count > info->src->bytes_in_buffer) {
    give_end_of_image(info);
    return;
  }
  info->src->next_input_byte += count;
  info->src->bytes_in_buffer -= (size_t)count;
}

static void end_source(j_decompress_ptr info) { (void)info; }

OzuJPEGDecoder *ozu_jpeg_decoder_new(const uint8_t *data, size_t size) {
  OzuJPEGDecoder *decoder = calloc(1, sizeof(OzuJPEGDecoder));
  if (decoder == NULL) return NULL;
  decoder->data = data;
  decoder->size = size;
  return decoder;
}

void ozu_jpeg_decoder_free(OzuJPEGDecoder *decoder) {
  if (decoder == NULL) return;
  // Nothing that destroying does can fail, but a jump target must be there in case.
  if (setjmp(decoder->failure) == 0) jpeg_destroy_decompress(&decoder->info);
  free(decoder);
}

const char *ozu_jpeg_decoder_message(const OzuJPEGDecoder *decoder) {
  return decoder == NULL ? no_message : decoder->message;
}

OzuStatus ozu_jpeg_decoder_open(
    OzuJPEGDecoder *decoder, int eighths, size_t memory_limit, int *width, int *height) {
  struct jpeg_decompress_struct *info = &decoder->info;
  info->err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = fail;
  decoder->errors.emit_message = note;
  decoder->errors.output_message = print_nothing;
  info->client_data = decoder;
  if (setjmp(decoder->failure) != 0) return OzuStatusFailed;

  // jpeg_create_decompress() keeps the error manager and the client data.
  jpeg_create_decompress(info);
  info->mem->max_memory_to_use = (long)memory_limit;
  decoder->source.next_input_byte = decoder->data;
  decoder->source.bytes_in_buffer = decoder->size;
  decoder->source.init_source = start_source;
  decoder->source.fill_input_buffer = give_end_of_image;
  decoder->source.skip_input_data = skip;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = end_source;
  info->src = &decoder->source;

  jpeg_read_header(info, TRUE);
  if (decoder->has_ended) return OzuStatusTruncated;
  ozu_jpeg_choose_output(info, eighths, width, height);
  decoder->is_buffered = info->buffered_image;
  return OzuStatusDone;
}

OzuStatus ozu_jpeg_decoder_start(OzuJPEGDecoder *decoder) {
  if (setjmp(decoder->failure) != 0) return OzuStatusFailed;
  jpeg_start_decompress(&decoder->info);
  return OzuStatusDone;
}

// Whether some coefficient of a file of several scans was in no scan, or not to its last bit.
static bool misses_bits(const OzuJPEGDecoder *decoder) {
  const struct jpeg_decompress_struct *info = &decoder->info;
  for (int component = 0; component < info->num_components; component++) {
    if (!decoder->has_scan[component]) return true;
    for (int coefficient = 0; info->coef_bits != NULL && coefficient < DCTSIZE2; coefficient++)
      if (info->coef_bits[component][coefficient] != 0) return true;
  }
  return false;
}

OzuStatus ozu_jpeg_decoder_consume(OzuJPEGDecoder *decoder, int block_rows) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!decoder->is_buffered) return OzuStatusDone;
  if (setjmp(decoder->failure) != 0) return OzuStatusFailed;
  for (int row = 0; row < block_rows; row++) {
    for (int i = 0; i < info->comps_in_scan; i++)
      decoder->has_scan[info->cur_comp_info[i]->component_index] = true;
    if (jpeg_consume_input(info) == JPEG_REACHED_EOI) {
      // A file that lost only its EOI marker is whole.
      bool is_cut = decoder->has_ended && misses_bits(decoder);
      return decoder->misses_data || is_cut ? OzuStatusTruncated : OzuStatusDone;
    }
  }
  return OzuStatusMore;
}

void ozu_jpeg_choose_output(struct jpeg_decompress_struct *info, int eighths, int *width, int *height) {
  bool has_four = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
  info->out_color_space = has_four ? JCS_CMYK : JCS_EXT_BGRA;
  info->scale_num = (unsigned)eighths;
  info->scale_denom = 8;
  info->dct_method = JDCT_ISLOW;
  info->do_fancy_upsampling = TRUE;
  info->buffered_image = jpeg_has_multiple_scans(info);
  jpeg_calc_output_dimensions(info);
  *width = (int)info->output_width;
  *height = (int)info->output_height;
}

void ozu_jpeg_convert_cmyk_row(uint8_t *row, unsigned width, bool is_inverted) {
  unsigned flip = is_inverted ? 0 : 255;
  for (unsigned x = 0; x < width; x++, row += 4) {
    unsigned c = row[0] ^ flip, m = row[1] ^ flip, y = row[2] ^ flip, k = row[3] ^ flip;
    row[0] = (uint8_t)((y * k + 127) / 255);
    row[1] = (uint8_t)((m * k + 127) / 255);
    row[2] = (uint8_t)((c * k + 127) / 255);
    row[3] = 255;
  }
}

bool ozu_jpeg_decoder_keep_gray(OzuJPEGDecoder *decoder) {
  if (decoder->info.jpeg_color_space != JCS_GRAYSCALE) {
    snprintf(decoder->message, sizeof(decoder->message), "it is not grey");
    return false;
  }
  decoder->info.out_color_space = JCS_GRAYSCALE;
  return true;
}

void ozu_jpeg_decoder_keep_cmyk(OzuJPEGDecoder *decoder) { decoder->keeps_cmyk = true; }

static void start_output(OzuJPEGDecoder *decoder) {
  if (!decoder->is_buffered || decoder->has_output) return;
  decoder->has_output = true;
  jpeg_start_output(&decoder->info, decoder->info.input_scan_number);
}

bool ozu_jpeg_rows_hold(const struct jpeg_decompress_struct *info, const OzuRows *rows) {
  OzuPixels format = info->out_color_space == JCS_GRAYSCALE ? OzuPixelsGray8 : OzuPixelsBGRA8;
  return (size_t)info->out_color_components == ozu_pixel_size(format)
      && ozu_rows_hold(rows, info->output_width, rows->height, format);
}

OzuStatus ozu_jpeg_decoder_read_rows(OzuJPEGDecoder *decoder, OzuRows rows) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (setjmp(decoder->failure) != 0) return OzuStatusFailed;
  decoder->misses_data_now = false;
  start_output(decoder);
  if (!ozu_jpeg_rows_hold(info, &rows) || rows.height > info->output_height - info->output_scanline) {
    snprintf(decoder->message, sizeof(decoder->message), "the memory is for another picture");
    return OzuStatusFailed;
  }
  for (uint32_t i = 0; i < rows.height; i++) {
    JSAMPROW row = rows.bytes + (size_t)i * rows.bytes_per_row;
    if (jpeg_read_scanlines(info, &row, 1) != 1) {
      snprintf(decoder->message, sizeof(decoder->message), "fewer rows than announced");
      return OzuStatusFailed;
    }
    if (info->out_color_space != JCS_CMYK) continue;
    if (!decoder->keeps_cmyk) {
      ozu_jpeg_convert_cmyk_row(row, info->output_width, info->saw_Adobe_marker);
    } else if (info->saw_Adobe_marker) {
      for (size_t x = 0; x < (size_t)info->output_width * 4; x++) row[x] = (uint8_t)~row[x];
    }
  }
  return decoder->misses_data_now ? OzuStatusTruncated : OzuStatusDone;
}

void ozu_jpeg_decoder_keep_planes(OzuJPEGDecoder *decoder) {
  decoder->info.raw_data_out = TRUE;
  decoder->info.out_color_space = decoder->info.jpeg_color_space;
}

static int block_size(const jpeg_component_info *component) {
#if JPEG_LIB_VERSION >= 70
  return component->DCT_h_scaled_size;
#else
  return component->DCT_scaled_size;
#endif
}

bool ozu_jpeg_decoder_plane(const OzuJPEGDecoder *decoder, int component, OzuJPEGPlane *plane) {
  const struct jpeg_decompress_struct *info = &decoder->info;
  if (component < 0 || component >= info->num_components || info->num_components > 3) return false;
  const jpeg_component_info *part = &info->comp_info[component];
#if JPEG_LIB_VERSION >= 70
  if (part->DCT_h_scaled_size != part->DCT_v_scaled_size) return false;
#endif
  unsigned group = 8u * (unsigned)info->max_h_samp_factor;
  unsigned groups = (info->image_width + group - 1) / group;
  plane->width = (int)part->downsampled_width;
  plane->height = (int)part->downsampled_height;
  plane->eighths = block_size(part);
  plane->step_rows = part->v_samp_factor * plane->eighths;
  plane->bytes_per_row = (size_t)groups * (size_t)(part->h_samp_factor * plane->eighths);
  return true;
}

OzuStatus ozu_jpeg_decoder_read_planes(OzuJPEGDecoder *decoder, const OzuPlaneRows *planes, int count) {
  // Four blocks above each other of eight rows each are the most that a group has.
  enum { most_rows = MAX_SAMP_FACTOR * DCTSIZE };
  struct jpeg_decompress_struct *info = &decoder->info;
  if (setjmp(decoder->failure) != 0) return OzuStatusFailed;
  decoder->misses_data_now = false;
  start_output(decoder);
  JSAMPROW rows[3][most_rows];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  unsigned lines = 0;
  for (int i = 0; i < info->num_components; i++) {
    OzuJPEGPlane plane;
    if (count != info->num_components || !ozu_jpeg_decoder_plane(decoder, i, &plane) || plane.step_rows > most_rows
        || !ozu_plane_rows_hold(&planes[i], plane.bytes_per_row, (uint32_t)plane.step_rows)) {
      snprintf(decoder->message, sizeof(decoder->message), "components of another kind than announced");
      return OzuStatusFailed;
    }
    for (int y = 0; y < plane.step_rows; y++) rows[i][y] = planes[i].bytes + (size_t)y * planes[i].bytes_per_row;
    if ((unsigned)plane.step_rows > lines) lines = (unsigned)plane.step_rows;
  }
  if (jpeg_read_raw_data(info, arrays, lines) == 0) {
    snprintf(decoder->message, sizeof(decoder->message), "fewer rows than announced");
    return OzuStatusFailed;
  }
  return decoder->misses_data_now ? OzuStatusTruncated : OzuStatusDone;
}
