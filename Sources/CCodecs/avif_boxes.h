// Finds boxes of an AVIF file that libavif 0.11 reads wrongly, before it reads them. Not visible to Swift.

#ifndef OZU_AVIF_BOXES_H
#define OZU_AVIF_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the reason to refuse a file that libavif would show wrongly; NULL for other files. Sets `*is_unsupported`
/// if the file is correct, and leaves it unchanged if the file is wrong.
const char *ozu_avif_objection(const uint8_t *data, size_t size, bool *is_unsupported);

/// A copy of the file without the tracks that are neither pictures nor their alpha, for the caller to free():
/// libavif refuses sound, and takes a depth map for alpha. NULL if there are none, or if memory is short.
uint8_t *ozu_avif_without_other_tracks(const uint8_t *data, size_t size);

#endif
