#ifndef OZU_LABEL_H
#define OZU_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"

/// Text that was laid out by Pango, to be drawn by cairo. Belongs to one thread at a time. Defined only with the trait SVG,
/// whose library needs Pango.
typedef struct OzuLabel OzuLabel;

typedef enum __attribute__((enum_extensibility(closed))) {
  OzuLabelAlignmentStart = 0,
  OzuLabelAlignmentCenter = 1,
  OzuLabelAlignmentEnd = 2,
  OzuLabelAlignmentJustify = 3,
} OzuLabelAlignment;

typedef enum __attribute__((enum_extensibility(closed))) {
  OzuLabelEllipsisNone = 0,
  OzuLabelEllipsisStart = 1,
  OzuLabelEllipsisMiddle = 2,
  OzuLabelEllipsisEnd = 3,
} OzuLabelEllipsis;

typedef enum __attribute__((enum_extensibility(closed))) {
  OzuLabelDirectionAutomatic = 0,
  OzuLabelDirectionLeftToRight = 1,
  OzuLabelDirectionRightToLeft = 2,
} OzuLabelDirection;

/// What is laid out. The caller has checked every number.
typedef struct {
  /// UTF-8 without zeros.
  const char *text;
  size_t text_size;
  /// Names of families with commas between them; not read if there is a file.
  const char *families;
  /// A font file by its path; NULL for a font of the system.
  const char *file;
  const char *language;
  double size;
  double line_height;
  /// The width of the line around characters; 0 for none.
  double outline;
  int weight;
  /// The width at which lines are wrapped; -1 for none.
  int width;
  /// 0 for any number.
  int line_limit;
  bool is_italic;
  bool is_markup;
  OzuLabelAlignment alignment;
  OzuLabelEllipsis ellipsis;
  OzuLabelDirection direction;
} OzuLabelText;

/// What a text takes, in pixels from the left upper corner of its lines.
typedef struct {
  /// The lines.
  int left, top, right, bottom;
  /// The lines, and the parts of characters and their outlines that reach out of them.
  int ink_left, ink_top, ink_right, ink_bottom;
  /// Characters that no font has, with repetitions, and the first of them.
  int missing_count;
  uint32_t missing[4];
} OzuLabelBox;

typedef enum __attribute__((enum_extensibility(closed))) {
  OzuLabelDone = 0,
  /// Pango is not installed, or memory is short.
  OzuLabelUnavailable = 1,
  /// The font file cannot be used, or there is no font at all.
  OzuLabelFont = 2,
  /// The markup is wrong.
  OzuLabelMarkup = 3,
  /// The lines are longer than Pango can count.
  OzuLabelSize = 4,
} OzuLabelStatus;

/// Colours as 0xRRGGBBAA, not premultiplied.
typedef struct {
  uint32_t text;
  uint32_t outline;
} OzuLabelColors;

/// A box behind the text; it is drawn if its width is not 0.
typedef struct {
  double x, y, width, height, corner_radius;
  uint32_t color;
} OzuLabelBackground;

/// Loads Pango and the table of the system's fonts, which otherwise the first label does. It starts no thread.
OzuLabelStatus ozu_label_prepare(char *message, size_t message_capacity);

/// Whether a family is installed, or another that stands for it by the rules of the system. Loads Pango.
OzuLabelStatus ozu_label_find_family(const char *family, bool *exists, char *message, size_t message_capacity);

/// Lays a text out. On success `label` is to be freed; otherwise the message says why not.
OzuLabelStatus ozu_label_lay_out(
    const OzuLabelText *text, OzuLabel **label, OzuLabelBox *box, char *message, size_t message_capacity);

/// Draws a label on transparent pixels, whose bytes need no value before: BGRA, premultiplied. `x` and `y` are the place of
/// the left upper corner of the lines. False if memory is short or a side is longer than 32,767.
bool ozu_label_draw(
    OzuLabel *label, OzuRows rows, double x, double y, OzuLabelColors colors, OzuLabelBackground background);

void ozu_label_free(OzuLabel *label);

#endif
