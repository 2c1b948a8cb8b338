#ifndef OZU_WEBP_ANIMATION_H
#define OZU_WEBP_ANIMATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_bytes.h"
#include "ozu_encode.h"
#include "ozu_status.h"

/// A writer of animated WebP over libwebpmux. Belongs to one thread at a time. Defined only with the trait WebP.
typedef struct OzuWebPAnimation OzuWebPAnimation;

/// The options for writing an animation.
typedef struct {
  uint32_t width;
  uint32_t height;
  /// How many times it is played; 0 means without end.
  uint16_t loop_count;
  /// 0 to 1.
  double quality;
  bool is_lossless;
  OzuEffort effort;
} OzuWebPAnimationRequest;

/// Begins an animation; NULL if the library cannot write such a canvas, or if memory is short.
OzuWebPAnimation *ozu_webp_animation_new(const OzuWebPAnimationRequest *request);
void ozu_webp_animation_free(OzuWebPAnimation *animation);

/// Adds a whole canvas: `height` rows of BGRA with straight alpha, of the animation's size. `start` is the time at
/// which it is first shown, in milliseconds, at least that of the previous frame.
OzuStatus ozu_webp_animation_add(
    OzuWebPAnimation *animation, const uint8_t *pixels, size_t bytes_per_row, uint32_t width, uint32_t height,
    bool has_alpha, int32_t start);

/// Ends the animation at a time in milliseconds. On `Done`, `file`, which must be empty before, has the bytes; the
/// caller has to free() them.
OzuStatus ozu_webp_animation_finish(OzuWebPAnimation *animation, int32_t end, OzuBytes *file);

/// The library's message about the last failure. Valid until the next call.
const char *ozu_webp_animation_message(const OzuWebPAnimation *animation);

#endif
