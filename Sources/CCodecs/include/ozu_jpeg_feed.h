#ifndef OZU_JPEG_FEED_H
#define OZU_JPEG_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A JPEG being decoded through libjpeg-turbo while its bytes come. Belongs to one thread at a time.
///
/// Wherever bytes are asked for, those of the file from its beginning are given: the bytes of the call before, and
/// more. They need not be where they were. Nothing of them is kept between calls.
typedef struct OzuJPEGFeed OzuJPEGFeed;

/// Makes a decoder; NULL when memory is short.
OzuJPEGFeed *ozu_jpeg_feed_new(void);
void ozu_jpeg_feed_free(OzuJPEGFeed *feed);

/// The library's words for the last failure. Valid until the next call.
const char *ozu_jpeg_feed_message(const OzuJPEGFeed *feed);

/// Reads the markers up to the first scan and prepares decoding at eighths/8 to BGRA. The library may take at most
/// `memory_limit` bytes. `Truncated` when more bytes are needed: then call again with them.
OzuStatus ozu_jpeg_feed_open(
    OzuJPEGFeed *feed, const uint8_t *data, size_t size, int eighths, size_t memory_limit, int *width,
    int *height);

/// Reads on, by at most so many rows of pixels or, in a file of several scans, rows of blocks. `More` when there may
/// be more to read, `Truncated` when more bytes are needed, `Done` when the picture is whole.
///
/// In a file of one scan the pixels are written to `rows`, the memory of the whole picture in BGRA, the same in each call;
/// NULL for a file of several.
OzuStatus ozu_jpeg_feed_read(
    OzuJPEGFeed *feed, const uint8_t *data, size_t size, const OzuRows *rows, int count);

/// How many rows of a file of one scan are complete.
int ozu_jpeg_feed_rows(const OzuJPEGFeed *feed);

/// How many scans have begun, and how many are complete.
int ozu_jpeg_feed_scans_begun(const OzuJPEGFeed *feed);
int ozu_jpeg_feed_scans(const OzuJPEGFeed *feed);

/// Begins to paint the picture that the complete scans of a file of several make; there must be one.
OzuStatus ozu_jpeg_feed_start_painting(OzuJPEGFeed *feed);

/// Paints the next rows in BGRA, as many as there is memory for. The last one ends the painting.
OzuStatus ozu_jpeg_feed_paint(OzuJPEGFeed *feed, OzuRows rows);

#endif
