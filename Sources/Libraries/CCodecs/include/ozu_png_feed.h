#ifndef OZU_PNG_FEED_H
#define OZU_PNG_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A decoder of PNG over libpng for a file that is still arriving. Belongs to one thread at a time.
typedef struct OzuPNGFeed OzuPNGFeed;

/// Makes a decoder that writes 8-bit BGRA with straight alpha to rows of the whole picture, which must outlive it.
/// NULL if they are for other pixels, or if memory is short.
OzuPNGFeed *ozu_png_feed_new(OzuRows rows);
void ozu_png_feed_free(OzuPNGFeed *feed);

/// The library's message about the last failure. Valid until the next call.
const char *ozu_png_feed_message(const OzuPNGFeed *feed);

/// Takes the next bytes of the file, beginning with its signature. If it cannot use a chunk other than IDAT at
/// once, it keeps the bytes: so only chunks that make pixels should be passed. `Done` if the picture is complete.
/// Nothing may be passed after `Failed`.
OzuStatus ozu_png_feed_give(OzuPNGFeed *feed, const uint8_t *data, size_t size);

/// How many rows have pixels; the first pass of an interlaced picture paints blocks of eight rows.
uint32_t ozu_png_feed_rows(const OzuPNGFeed *feed);

/// How many rows were decoded, counting those of each pass.
uint64_t ozu_png_feed_progress(const OzuPNGFeed *feed);

/// Whether pixels may be transparent; known as soon as there are rows.
bool ozu_png_feed_has_alpha(const OzuPNGFeed *feed);

#endif
