#ifndef OZU_BYTES_H
#define OZU_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes of a file being written, in a block from malloc() that grows. All zero is empty.
typedef struct {
  uint8_t *bytes;
  size_t count;
  size_t capacity;
} OzuBytes;

/// Makes room for `more` bytes behind those that are there, and at least doubles the block. False when memory is short:
/// all stays as it is then, and the block is still the owner's to free().
bool ozu_bytes_reserve(OzuBytes *bytes, size_t more);

/// Appends bytes; false as above.
bool ozu_bytes_append(OzuBytes *bytes, const uint8_t *from, size_t count);

/// Lets every growth on the calling thread beyond so many bytes fail, as if memory were short; SIZE_MAX, the default, for
/// none. For tests.
void ozu_bytes_set_limit(size_t limit);

#endif
