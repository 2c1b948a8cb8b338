// JPEG decoding through libjpeg-turbo's libjpeg interface.
//
// A file of one scan is decoded row by row while it is read. A file of several scans is read in the library's
// buffered-image mode, in which jpeg_consume_input() stops after every row of blocks: so a file of thousands of
// scans can be stopped at any point, which jpeg_start_decompress() in the ordinary mode would not allow without a
// callback; and its coefficients can be output as often as needed.
//
// A whole file and one that is still arriving are read in the same way. If bytes are missing at the end of a whole
// file, the source inserts an end of image, and the library fills the rest. In a file that is still arriving, the
// source suspends: the library goes back to the last place from which it can continue, and returns. It cannot
// suspend in arithmetic codes.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

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

static void fail(j_common_ptr info) {
  OzuJPEGDecoder *decoder = info->client_data;
  info->err->format_message(info, decoder->message);
  longjmp(decoder->failure, 1);
}

// The library calls this for warnings (level -1), and for traces, which are ignored.
static void note(j_common_ptr info, int level) {
  OzuJPEGDecoder *decoder = info->client_data;
  if (level >= 0) return;
  info->err->num_warnings++;
  // The entropy decoder met a marker. The library handles restart markers itself; at the end of the image, the rest
  // of this scan is lost.
  if (info->err->msg_code == JWRN_HIT_MARKER && decoder->info.unread_marker == JPEG_EOI) {
    decoder->misses_data = true;
    decoder->misses_data_now = true;
  }
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void start_source(j_decompress_ptr info) { (void)info; }

// Inserts an end of image in a whole file; suspends in a file that is still arriving.
static boolean fill(j_decompress_ptr info) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  OzuJPEGDecoder *decoder = info->client_data;
  if (!decoder->is_whole) return FALSE;
  decoder->has_ended = true;
  info->src->next_input_byte = end;
  info->src->bytes_in_buffer = sizeof(end);
  return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
  OzuJPEGDecoder *decoder = info->client_data;
  if (count <= 0) return;
  size_t here = (size_t)count < info->src->bytes_in_buffer ? (size_t)count : info->src->bytes_in_buffer;
  info->src->next_input_byte += here;
  info->src->bytes_in_buffer -= here;
  if ((size_t)count == here) return;
  if (decoder->is_whole) fill(info);
  else decoder->skipped += (size_t)count - here;
}

static void end_source(j_decompress_ptr info) { (void)info; }

OzuJPEGDecoder *ozu_jpeg_decoder_new(void) {
  OzuJPEGDecoder *decoder = calloc(1, sizeof(OzuJPEGDecoder));
  if (decoder == NULL) return NULL;
  struct jpeg_decompress_struct *info = &decoder->info;
  info->err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = fail;
  decoder->errors.emit_message = note;
  decoder->errors.output_message = print_nothing;
  info->client_data = decoder;
  if (setjmp(decoder->failure) != 0) {
    free(decoder);
    return NULL;
  }
  // The error manager and the client data are kept.
  jpeg_create_decompress(info);
  decoder->source.init_source = start_source;
  decoder->source.fill_input_buffer = fill;
  decoder->source.skip_input_data = skip;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = end_source;
  info->src = &decoder->source;
  return decoder;
}

void ozu_jpeg_decoder_free(OzuJPEGDecoder *decoder) {
  if (decoder == NULL) return;
  // Destroying cannot fail, but a jump target must exist in any case.
  if (setjmp(decoder->failure) == 0) jpeg_destroy_decompress(&decoder->info);
  free(decoder);
}

const char *ozu_jpeg_decoder_message(const OzuJPEGDecoder *decoder) { return decoder->message; }

