// What libavif 0.11 takes wrongly in the boxes of an AVIF file, found before it sees them. Not seen by Swift.

#ifndef OZU_AVIF_BOXES_H
#define OZU_AVIF_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Why a file is refused that libavif would show wrongly; NULL for all others. `*is_unsupported` is set where the file is
/// right, and not cleared where it is wrong.
const char *ozu_avif_objection(const uint8_t *data, size_t size, bool *is_unsupported);

/// A copy of the file, for the caller to free(), without the tracks that are neither pictures nor their alpha: libavif
/// refuses sound, and takes a map of depth for alpha. NULL where there are none, or memory is short.
uint8_t *ozu_avif_without_other_tracks(const uint8_t *data, size_t size);

#endif
