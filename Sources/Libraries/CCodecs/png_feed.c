// PNG decoding of a file that is still arriving, through libpng's progressive interface. Its callbacks stay in C.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "CCodecs.h"
#include "png_common.h"

struct OzuPNGFeed {
  png_structp png;
  png_infop info;
  jmp_buf failure;
  char message[160];
  uint8_t *pixels;
  size_t bytes_per_row;
  uint32_t width;
  uint32_t height;
  int passes;
  bool has_alpha;
  bool is_whole;
  uint32_t rows;
  uint64_t progress;
};

static void fail(png_structp png, png_const_charp message) {
  OzuPNGFeed *feed = png_get_error_ptr(png);
  snprintf(feed->message, sizeof(feed->message), "%s", message);
  longjmp(feed->failure, 1);
}

static void note_nothing(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void read_header(png_structp png, png_infop info) {
  OzuPNGFeed *feed = png_get_progressive_ptr(png);
  feed->has_alpha = ozu_png_prepare(png, info, feed->width, feed->height, OzuPixelsBGRA8, &feed->passes);
}

static void read_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
  OzuPNGFeed *feed = png_get_progressive_ptr(png);
  // Passes of an interlaced picture skip rows.
  if (row == NULL || y >= feed->height) return;
  png_progressive_combine_row(png, feed->pixels + y * feed->bytes_per_row, row);
  feed->progress++;
  uint32_t end = pass > 0 ? feed->height : y + 1;
  if (end > feed->rows) feed->rows = end;
}

static void read_end(png_structp png, png_infop info) {
  (void)info;
  OzuPNGFeed *feed = png_get_progressive_ptr(png);
  feed->is_whole = true;
}

OzuPNGFeed *ozu_png_feed_new(OzuRows rows) {
  if (!ozu_rows_hold(&rows, rows.width, rows.height, OzuPixelsBGRA8)) return NULL;
  OzuPNGFeed *feed = calloc(1, sizeof(OzuPNGFeed));
  if (feed == NULL) return NULL;
  feed->pixels = rows.bytes;
  feed->bytes_per_row = rows.bytes_per_row;
  feed->width = rows.width;
  feed->height = rows.height;
  if (setjmp(feed->failure) == 0) {
    feed->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, feed, fail, note_nothing);
    if (feed->png != NULL) feed->info = png_create_info_struct(feed->png);
    if (feed->info != NULL) {
      ozu_png_configure(feed->png, feed->width, feed->height);
      png_set_progressive_read_fn(feed->png, feed, read_header, read_row, read_end);
      return feed;
    }
  }
  ozu_png_feed_free(feed);
  return NULL;
}

void ozu_png_feed_free(OzuPNGFeed *feed) {
  if (feed == NULL) return;
  png_destroy_read_struct(&feed->png, &feed->info, NULL);
  free(feed);
}

const char *ozu_png_feed_message(const OzuPNGFeed *feed) { return feed->message; }

OzuStatus ozu_png_feed_give(OzuPNGFeed *feed, const uint8_t *data, size_t size) {
  if (setjmp(feed->failure) != 0) return OzuStatusFailed;
  png_process_data(feed->png, feed->info, (png_bytep)data, size);
  return feed->is_whole ? OzuStatusDone : OzuStatusMore;
}

uint32_t ozu_png_feed_rows(const OzuPNGFeed *feed) { return feed->rows; }

uint64_t ozu_png_feed_progress(const OzuPNGFeed *feed) { return feed->progress; }

bool ozu_png_feed_has_alpha(const OzuPNGFeed *feed) { return feed->has_alpha; }
