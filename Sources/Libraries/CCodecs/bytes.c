// The buffer that all encoders write to.

#include "CCodecs.h"

#include <stdlib.h>
#include <string.h>

enum { first_capacity = 1 << 16 };

static _Thread_local size_t capacity_limit = SIZE_MAX;

void ozu_bytes_set_limit(size_t limit) { capacity_limit = limit; }

bool ozu_bytes_reserve(OzuBytes *bytes, size_t more) {
  if (more <= bytes->capacity - bytes->count) return true;
  size_t needed;
  if (__builtin_add_overflow(bytes->count, more, &needed)) return false;
  size_t capacity = bytes->capacity == 0 ? first_capacity : bytes->capacity;
  while (capacity < needed)
    if (__builtin_mul_overflow(capacity, (size_t)2, &capacity)) return false;
  if (capacity > capacity_limit) return false;
  uint8_t *block = realloc(bytes->bytes, capacity);
  if (block == NULL) return false;
  bytes->bytes = block;
  bytes->capacity = capacity;
  return true;
}

bool ozu_bytes_append(OzuBytes *bytes, const uint8_t *from, size_t count) {
  if (!ozu_bytes_reserve(bytes, count)) return false;
  memcpy(bytes->bytes + bytes->count, from, count);
  bytes->count += count;
  return true;
}
