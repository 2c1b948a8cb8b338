#ifndef OZU_JXL_FEED_H
#define OZU_JXL_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A decoder of JPEG XL over libjxl for a file that is still arriving. Belongs to one thread at a time. Defined
/// only with the trait JXL.
typedef struct OzuJXLFeed OzuJXLFeed;

/// Makes a decoder that writes RGBA of four bytes, red first, to rows of the whole picture. The memory must outlive
/// it, and the distance of rows must be the next multiple of 16 bytes. NULL if it is not, or if memory is short.
OzuJXLFeed *ozu_jxl_feed_new(OzuRows rows);
void ozu_jxl_feed_free(OzuJXLFeed *feed);

/// Continues to decode. Each call passes the file from its beginning: the bytes of the previous call, and more. `More` if it
/// stopped on the way, `Truncated` if more bytes are needed, `Done` if the picture, or its first frame, is
/// complete.
OzuStatus ozu_jxl_feed_read(OzuJXLFeed *feed, const uint8_t *data, size_t size);

/// Writes the pixels that are known to the rows; `More` while there are none.
OzuStatus ozu_jxl_feed_flush(OzuJXLFeed *feed);

#endif
