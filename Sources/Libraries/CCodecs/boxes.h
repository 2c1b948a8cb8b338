// Reads boxes of HEIF and AVIF files before a library does: facts that the library tells in words only or reads
// wrongly. Not visible to Swift.

#ifndef OZU_BOXES_H
#define OZU_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_picture.h"

/// How the boxes at the top level end: with the file, without a length (which the standard allows), or beyond the end of
/// the file.
typedef enum { OzuBoxesEndWhole, OzuBoxesEndOpen, OzuBoxesEndCut } OzuBoxesEnd;

OzuBoxesEnd ozu_boxes_find_end(const uint8_t *data, size_t size);

/// Whether a box of this type is at the top level.
bool ozu_boxes_have(const uint8_t *data, size_t size, const char *type);

/// Finds the kind of the primary item, such as "hvc1", or that of its first tile if it is a grid or an overlay. Returns
/// false if there is none.
bool ozu_boxes_find_coding(const uint8_t *data, size_t size, char kind[4]);

/// Finds the size of an item that is over the limits on sides and pixels. Returns false if there is none.
bool ozu_boxes_find_large_item(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint32_t *width, uint32_t *height);

/// The same for the tracks of pictures.
bool ozu_boxes_find_large_track(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint32_t *width, uint32_t *height);

/// The frames of the longest track of pictures; 0 if there is none.
uint32_t ozu_boxes_frame_count(const uint8_t *data, size_t size);

/// A copy of an AVIF file without the tracks that are neither pictures nor their alpha, for the caller to free():
/// libavif refuses sound, and takes a depth map for alpha. NULL if there are none, or if memory is short.
uint8_t *ozu_avif_without_other_tracks(const uint8_t *data, size_t size);

/// A copy of an AVIF file in which libavif finds no gain map, for the caller to free(). NULL if there is none, or if
/// memory is short.
uint8_t *ozu_avif_without_gain_map(const uint8_t *data, size_t size);

#endif
