#ifndef OZU_BYTES_H
#define OZU_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes of a file that is being written, in a growing block from malloc(). All zero is empty.
typedef struct {
  uint8_t *bytes;
  size_t count;
  size_t capacity;
} OzuBytes;

/// Makes room for `more` bytes after the existing ones, and at least doubles the block. False if memory is short:
/// then nothing changes, and the owner still has to free() the block.
bool ozu_bytes_reserve(OzuBytes *bytes, size_t more);

/// Appends bytes; false as above.
bool ozu_bytes_append(OzuBytes *bytes, const uint8_t *from, size_t count);

/// For tests: lets every growth on the calling thread beyond `limit` bytes fail, as if memory were short; SIZE_MAX,
/// the default, is no limit.
void ozu_bytes_set_limit(size_t limit);

#endif
