// Reads boxes of ISO/IEC 14496-12 and 23008-12. Each access is checked.

#if defined(OZU_AVIF) || defined(OZU_HEIF)

// For memmem.
#define _GNU_SOURCE

#include "boxes.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const uint8_t *at;
  size_t size;
} Bytes;

typedef struct {
  char type[4];
  Bytes content;
  // The start of the box.
  const uint8_t *start;
} Box;

static uint64_t take(Bytes *bytes, size_t count) {
  uint64_t value = 0;
  if (bytes->size < count) {
    bytes->size = 0;
    return 0;
  }
  for (size_t i = 0; i < count; i++) value = value << 8 | bytes->at[i];
  bytes->at += count;
  bytes->size -= count;
  return value;
}

// Takes the next box; false at the end, and if its length leads outside of the bytes.
static bool next_box(Bytes *bytes, Box *box) {
  Bytes rest = *bytes;
  if (rest.size < 8) return false;
  uint64_t size = take(&rest, 4), head = 8;
  memcpy(box->type, rest.at, 4);
  take(&rest, 4);
  if (size == 1) {
    if (rest.size < 8) return false;
    size = take(&rest, 8);
    head = 16;
  }
  if (size == 0) size = bytes->size;
  if (size < head || size > bytes->size) return false;
  box->start = bytes->at;
  box->content = (Bytes){bytes->at + head, (size_t)(size - head)};
  bytes->at += size;
  bytes->size -= (size_t)size;
  return true;
}

static bool is(const Box *box, const char *type) { return memcmp(box->type, type, 4) == 0; }

// The first box of a type.
static bool find(Bytes bytes, const char *type, Box *box) {
  while (next_box(&bytes, box))
    if (is(box, type)) return true;
  return false;
}

// The box of a path: the first of each type, inside the one before. "meta" has a version before its boxes.
static bool find_path(Bytes bytes, const char *const *types, Box *box) {
  for (; *types != NULL; types++) {
    if (!find(bytes, *types, box)) return false;
    bytes = box->content;
    if (is(box, "meta")) take(&bytes, 4);
  }
  return true;
}

static bool mentions(Bytes bytes, const char *text) {
  return memmem(bytes.at, bytes.size, text, strlen(text)) != NULL;
}

// Whether a track has pictures, or their alpha.
static bool is_wanted(const Box *track) {
  Box media, handler;
  if (!find(track->content, "mdia", &media) || !find(media.content, "hdlr", &handler)) return true;
  if (handler.content.size < 12) return true;
  const uint8_t *type = handler.content.at + 8;
  if (memcmp(type, "auxv", 4) == 0)
    return !mentions(media.content, "auxi") || mentions(media.content, "auxiliary:alpha")
        || mentions(media.content, "auxid:1");
  return memcmp(type, "pict", 4) == 0;
}

OzuBoxesEnd ozu_boxes_find_end(const uint8_t *data, size_t size) {
  Bytes rest = {data, size};
  while (rest.size > 0) {
    Bytes box = rest;
    if (box.size < 8) return OzuBoxesEndCut;
    uint64_t length = take(&box, 4);
    take(&box, 4);
    if (length == 0) return OzuBoxesEndOpen;
    if (length == 1) {
      if (box.size < 8) return OzuBoxesEndCut;
      length = take(&box, 8);
    }
    if (length < 8) return OzuBoxesEndWhole;
    if (length > rest.size) return OzuBoxesEndCut;
    rest = (Bytes){rest.at + length, rest.size - (size_t)length};
  }
  return OzuBoxesEndWhole;
}

bool ozu_boxes_have(const uint8_t *data, size_t size, const char *type) {
  Box box;
  return find((Bytes){data, size}, type, &box);
}

// Finds the kind of an item in the table of items, the content of "iinf".
static bool find_kind(Bytes table, uint64_t item, char kind[4]) {
  uint64_t version = take(&table, 1);
  take(&table, 3);
  take(&table, version == 0 ? 2 : 4);
  Box entry;
  while (next_box(&table, &entry)) {
    if (!is(&entry, "infe")) continue;
    uint64_t entry_version = take(&entry.content, 1);
    take(&entry.content, 3);
    // Versions before 2 have no kind.
    if (entry_version < 2 || take(&entry.content, entry_version == 2 ? 2 : 4) != item) continue;
    take(&entry.content, 2);
    if (entry.content.size < 4) return false;
    memcpy(kind, entry.content.at, 4);
    return true;
  }
  return false;
}