void ozu_jpeg_decoder_lend(OzuJPEGDecoder *decoder, const uint8_t *data, size_t size, bool is_whole) {
  size_t rest = size > decoder->consumed ? size - decoder->consumed : 0;
  size_t skipped = decoder->skipped < rest ? decoder->skipped : rest;
  decoder->consumed += skipped;
  decoder->skipped -= skipped;
  decoder->data = data;
  decoder->is_whole = is_whole;
  decoder->source.next_input_byte = data + decoder->consumed;
  decoder->source.bytes_in_buffer = decoder->skipped > 0 ? 0 : rest - skipped;
}

void ozu_jpeg_decoder_take_back(OzuJPEGDecoder *decoder) {
  // An inserted end is not among the bytes, and a library that has jumped out does not continue.
  if (!decoder->has_ended && !decoder->has_failed && decoder->source.next_input_byte != NULL)
    decoder->consumed = (size_t)(decoder->source.next_input_byte - decoder->data);
  decoder->data = NULL;
  decoder->source.next_input_byte = NULL;
  decoder->source.bytes_in_buffer = 0;
}

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
static OzuStatus refuse(OzuJPEGDecoder *decoder, const char *reason) {
  snprintf(decoder->message, sizeof(decoder->message), "%s", reason);
  return OzuStatusFailed;
}

OzuStatus ozu_jpeg_decoder_open(
    OzuJPEGDecoder *decoder, int eighths, size_t memory_limit, int *width, int *height) {
  struct jpeg_decompress_struct *info = &decoder->info;
  CATCH_FAILURE(decoder);
  info->mem->max_memory_to_use = (long)memory_limit;
  if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED || decoder->has_ended) return OzuStatusTruncated;
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
  decoder->has_header = true;
  return OzuStatusDone;
}

OzuStatus ozu_jpeg_decoder_start(OzuJPEGDecoder *decoder) {
  CATCH_FAILURE(decoder);
  if (!decoder->has_header) return refuse(decoder, "the header was not read");
  if (!decoder->is_started && !jpeg_start_decompress(&decoder->info)) return OzuStatusTruncated;
  decoder->is_started = true;
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
  if (!decoder->is_started) return refuse(decoder, "it was not started");
  if (!info->buffered_image) return OzuStatusDone;
  CATCH_FAILURE(decoder);
  for (int row = 0; row < block_rows; row++) {
    // If the library has suspended within the header of a scan, it knows only some of its components.
    for (int i = 0; i < info->comps_in_scan && info->cur_comp_info[i] != NULL; i++)
      decoder->has_scan[info->cur_comp_info[i]->component_index] = true;
    switch (jpeg_consume_input(info)) {
      case JPEG_SUSPENDED: return OzuStatusTruncated;
      case JPEG_REACHED_EOI: {
        // A file that lacks only its EOI marker is complete.
        bool is_cut = decoder->has_ended && misses_bits(decoder);
        return decoder->misses_data || is_cut ? OzuStatusTruncated : OzuStatusDone;
      }
      // The scans of a whole file were counted before; those of other files are counted by the caller.
      case JPEG_REACHED_SOS:
        if (!decoder->is_whole) return OzuStatusMore;
        continue;
      default: continue;
    }
  }
  return OzuStatusMore;
}

int ozu_jpeg_decoder_scans_begun(const OzuJPEGDecoder *decoder) {
  return decoder->is_started ? decoder->info.input_scan_number : 0;
}

int ozu_jpeg_decoder_scans(const OzuJPEGDecoder *decoder) {
  // Until it reaches the end, the library is in the last scan that has begun.
  if (!decoder->is_started || !decoder->info.buffered_image) return 0;
  bool has_ended = jpeg_input_complete((struct jpeg_decompress_struct *)&decoder->info);
  return decoder->info.input_scan_number - (has_ended ? 0 : 1);
}

