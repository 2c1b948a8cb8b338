#ifndef OZU_PNG_FEED_H
#define OZU_PNG_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A PNG being decoded through libpng while its bytes come. Belongs to one thread at a time.
typedef struct OzuPNGFeed OzuPNGFeed;

/// Makes a decoder that writes 8-bit BGRA, alpha not multiplied in, to rows of the whole picture, which must outlive
/// it. NULL when they are for other pixels, or memory is short.
OzuPNGFeed *ozu_png_feed_new(OzuRows rows);
void ozu_png_feed_free(OzuPNGFeed *feed);

/// The library's words for the last failure. Valid until the next call.
const char *ozu_png_feed_message(const OzuPNGFeed *feed);

/// Takes the next bytes of the file, from its signature on. What it does not use at once of a chunk other than IDAT it
/// keeps: only chunks that make pixels should be given. `Done` when the picture is whole. Nothing may be given after
/// `Failed`.
OzuStatus ozu_png_feed_give(OzuPNGFeed *feed, const uint8_t *data, size_t size);

/// How many rows have pixels; the first pass of an interlaced picture paints blocks of eight rows.
uint32_t ozu_png_feed_rows(const OzuPNGFeed *feed);

/// How many rows were decoded, those of each pass counted.
uint64_t ozu_png_feed_progress(const OzuPNGFeed *feed);

/// Whether pixels may be transparent; known when there are rows.
bool ozu_png_feed_has_alpha(const OzuPNGFeed *feed);

#endif
