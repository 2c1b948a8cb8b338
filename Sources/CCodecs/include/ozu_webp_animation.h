#ifndef OZU_WEBP_ANIMATION_H
#define OZU_WEBP_ANIMATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_bytes.h"
#include "ozu_encode.h"
#include "ozu_status.h"

/// An animated WebP being written through libwebpmux. Belongs to one thread at a time. Defined with the trait WebP only.
typedef struct OzuWebPAnimation OzuWebPAnimation;

/// How an animation is written.
typedef struct {
  uint32_t width;
  uint32_t height;
  /// How often it is played; 0 for ever.
  uint16_t loop_count;
  /// 0 to 1.
  double quality;
  bool is_lossless;
  OzuEffort effort;
} OzuWebPAnimationRequest;

/// Begins an animation; NULL when the library cannot write such a canvas, or memory is short.
OzuWebPAnimation *ozu_webp_animation_new(const OzuWebPAnimationRequest *request);
void ozu_webp_animation_free(OzuWebPAnimation *animation);

/// Adds a whole canvas: `height` rows of BGRA, alpha not multiplied in, of the size that the animation has. `start` is when it
/// is first seen, in milliseconds, at least as great as that of the frame before.
OzuStatus ozu_webp_animation_add(
    OzuWebPAnimation *animation, const uint8_t *pixels, size_t bytes_per_row, uint32_t width, uint32_t height,
    bool has_alpha, int32_t start);

/// Ends the animation at a time in milliseconds. On `Done`, `file`, empty before, has the bytes, for the caller to free().
OzuStatus ozu_webp_animation_finish(OzuWebPAnimation *animation, int32_t end, OzuBytes *file);

/// The library's words for the last failure. Valid until the next call.
const char *ozu_webp_animation_message(const OzuWebPAnimation *animation);

#endif
