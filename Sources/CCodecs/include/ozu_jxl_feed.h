#ifndef OZU_JXL_FEED_H
#define OZU_JXL_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A JPEG XL being decoded through libjxl while its bytes come. Belongs to one thread at a time. Defined with the trait
/// JXL only.
typedef struct OzuJXLFeed OzuJXLFeed;

/// Makes a decoder that writes RGBA of four bytes, red first, to rows of the whole picture, which must outlive it and are
/// the next multiple of 16 bytes apart. NULL when they are not, or memory is short.
OzuJXLFeed *ozu_jxl_feed_new(OzuRows rows);
void ozu_jxl_feed_free(OzuJXLFeed *feed);

/// Decodes on. The bytes of the file from its beginning are given: those of the call before, and more. `More` when it
/// stopped on the way, `Truncated` when more bytes are needed, `Done` when the picture, or its first frame, is whole.
OzuStatus ozu_jxl_feed_read(OzuJXLFeed *feed, const uint8_t *data, size_t size);

/// Writes what is known to the rows; `More` while there is nothing to see.
OzuStatus ozu_jxl_feed_flush(OzuJXLFeed *feed);

#endif
