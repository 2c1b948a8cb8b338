// JPEG decoding while the file comes, through libjpeg-turbo's libjpeg interface.
//
// The source of bytes suspends: where the library has too few it goes back to the last place from which it can go on,
// and returns. A file of one scan is decoded row by row. One of several scans is read into coefficients in the
// library's buffered-image mode, and can be painted from them as often as wanted. Painting is always that of a scan
// that is complete, so it never makes the library read on.
//
// The library cannot suspend in arithmetic codes: such files are not for this decoder.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "CCodecs.h"
#include "jpeg.h"

struct OzuJPEGFeed {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf failure;
  char message[JMSG_LENGTH_MAX];
  // The bytes that the library is done with, and those after them that it does not want.
  size_t consumed;
  size_t skipped;
  bool has_header;
  bool is_started;
  bool is_painting;
  // After a failure the library is in no state to go on.
  bool has_failed;
};

static void fail(j_common_ptr info) {
  OzuJPEGFeed *feed = info->client_data;
  info->err->format_message(info, feed->message);
  longjmp(feed->failure, 1);
}

static void note_nothing(j_common_ptr info, int level) {
  if (level < 0) info->err->num_warnings++;
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void start_source(j_decompress_ptr info) { (void)info; }

static boolean suspend(j_decompress_ptr info) {
  (void)info;
  return FALSE;
}

static void skip(j_decompress_ptr info, long count) {
  OzuJPEGFeed *feed = info->client_data;
  if (count <= 0) return;
  size_t here = (size_t)count < info->src->bytes_in_buffer ? (size_t)count : info->src->bytes_in_buffer;
  info->src->next_input_byte += here;
  info->src->bytes_in_buffer -= here;
  feed->skipped += (size_t)count - here;
}

static void end_source(j_decompress_ptr info) { (void)info; }

// Lends the library the bytes that it has not consumed.
static void lend(OzuJPEGFeed *feed, const uint8_t *data, size_t size) {
  size_t rest = size > feed->consumed ? size - feed->consumed : 0;
  size_t skipped = feed->skipped < rest ? feed->skipped : rest;
  feed->consumed += skipped;
  feed->skipped -= skipped;
  feed->source.next_input_byte = data + feed->consumed;
  feed->source.bytes_in_buffer = feed->skipped > 0 ? 0 : rest - skipped;
}

// Forgets the bytes of the caller, which are gone when the call returns.
static OzuStatus give_up(OzuJPEGFeed *feed) {
  feed->source.next_input_byte = NULL;
  feed->source.bytes_in_buffer = 0;
  feed->has_failed = true;
  return OzuStatusFailed;
}

static void take_back(OzuJPEGFeed *feed, const uint8_t *data) {
  feed->consumed = (size_t)(feed->source.next_input_byte - data);
  feed->source.next_input_byte = NULL;
  feed->source.bytes_in_buffer = 0;
}

OzuJPEGFeed *ozu_jpeg_feed_new(void) {
  OzuJPEGFeed *feed = calloc(1, sizeof(OzuJPEGFeed));
  if (feed == NULL) return NULL;
  struct jpeg_decompress_struct *info = &feed->info;
  info->err = jpeg_std_error(&feed->errors);
  feed->errors.error_exit = fail;
  feed->errors.emit_message = note_nothing;
  feed->errors.output_message = print_nothing;
  info->client_data = feed;
  if (setjmp(feed->failure) != 0) {
    free(feed);
    return NULL;
  }
  jpeg_create_decompress(info);
  feed->source.init_source = start_source;
  feed->source.fill_input_buffer = suspend;
  feed->source.skip_input_data = skip;
  feed->source.resync_to_restart = jpeg_resync_to_restart;
  feed->source.term_source = end_source;
  info->src = &feed->source;
  return feed;
}

void ozu_jpeg_feed_free(OzuJPEGFeed *feed) {
  if (feed == NULL) return;
  // Nothing that destroying does can fail, but a jump target must be there in case.
  if (setjmp(feed->failure) == 0) jpeg_destroy_decompress(&feed->info);
  free(feed);
}

const char *ozu_jpeg_feed_message(const OzuJPEGFeed *feed) { return feed->message; }

OzuStatus ozu_jpeg_feed_open(
    OzuJPEGFeed *feed, const uint8_t *data, size_t size, int eighths, size_t memory_limit, int *width,
    int *height) {
  struct jpeg_decompress_struct *info = &feed->info;
  if (feed->has_failed) return OzuStatusFailed;
  if (setjmp(feed->failure) != 0) return give_up(feed);
  info->mem->max_memory_to_use = (long)memory_limit;
  lend(feed, data, size);
  int result = jpeg_read_header(info, TRUE);
  take_back(feed, data);
  if (result == JPEG_SUSPENDED) return OzuStatusTruncated;
  ozu_jpeg_choose_output(info, eighths, width, height);
  feed->has_header = true;
  return OzuStatusDone;
}

static OzuStatus fail_for_memory(OzuJPEGFeed *feed) {
  snprintf(feed->message, sizeof(feed->message), "the memory is for another picture");
  return OzuStatusFailed;
}

static OzuStatus read_pixels(OzuJPEGFeed *feed, const OzuRows *rows, int count) {
  struct jpeg_decompress_struct *info = &feed->info;
  // Without rows the caller took the file for one of several scans.
  if (rows == NULL || rows->height != info->output_height || !ozu_jpeg_rows_hold(info, rows))
    return fail_for_memory(feed);
  for (int i = 0; i < count && info->output_scanline < info->output_height; i++) {
    JSAMPROW row = rows->bytes + info->output_scanline * rows->bytes_per_row;
    if (jpeg_read_scanlines(info, &row, 1) != 1) return OzuStatusTruncated;
    if (info->out_color_space == JCS_CMYK)
      ozu_jpeg_convert_cmyk_row(row, info->output_width, info->saw_Adobe_marker);
  }
  return info->output_scanline < info->output_height ? OzuStatusMore : OzuStatusDone;
}

static OzuStatus read_scans(OzuJPEGFeed *feed, int count) {
  for (int i = 0; i < count; i++) {
    int result = jpeg_consume_input(&feed->info);
    if (result == JPEG_SUSPENDED) return OzuStatusTruncated;
    if (result == JPEG_REACHED_EOI) return OzuStatusDone;
    // The caller counts scans.
    if (result == JPEG_REACHED_SOS) return OzuStatusMore;
  }
  return OzuStatusMore;
}

OzuStatus ozu_jpeg_feed_read(
    OzuJPEGFeed *feed, const uint8_t *data, size_t size, const OzuRows *rows, int count) {
  struct jpeg_decompress_struct *info = &feed->info;
  if (!feed->has_header) return OzuStatusFailed;
  if (feed->has_failed) return OzuStatusFailed;
  if (setjmp(feed->failure) != 0) return give_up(feed);
  lend(feed, data, size);
  OzuStatus status = OzuStatusTruncated;
  if (feed->is_started || jpeg_start_decompress(info)) {
    feed->is_started = true;
    status = info->buffered_image ? read_scans(feed, count) : read_pixels(feed, rows, count);
  }
  take_back(feed, data);
  return status;
}

int ozu_jpeg_feed_rows(const OzuJPEGFeed *feed) {
  return feed->is_started && !feed->info.buffered_image ? (int)feed->info.output_scanline : 0;
}

int ozu_jpeg_feed_scans_begun(const OzuJPEGFeed *feed) {
  return feed->is_started ? feed->info.input_scan_number : 0;
}

int ozu_jpeg_feed_scans(const OzuJPEGFeed *feed) {
  // The library is in the last scan that has begun until it meets the end.
  if (!feed->is_started || !feed->info.buffered_image) return 0;
  bool has_ended = jpeg_input_complete((struct jpeg_decompress_struct *)&feed->info);
  return feed->info.input_scan_number - (has_ended ? 0 : 1);
}

OzuStatus ozu_jpeg_feed_start_painting(OzuJPEGFeed *feed) {
  struct jpeg_decompress_struct *info = &feed->info;
  int scan = ozu_jpeg_feed_scans(feed);
  if (scan < 1) return OzuStatusFailed;
  if (feed->has_failed) return OzuStatusFailed;
  if (setjmp(feed->failure) != 0) return give_up(feed);
  // One that was given up before its last row.
  if (feed->is_painting && !jpeg_finish_output(info)) return OzuStatusFailed;
  feed->is_painting = true;
  return jpeg_start_output(info, scan) ? OzuStatusDone : OzuStatusFailed;
}

OzuStatus ozu_jpeg_feed_paint(OzuJPEGFeed *feed, OzuRows rows) {
  struct jpeg_decompress_struct *info = &feed->info;
  if (!feed->is_painting) return OzuStatusFailed;
  if (feed->has_failed) return OzuStatusFailed;
  if (setjmp(feed->failure) != 0) return give_up(feed);
  if (!ozu_jpeg_rows_hold(info, &rows) || rows.height > info->output_height - info->output_scanline)
    return fail_for_memory(feed);
  for (uint32_t i = 0; i < rows.height; i++) {
    JSAMPROW row = rows.bytes + (size_t)i * rows.bytes_per_row;
    if (jpeg_read_scanlines(info, &row, 1) != 1) {
      snprintf(feed->message, sizeof(feed->message), "fewer rows than announced");
      return OzuStatusFailed;
    }
    if (info->out_color_space == JCS_CMYK)
      ozu_jpeg_convert_cmyk_row(row, info->output_width, info->saw_Adobe_marker);
  }
  if (info->output_scanline == info->output_height) {
    feed->is_painting = false;
    if (!jpeg_finish_output(info)) return OzuStatusFailed;
  }
  return OzuStatusDone;
}