OzuStatus ozu_jpeg_decoder_start_output(OzuJPEGDecoder *decoder) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!decoder->is_started) return refuse(decoder, "it was not started");
  if (!info->buffered_image) return OzuStatusDone;
  CATCH_FAILURE(decoder);
  int scan = ozu_jpeg_decoder_scans(decoder);
  if (scan < 1) return refuse(decoder, "no scan is complete");
  // Ends an output that is complete, or that was given up. It is one of a complete scan, so nothing more is read.
  if (decoder->is_painting && !jpeg_finish_output(info)) return OzuStatusTruncated;
  decoder->is_painting = true;
  return jpeg_start_output(info, scan) ? OzuStatusDone : OzuStatusTruncated;
}

// Converts ink to light without colour management: each colour is the light that passes its ink and black. Nearly
// all files are Adobe's, which store the light instead of the ink.
static void convert_cmyk_row(uint8_t *row, unsigned width, bool is_inverted) {
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
    refuse(decoder, "it is not grey");
    return false;
  }
  decoder->info.out_color_space = JCS_GRAYSCALE;
  return true;
}

void ozu_jpeg_decoder_keep_cmyk(OzuJPEGDecoder *decoder) { decoder->keeps_cmyk = true; }

// Whether the memory is for rows of the pixels that the library writes, and not for more rows than are left.
static bool holds(const struct jpeg_decompress_struct *info, const OzuRows *rows) {
  OzuPixels format = info->out_color_space == JCS_GRAYSCALE ? OzuPixelsGray8 : OzuPixelsBGRA8;
  return (size_t)info->out_color_components == ozu_pixel_size(format)
      && rows->height <= info->output_height - info->output_scanline
      && ozu_rows_hold(rows, info->output_width, rows->height, format);
}

// Whether rows can be read.
static bool gives_rows(const OzuJPEGDecoder *decoder) {
  return decoder->is_started && (decoder->is_painting || !decoder->info.buffered_image);
}

int ozu_jpeg_decoder_rows(const OzuJPEGDecoder *decoder) {
  return gives_rows(decoder) ? (int)decoder->info.output_scanline : 0;
}

OzuStatus ozu_jpeg_decoder_read_rows(OzuJPEGDecoder *decoder, OzuRows rows) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!gives_rows(decoder)) return refuse(decoder, "no output was started");
  CATCH_FAILURE(decoder);
  decoder->misses_data_now = false;
  if (!holds(info, &rows)) return refuse(decoder, "the memory is for another picture");
  for (uint32_t i = 0; i < rows.height; i++) {
    JSAMPROW row = rows.bytes + (size_t)i * rows.bytes_per_row;
    if (jpeg_read_scanlines(info, &row, 1) != 1)
      return decoder->is_whole ? refuse(decoder, "fewer rows than announced") : OzuStatusTruncated;
    if (info->out_color_space != JCS_CMYK) continue;
    if (!decoder->keeps_cmyk) {
      convert_cmyk_row(row, info->output_width, info->saw_Adobe_marker);
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
  // A group has at most four blocks of eight rows one below the other.
  enum { most_rows = MAX_SAMP_FACTOR * DCTSIZE };
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!gives_rows(decoder)) return refuse(decoder, "no output was started");
  CATCH_FAILURE(decoder);
  decoder->misses_data_now = false;
  JSAMPROW rows[3][most_rows];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  unsigned lines = 0;
  for (int i = 0; i < info->num_components; i++) {
    OzuJPEGPlane plane;
    if (count != info->num_components || !ozu_jpeg_decoder_plane(decoder, i, &plane) || plane.step_rows > most_rows
        || !ozu_plane_rows_hold(&planes[i], plane.bytes_per_row, (uint32_t)plane.step_rows))
      return refuse(decoder, "components of another kind than announced");
    for (int y = 0; y < plane.step_rows; y++) rows[i][y] = planes[i].bytes + (size_t)y * planes[i].bytes_per_row;
    if ((unsigned)plane.step_rows > lines) lines = (unsigned)plane.step_rows;
  }
  if (jpeg_read_raw_data(info, arrays, lines) == 0) return refuse(decoder, "fewer rows than announced");
  return decoder->misses_data_now ? OzuStatusTruncated : OzuStatusDone;
}
