// Reads boxes of ISO/IEC 14496-12 and 23008-12. Each access is checked.

#ifdef OZU_AVIF

// For memmem.
#define _GNU_SOURCE

#include "avif_boxes.h"

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

// The most dimg boxes that are read: those of a picture and its alpha, and some more.
enum { most_grids = 8 };

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

static bool mentions(Bytes bytes, const char *text) {
  return memmem(bytes.at, bytes.size, text, strlen(text)) != NULL;
}

// Whether a property that turns or crops is bound to an item without the flag "essential", which says that readers
// must apply it (ISO/IEC 23000-22 §7.3.9); newer versions of libavif refuse this.
static bool has_optional_turn(Bytes properties) {
  Box container, association;
  if (!find(properties, "ipco", &container) || !find(properties, "ipma", &association)) return false;
  bool turns[0x80] = {false};
  Box property;
  for (size_t index = 1; index < sizeof(turns) && next_box(&container.content, &property); index++)
    turns[index] = is(&property, "irot") || is(&property, "imir") || is(&property, "clap");
  Bytes bytes = association.content;
  uint64_t version = take(&bytes, 1), flags = take(&bytes, 3), count = take(&bytes, 4);
  for (uint64_t item = 0; item < count && bytes.size > 0; item++) {
    take(&bytes, version < 1 ? 2 : 4);
    for (uint64_t left = take(&bytes, 1); left > 0 && bytes.size > 0; left--) {
      uint64_t value = take(&bytes, flags & 1 ? 2 : 1);
      bool is_essential = value >> (flags & 1 ? 15 : 7);
      uint64_t index = value & (flags & 1 ? 0x7FFF : 0x7F);
      if (!is_essential && index < sizeof(turns) && turns[index]) return true;
    }
  }
  return false;
}

// Whether the tiles of a grid are the items in their order, each once: libavif 0.11 composes them in that order.
static bool is_in_order(Bytes tiles, size_t id_size, Bytes items) {
  Bytes table = items;
  uint64_t version = take(&table, 1);
  take(&table, 3);
  take(&table, version == 0 ? 2 : 4);
  Box entry;
  for (uint64_t left = take(&tiles, 2); left > 0 && tiles.size >= id_size; left--) {
    uint64_t wanted = take(&tiles, id_size), found = UINT64_MAX;
    while (found != wanted) {
      if (!next_box(&table, &entry)) return false;
      if (!is(&entry, "infe")) continue;
      uint64_t entry_version = take(&entry.content, 1);
      take(&entry.content, 3);
      found = take(&entry.content, entry_version < 3 ? 2 : 4);
    }
  }
  return true;
}

static bool has_disordered_grid(Bytes meta) {
  Box references, items, reference;
  if (!find(meta, "iref", &references) || !find(meta, "iinf", &items)) return false;
  Bytes bytes = references.content;
  size_t id_size = take(&bytes, 1) == 0 ? 2 : 4;
  take(&bytes, 3);
  for (int grids = 0; grids < most_grids && next_box(&bytes, &reference);) {
    if (!is(&reference, "dimg")) continue;
    grids++;
    take(&reference.content, id_size);
    if (!is_in_order(reference.content, id_size, items.content)) return true;
  }
  return false;
}

const char *ozu_avif_objection(const uint8_t *data, size_t size, bool *is_unsupported) {
  Box meta, properties;
  if (!find((Bytes){data, size}, "meta", &meta)) return NULL;
  take(&meta.content, 4);
  if (find(meta.content, "iprp", &properties) && has_optional_turn(properties.content))
    return "a turn or a cut that is not marked as essential";
  if (has_disordered_grid(meta.content)) {
    *is_unsupported = true;
    return "its grid uses a tile twice, or in another order than the file";
  }
  return NULL;
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

uint8_t *ozu_avif_without_other_tracks(const uint8_t *data, size_t size) {
  Box movie, track;
  uint8_t *copy = NULL;
  if (!find((Bytes){data, size}, "moov", &movie)) return NULL;
  while (next_box(&movie.content, &track)) {
    if (!is(&track, "trak") || is_wanted(&track)) continue;
    if (copy == NULL) {
      copy = malloc(size);
      if (copy == NULL) return NULL;
      memcpy(copy, data, size);
    }
    // A box of free space, which readers skip.
    memcpy(copy + (track.start - data) + 4, "free", 4);
  }
  return copy;
}

#endif