bool ozu_boxes_find_coding(const uint8_t *data, size_t size, char kind[4]) {
  Bytes file = {data, size};
  Box primary, items, references, reference;
  if (!find_path(file, (const char *const[]){"meta", "pitm", NULL}, &primary)
      || !find_path(file, (const char *const[]){"meta", "iinf", NULL}, &items))
    return false;
  size_t id_size = take(&primary.content, 1) == 0 ? 2 : 4;
  take(&primary.content, 3);
  uint64_t id = take(&primary.content, id_size);
  if (!find_kind(items.content, id, kind)) return false;
  if (memcmp(kind, "grid", 4) != 0 && memcmp(kind, "iovl", 4) != 0) return true;
  if (!find_path(file, (const char *const[]){"meta", "iref", NULL}, &references)) return false;
  id_size = take(&references.content, 1) == 0 ? 2 : 4;
  take(&references.content, 3);
  while (next_box(&references.content, &reference)) {
    if (!is(&reference, "dimg") || take(&reference.content, id_size) != id) continue;
    return take(&reference.content, 2) > 0 && find_kind(items.content, take(&reference.content, id_size), kind);
  }
  return false;
}

// Takes the sides, which have some bits of fraction.
static bool takes_large(Bytes *bytes, int fraction, OzuPictureLimits limits, uint32_t *width, uint32_t *height) {
  *width = (uint32_t)take(bytes, 4) >> fraction;
  *height = (uint32_t)take(bytes, 4) >> fraction;
  return *width > limits.side || *height > limits.side || (uint64_t)*width * *height > limits.pixels;
}

// The box "ispe" (ISO/IEC 23008-12 §6.5.3).
bool ozu_boxes_find_large_item(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint32_t *width, uint32_t *height) {
  Box properties, property;
  if (!find_path((Bytes){data, size}, (const char *const[]){"meta", "iprp", "ipco", NULL}, &properties)) return false;
  while (next_box(&properties.content, &property)) {
    if (!is(&property, "ispe")) continue;
    take(&property.content, 4);
    if (takes_large(&property.content, 0, limits, width, height)) return true;
  }
  return false;
}

// The last eight bytes of the box "tkhd" (ISO/IEC 14496-12 §8.3.2).
bool ozu_boxes_find_large_track(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint32_t *width, uint32_t *height) {
  Box movie, track, header;
  if (!find((Bytes){data, size}, "moov", &movie)) return false;
  while (next_box(&movie.content, &track)) {
    if (!is(&track, "trak") || !is_wanted(&track) || !find(track.content, "tkhd", &header)) continue;
    if (header.content.size < 8) continue;
    Bytes sides = {header.content.at + header.content.size - 8, 8};
    if (takes_large(&sides, 16, limits, width, height)) return true;
  }
  return false;
}

uint32_t ozu_boxes_frame_count(const uint8_t *data, size_t size) {
  Box movie, track, sizes;
  uint32_t most = 0;
  if (!find((Bytes){data, size}, "moov", &movie)) return 0;
  while (next_box(&movie.content, &track)) {
    static const char *const path[] = {"mdia", "minf", "stbl", "stsz", NULL};
    if (!is(&track, "trak") || !is_wanted(&track) || !find_path(track.content, path, &sizes)) continue;
    // Version, flags, the size of all samples if they have one, and their number (§8.7.3).
    take(&sizes.content, 8);
    uint32_t count = (uint32_t)take(&sizes.content, 4);
    if (count > most) most = count;
  }
  return most;
}

static uint8_t *copy_of(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size);
  if (copy != NULL) memcpy(copy, data, size);
  return copy;
}

uint8_t *ozu_avif_without_other_tracks(const uint8_t *data, size_t size) {
  Box movie, track;
  uint8_t *copy = NULL;
  if (!find((Bytes){data, size}, "moov", &movie)) return NULL;
  while (next_box(&movie.content, &track)) {
    if (!is(&track, "trak") || is_wanted(&track)) continue;
    if (copy == NULL && (copy = copy_of(data, size)) == NULL) return NULL;
    // A box of free space, which readers skip.
    memcpy(copy + (track.start - data) + 4, "free", 4);
  }
  return copy;
}

// Readers look for a gain map only if the brand "tmap" is among those of the file, which are words of four bytes.
uint8_t *ozu_avif_without_gain_map(const uint8_t *data, size_t size) {
  Box brands;
  if (!find((Bytes){data, size}, "ftyp", &brands)) return NULL;
  for (size_t at = 8; at + 4 <= brands.content.size; at += 4) {
    const uint8_t *brand = brands.content.at + at;
    if (memcmp(brand, "tmap", 4) != 0) continue;
    uint8_t *copy = copy_of(data, size);
    if (copy != NULL) memcpy(copy + (brand - data), "mif1", 4);
    return copy;
  }
  return NULL;
}

#endif
