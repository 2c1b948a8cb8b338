// Text through Pango and cairo. Both come with librsvg, and are opened when the first label is drawn.
//
// A font map keeps what was read of fonts and is used by one thread at a time; `take_map` lends them. A font file gets a map
// with a configuration of fontconfig of its own, so that neither the app's nor another label's fonts change.
//
// A program that is linked with its libraries draws no labels: the packages for developers that it needs are not those of
// Pango.

#if defined(OZU_SVG) && defined(OZU_LOADS_LIBRARIES)

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ozu_label.h"
#include "label_library.h"

OZU_DEFINE_LIBRARY(pango, OZU_PANGO_FUNCTIONS, "Draw text", "libpangocairo-1.0.so.0")

// MARK: Font maps

// The family that the fonts of a file get, so that no font of the system is used in their place.
static const char file_family[] = "ozu-font-file";

typedef struct {
  PangoFontMap *map;
  // The font file, and which one it was; NULL for the fonts of the system.
  char *path;
  struct stat status;
} FontMap;

// The maps that are not in use, the last used at the end.
enum { most_idle_maps = 4 };
static FontMap idle_maps[most_idle_maps];
static int idle_map_count;
static pthread_mutex_t maps_lock = PTHREAD_MUTEX_INITIALIZER;

static void free_map(FontMap *map) {
  if (map->map != NULL) pango.g_object_unref(map->map);
  free(map->path);
}

static bool is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec
      && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

// Takes an idle map for the file, or for the system's fonts. False if there is none.
static bool take_idle_map(FontMap *wanted) {
  bool is_found = false;
  pthread_mutex_lock(&maps_lock);
  for (int i = idle_map_count - 1; i >= 0 && !is_found; i--) {
    FontMap map = idle_maps[i];
    is_found = wanted->path == NULL || map.path == NULL
        ? wanted->path == map.path : strcmp(wanted->path, map.path) == 0 && is_same_file(&wanted->status, &map.status);
    if (!is_found) continue;
    memmove(&idle_maps[i], &idle_maps[i + 1], (size_t)(--idle_map_count - i) * sizeof(map));
    free(wanted->path);
    *wanted = map;
  }
  pthread_mutex_unlock(&maps_lock);
  return is_found;
}

static void give_back_map(FontMap map) {
  FontMap oldest = {0};
  pthread_mutex_lock(&maps_lock);
  if (idle_map_count == most_idle_maps) {
    oldest = idle_maps[0];
    memmove(&idle_maps[0], &idle_maps[1], (size_t)--idle_map_count * sizeof(oldest));
  }
  idle_maps[idle_map_count++] = map;
  pthread_mutex_unlock(&maps_lock);
  free_map(&oldest);
}

static OzuLabelStatus fail(OzuLabelStatus status, char *message, size_t capacity, const char *reason) {
  snprintf(message, capacity, "%s", reason);
  return status;
}

static OzuLabelStatus load(char *message, size_t capacity) {
  return ozu_dynamic_library_load(&ozu_pango_library, message, capacity) ? OzuLabelDone : OzuLabelUnavailable;
}

static bool has_fonts(FcConfig *config, int set) {
  FcFontSet *fonts = pango.FcConfigGetFonts(config, set);
  return fonts != NULL && fonts->nfont > 0;
}

// A configuration with the rules and the fonts of the system, and those of a file under a family of their own. NULL if the file
// has no font.
static FcConfig *make_config(const char *path) {
  FcConfig *config = pango.FcInitLoadConfigAndFonts();
  if (config == NULL) return NULL;
  FcFontSet *fonts = NULL;
  if (pango.FcConfigAppFontAddFile(config, (const unsigned char *)path)) fonts = pango.FcConfigGetFonts(config, FcSetApplication);
  if (fonts == NULL || fonts->nfont == 0) {
    pango.FcConfigDestroy(config);
    return NULL;
  }
  for (int i = 0; i < fonts->nfont; i++) {
    pango.FcPatternDel(fonts->fonts[i], FC_FAMILY);
    pango.FcPatternAddString(fonts->fonts[i], FC_FAMILY, (const unsigned char *)file_family);
  }
  return config;
}

// A font map that no other thread uses. Give it back.
static OzuLabelStatus take_map(const char *path, FontMap *map, char *message, size_t capacity) {
  *map = (FontMap){0};
  if (path != NULL) {
    if (stat(path, &map->status) != 0 || !S_ISREG(map->status.st_mode))
      return fail(OzuLabelFont, message, capacity, "the file does not exist, or cannot be read");
    map->path = strdup(path);
    if (map->path == NULL) return fail(OzuLabelUnavailable, message, capacity, "out of memory");
  }
  if (take_idle_map(map)) return OzuLabelDone;
  FcConfig *config = NULL;
  if (path != NULL) {
    config = make_config(path);
    if (config == NULL) {
      free_map(map);
      return fail(OzuLabelFont, message, capacity, "the file is no font, or cannot be read");
    }
  } else if (!pango.FcInit() || !has_fonts(NULL, FcSetSystem)) {
    // Pango ends the process when it finds no font.
    return fail(OzuLabelFont, message, capacity, "no font is installed on this system");
  }
  map->map = pango.pango_cairo_font_map_new();
  if (map->map != NULL && config != NULL) pango.pango_fc_font_map_set_config(map->map, config);
  // The map has a reference of its own.
  if (config != NULL) pango.FcConfigDestroy(config);
  if (map->map != NULL) return OzuLabelDone;
  free_map(map);
  return fail(OzuLabelUnavailable, message, capacity, "out of memory");
}

OzuLabelStatus ozu_label_prepare(char *message, size_t capacity) {
  OzuLabelStatus status = load(message, capacity);
  if (status == OzuLabelDone) pango.FcInit();
  return status;
}

// Whether a font has exactly this family.
static bool is_installed(const unsigned char *family) {
  FcPattern *pattern = pango.FcPatternCreate();
  FcObjectSet *objects = pango.FcObjectSetCreate();
  FcFontSet *fonts = NULL;
  if (pattern != NULL && objects != NULL && pango.FcPatternAddString(pattern, FC_FAMILY, family))
    fonts = pango.FcFontList(NULL, pattern, objects);
  bool is_found = fonts != NULL && fonts->nfont > 0;
  if (fonts != NULL) pango.FcFontSetDestroy(fonts);
  if (objects != NULL) pango.FcObjectSetDestroy(objects);
  if (pattern != NULL) pango.FcPatternDestroy(pattern);
  return is_found;
}

// The rules of the system name families that stand for others, such as Liberation Sans for Arial, as strongly as the family
// itself, and those that are merely better than nothing weakly.
OzuLabelStatus ozu_label_find_family(const char *family, bool *exists, char *message, size_t capacity) {
  OzuLabelStatus status = load(message, capacity);
  if (status != OzuLabelDone) return status;
  *exists = pango.FcInit() && is_installed((const unsigned char *)family);
  if (*exists) return OzuLabelDone;
  FcPattern *pattern = pango.FcPatternCreate();
  if (pattern == NULL) return OzuLabelDone;
  if (pango.FcPatternAddString(pattern, FC_FAMILY, (const unsigned char *)family)
      && pango.FcConfigSubstitute(NULL, pattern, FcMatchPattern)) {
    FcValue value;
    int binding;
    for (int i = 0; !*exists && pango.FcPatternGetWithBinding(pattern, FC_FAMILY, i, &value, &binding) == 0; i++) {
      if (binding != FcValueBindingWeak && value.type == FcTypeString) *exists = is_installed(value.u.s);
    }
  }
  pango.FcPatternDestroy(pattern);
  return OzuLabelDone;
}

// MARK: Layout

// A label is one layout, or two below each other if its last paragraph is cut: Pango counts lines for each paragraph.
enum { most_parts = 2 };

struct OzuLabel {
  FontMap map;
  PangoContext *context;
  PangoFontDescription *font;
  // The text without its markup, if it has any, and the attributes from that; NULL without. Otherwise a copy of the text.
  char *plain_text;
  char *copy;
  PangoAttrList *attributes;
  PangoLayout *parts[most_parts];
  int part_count;
  // The place of the second part, in units of Pango.
  int second_y;
  double outline;
};

void ozu_label_free(OzuLabel *self) {
  for (int i = 0; i < self->part_count; i++) pango.g_object_unref(self->parts[i]);
  if (self->attributes != NULL) pango.pango_attr_list_unref(self->attributes);
  if (self->plain_text != NULL) pango.g_free(self->plain_text);
  free(self->copy);
  if (self->font != NULL) pango.pango_font_description_free(self->font);
  if (self->context != NULL) pango.g_object_unref(self->context);
  if (self->map.map != NULL) give_back_map(self->map);
  free(self);
}

// Markup may multiply the size of the label by this at most, in each of two ways.
enum { largest_factor = 4 };

static int is_forbidden(PangoAttribute *attribute, void *data) {
  // Units that are a size of the label.
  double unit = *(double *)data * PANGO_SCALE, least = 0, most = largest_factor * unit, value = 0;
  switch (attribute->klass->type) {
  case PANGO_ATTR_SIZE:
  case PANGO_ATTR_ABSOLUTE_SIZE:
  case PANGO_ATTR_ABSOLUTE_LINE_HEIGHT: value = ((PangoAttrInt *)attribute)->value; break;
  case PANGO_ATTR_RISE:
  case PANGO_ATTR_BASELINE_SHIFT:
  case PANGO_ATTR_LETTER_SPACING:
    value = ((PangoAttrInt *)attribute)->value;
    least = -most;
    break;
  case PANGO_ATTR_FONT_DESC: value = pango.pango_font_description_get_size(((PangoAttrFontDesc *)attribute)->desc); break;
  case PANGO_ATTR_SCALE:
  case PANGO_ATTR_LINE_HEIGHT:
    value = ((PangoAttrFloat *)attribute)->value;
    most = largest_factor;
    break;
  }
  return !(value >= least && value <= most);
}

// Separates the text from its markup.
static OzuLabelStatus read_markup(OzuLabel *self, const OzuLabelText *text, char *message, size_t capacity) {
  GError *error = NULL;
  if (!pango.pango_parse_markup(text->text, (int)text->text_size, 0, &self->attributes, &self->plain_text, NULL, &error)) {
    fail(OzuLabelMarkup, message, capacity, error == NULL ? "it is not well-formed" : error->message);
    if (error != NULL) pango.g_error_free(error);
    return OzuLabelMarkup;
  }
  double size = text->size;
  PangoAttrList *forbidden = pango.pango_attr_list_filter(self->attributes, is_forbidden, &size);
  if (forbidden == NULL) return OzuLabelDone;
  pango.pango_attr_list_unref(forbidden);
  return fail(OzuLabelMarkup, message, capacity, "its sizes and distances may be 4 times the size of the label at most");
}

// U+2028 begins a line inside of a paragraph, which Pango does not count when it cuts. U+2029, as long, begins a paragraph.
static void begin_paragraphs(char *text) {
  while ((text = strstr(text, "\xE2\x80\xA8")) != NULL) text[2] = '\xA9';
}

static OzuLabelStatus make_context(OzuLabel *self, const OzuLabelText *text) {
  self->context = pango.pango_font_map_create_context(self->map.map);
  self->font = pango.pango_font_description_new();
  cairo_font_options_t *options = pango.cairo_font_options_create();
  if (self->context == NULL || self->font == NULL || options == NULL) return OzuLabelUnavailable;
  // The settings of a desktop do not count, so that a label is the same on every machine with the same fonts.
  pango.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  pango.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango.pango_cairo_context_set_font_options(self->context, options);
  pango.cairo_font_options_destroy(options);
  // Then a point in markup is a pixel.
  pango.pango_cairo_context_set_resolution(self->context, 72);
  pango.pango_context_set_round_glyph_positions(self->context, false);
  // Otherwise the language of the process would count.
  pango.pango_context_set_language(self->context, pango.pango_language_from_string(text->language == NULL ? "en" : text->language));
  pango.pango_context_set_base_dir(
      self->context, text->direction == OzuLabelDirectionRightToLeft ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR);
  pango.pango_font_description_set_family(self->font, text->file != NULL ? file_family : text->families);
  pango.pango_font_description_set_weight(self->font, text->weight);
  if (text->is_italic) pango.pango_font_description_set_style(self->font, PANGO_STYLE_ITALIC);
  pango.pango_font_description_set_absolute_size(self->font, text->size * PANGO_SCALE);
  return OzuLabelDone;
}

// Adds a layout of a part of the text, which begins at `start` of what the attributes belong to.
static PangoLayout *add_part(OzuLabel *self, const OzuLabelText *text, const char *part, int length, int start) {
  PangoLayout *layout = pango.pango_layout_new(self->context);
  if (layout == NULL) return NULL;
  self->parts[self->part_count++] = layout;
  pango.pango_layout_set_font_description(layout, self->font);
  pango.pango_layout_set_text(layout, part, length);
  PangoAttrList *attributes = self->attributes == NULL ? pango.pango_attr_list_new() : pango.pango_attr_list_copy(self->attributes);
  if (attributes != NULL && start > 0) pango.pango_attr_list_update(attributes, 0, start, 0);
  // Before the attributes of markup, which may say otherwise.
  if (attributes != NULL && text->line_height != 1)
    pango.pango_attr_list_insert_before(attributes, pango.pango_attr_line_height_new(text->line_height));
  pango.pango_layout_set_attributes(layout, attributes);
  if (attributes != NULL) pango.pango_attr_list_unref(attributes);
  pango.pango_layout_set_width(layout, text->width < 0 ? -1 : text->width * PANGO_SCALE);
  pango.pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  // Pango exchanges left and right for lines against the direction of the context, if it finds the direction.
  bool is_automatic = text->direction == OzuLabelDirectionAutomatic;
  pango.pango_layout_set_auto_dir(layout, is_automatic);
  bool is_mirrored = text->direction == OzuLabelDirectionRightToLeft;
  switch (text->alignment) {
  case OzuLabelAlignmentJustify: pango.pango_layout_set_justify(layout, true); __attribute__((fallthrough));
  case OzuLabelAlignmentStart: pango.pango_layout_set_alignment(layout, is_mirrored ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT); break;
  case OzuLabelAlignmentCenter: pango.pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER); break;
  case OzuLabelAlignmentEnd: pango.pango_layout_set_alignment(layout, is_mirrored ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT); break;
  }
  return layout;
}

static void remove_parts(OzuLabel *self) {
  for (int i = 0; i < self->part_count; i++) pango.g_object_unref(self->parts[i]);
  self->part_count = 0;
}

// The length of a part of a text without the line break at its end. One alone: those before it are empty lines.
static int trimmed(const char *text, int start, int end) {
  int length = end - start;
  if (length >= 2 && memcmp(text + end - 2, "\r\n", 2) == 0) return length - 2;
  if (length >= 1 && (text[end - 1] == '\n' || text[end - 1] == '\r')) return length - 1;
  return length >= 3 && memcmp(text + end - 3, "\xE2\x80\xA9", 3) == 0 ? length - 3 : length;
}

// Whether a part of a text has anything but spaces and line breaks.
static bool has_text(const char *text, int start, int end) {
  while (start < end) {
    if (strchr(" \t\r\n", text[start]) != NULL)
      start++;
    else if (end - start >= 3 && memcmp(text + start, "\xE2\x80\xA9", 3) == 0)
      start += 3;
    else
      return true;
  }
  return false;
}

// Replaces the layout by what its first lines hold.
static bool cut(OzuLabel *self, const OzuLabelText *text, const char *all, int size) {
  PangoLayout *whole = self->parts[0];
  int count = pango.pango_layout_get_line_count(whole), last = text->line_limit - 1, first = last, next = last + 1;
  PangoLayoutLine *line = pango.pango_layout_get_line_readonly(whole, last);
  int end = line->start_index + line->length;
  while (first > 0 && !pango.pango_layout_get_line_readonly(whole, first)->is_paragraph_start) first--;
  while (next < count && !pango.pango_layout_get_line_readonly(whole, next)->is_paragraph_start) next++;
  int start = pango.pango_layout_get_line_readonly(whole, first)->start_index;
  int paragraph_end = next < count ? pango.pango_layout_get_line_readonly(whole, next)->start_index : size;
  remove_parts(self);
  if (text->ellipsis == OzuLabelEllipsisNone) return add_part(self, text, all, end, 0) != NULL;
  PangoLayout *before = NULL;
  if (start > 0) {
    before = add_part(self, text, all, trimmed(all, 0, start), 0);
    if (before == NULL) return false;
  }
  int length = trimmed(all, start, paragraph_end);
  char *paragraph = malloc((size_t)length + 4);
  if (paragraph == NULL) return false;
  memcpy(paragraph, all + start, (size_t)length);
  // What is left out is another paragraph, so Pango sees nothing to mark. A line break at the end of a text leaves nothing out.
  if (next == last + 1 && has_text(all, paragraph_end, size)) {
    memcpy(paragraph + length, "\xE2\x80\xA6", 3);
    length += 3;
  }
  PangoLayout *rest = add_part(self, text, paragraph, length, start);
  free(paragraph);
  if (rest == NULL) return false;
  pango.pango_layout_set_ellipsize(rest, (int)text->ellipsis);
  pango.pango_layout_set_height(rest, -(last - first + 1));
  if (before == NULL) return true;
  PangoRectangle upper, lower;
  pango.pango_layout_get_extents(before, NULL, &upper);
  pango.pango_layout_get_extents(rest, NULL, &lower);
  self->second_y = upper.y + upper.height;
  if (text->width < 0 && text->alignment != OzuLabelAlignmentStart) {
    // Both lie between the sides of the longest line.
    int width = upper.width > lower.width ? upper.width : lower.width;
    pango.pango_layout_set_width(before, width);
    pango.pango_layout_set_width(rest, width);
  }
  return true;
}

static void note_missing(PangoLayout *layout, OzuLabelBox *box) {
  if (pango.pango_layout_get_unknown_glyphs_count(layout) == 0) return;
  int lines = pango.pango_layout_get_line_count(layout);
  for (int i = 0; i < lines; i++) {
    for (GSList *run = pango.pango_layout_get_line_readonly(layout, i)->runs; run != NULL; run = run->next) {
      PangoGlyphString *glyphs = ((PangoGlyphItem *)run->data)->glyphs;
      for (int j = 0; j < glyphs->num_glyphs; j++) {
        uint32_t glyph = glyphs->glyphs[j].glyph;
        if (!(glyph & PANGO_GLYPH_UNKNOWN_FLAG)) continue;
        if (box->missing_count < 4) box->missing[box->missing_count] = glyph & ~(uint32_t)PANGO_GLYPH_UNKNOWN_FLAG;
        box->missing_count++;
      }
    }
  }
}

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

// Units to pixels; sides that overflowed in Pango are refused later.
static int down(double units) { return (int)floor(units / PANGO_SCALE); }
static int up(double units) { return (int)ceil(units / PANGO_SCALE); }

// The edge of the ink, if it reaches out of the lines, and theirs otherwise. Less than half of a pixel is nothing but rounding, and
// labels that stand below each other would begin at different places for it.
static int out_of(int edge, double ink, int direction) {
  double distance = (ink / PANGO_SCALE - edge) * direction;
  return distance < 0.5 ? edge : edge + direction * (int)ceil(distance);
}

// The longest side for which Pango counts units.
enum { longest_side = 1 << 21 };

static bool measure(OzuLabel *self, OzuLabelBox *box) {
  for (int i = 0; i < self->part_count; i++) {
    PangoRectangle ink, logical;
    pango.pango_layout_get_extents(self->parts[i], &ink, &logical);
    if (ink.width < 0 || ink.height < 0 || logical.width < 0 || logical.height < 0) return false;
    int out = (int)ceil(self->outline);
    double y = i == 0 ? 0 : self->second_y;
    int left = down(logical.x), top = down(y + logical.y);
    int right = up((double)logical.x + logical.width), bottom = up(y + logical.y + logical.height);
    box->left = i == 0 ? left : least(box->left, left);
    box->top = i == 0 ? top : least(box->top, top);
    box->right = i == 0 ? right : greatest(box->right, right);
    box->bottom = i == 0 ? bottom : greatest(box->bottom, bottom);
    if (i == 0) {
      box->ink_left = left;
      box->ink_top = top;
      box->ink_right = right;
      box->ink_bottom = bottom;
    }
    if (ink.width > 0 && ink.height > 0) {
      box->ink_left = least(box->ink_left, out_of(left, ink.x, -1) - out);
      box->ink_top = least(box->ink_top, out_of(top, y + ink.y, -1) - out);
      box->ink_right = greatest(box->ink_right, out_of(right, (double)ink.x + ink.width, 1) + out);
      box->ink_bottom = greatest(box->ink_bottom, out_of(bottom, y + ink.y + ink.height, 1) + out);
    }
    if (i > 0) {
      box->ink_left = least(box->ink_left, left);
      box->ink_top = least(box->ink_top, top);
      box->ink_right = greatest(box->ink_right, right);
      box->ink_bottom = greatest(box->ink_bottom, bottom);
    }
    note_missing(self->parts[i], box);
  }
  return box->ink_left > -longest_side && box->ink_top > -longest_side && box->ink_right < longest_side
      && box->ink_bottom < longest_side;
}

OzuLabelStatus ozu_label_lay_out(
    const OzuLabelText *text, OzuLabel **label, OzuLabelBox *box, char *message, size_t capacity) {
  *label = NULL;
  memset(box, 0, sizeof(*box));
  OzuLabelStatus status = load(message, capacity);
  if (status != OzuLabelDone) return status;
  OzuLabel *self = calloc(1, sizeof(*self));
  if (self == NULL) return fail(OzuLabelUnavailable, message, capacity, "out of memory");
  self->outline = text->outline;
  status = take_map(text->file, &self->map, message, capacity);
  if (status == OzuLabelDone && text->is_markup) status = read_markup(self, text, message, capacity);
  if (status == OzuLabelDone && make_context(self, text) != OzuLabelDone)
    status = fail(OzuLabelUnavailable, message, capacity, "out of memory");
  if (status == OzuLabelDone && !text->is_markup) {
    self->copy = strndup(text->text, text->text_size);
    if (self->copy == NULL) status = fail(OzuLabelUnavailable, message, capacity, "out of memory");
  }
  if (status == OzuLabelDone) {
    char *all = text->is_markup ? self->plain_text : self->copy;
    begin_paragraphs(all);
    int size = (int)strlen(all);
    PangoLayout *layout = add_part(self, text, all, size, 0);
    bool is_made = layout != NULL;
    if (is_made && text->line_limit > 0 && pango.pango_layout_get_line_count(layout) > text->line_limit)
      is_made = cut(self, text, all, size);
    if (!is_made) status = fail(OzuLabelUnavailable, message, capacity, "out of memory");
  }
  if (status == OzuLabelDone && !measure(self, box))
    status = fail(OzuLabelSize, message, capacity, "its lines are too long");
  if (status == OzuLabelDone)
    *label = self;
  else
    ozu_label_free(self);
  return status;
}

// MARK: Drawing

// Surfaces of cairo have sides of 16 bits.
enum { largest_surface = 32767 };

static void set_color(cairo_t *cairo, uint32_t color) {
  pango.cairo_set_source_rgba(
      cairo, (color >> 24) / 255.0, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
}

static void draw_background(cairo_t *cairo, OzuLabelBackground box) {
  double most = fmin(box.width, box.height) / 2, radius = fmin(box.corner_radius, most);
  double left = box.x + radius, top = box.y + radius, right = box.x + box.width - radius, bottom = box.y + box.height - radius;
  set_color(cairo, box.color);
  pango.cairo_new_path(cairo);
  pango.cairo_arc(cairo, right, top, radius, -M_PI / 2, 0);
  pango.cairo_arc(cairo, right, bottom, radius, 0, M_PI / 2);
  pango.cairo_arc(cairo, left, bottom, radius, M_PI / 2, M_PI);
  pango.cairo_arc(cairo, left, top, radius, M_PI, 3 * M_PI / 2);
  pango.cairo_close_path(cairo);
  pango.cairo_fill(cairo);
}

static void move_to_part(OzuLabel *self, cairo_t *cairo, double x, double y, int part) {
  pango.cairo_move_to(cairo, x, y + (part == 0 ? 0 : (double)self->second_y / PANGO_SCALE));
}

static void add_path(OzuLabel *self, cairo_t *cairo, double x, double y, int part) {
  pango.cairo_new_path(cairo);
  move_to_part(self, cairo, x, y, part);
  pango.pango_cairo_layout_path(cairo, self->parts[part]);
}

bool ozu_label_draw(
    OzuLabel *self, OzuRows rows, double x, double y, OzuLabelColors colors, OzuLabelBackground background) {
  if (rows.width > largest_surface || rows.height > largest_surface) return false;
  if (!ozu_rows_hold(&rows, rows.width, rows.height, OzuPixelsBGRA8)) return false;
  for (uint32_t row = 0; row < rows.height; row++) memset(rows.bytes + row * rows.bytes_per_row, 0, (size_t)rows.width * 4);
  cairo_surface_t *surface = pango.cairo_image_surface_create_for_data(
      rows.bytes, CAIRO_FORMAT_ARGB32, (int)rows.width, (int)rows.height, (int)rows.bytes_per_row);
  cairo_t *cairo = pango.cairo_create(surface);
  if (background.width > 0 && background.height > 0) draw_background(cairo, background);
  if (self->outline > 0) {
    // The inner half of the line lies under the characters. If they are not opaque, it is taken out on a surface of its own.
    bool is_seen = (colors.text & 255) != 255;
    if (is_seen) pango.cairo_push_group(cairo);
    set_color(cairo, colors.outline);
    pango.cairo_set_line_width(cairo, 2 * self->outline);
    pango.cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (int i = 0; i < self->part_count; i++) {
      add_path(self, cairo, x, y, i);
      pango.cairo_stroke(cairo);
    }
    if (is_seen) {
      set_color(cairo, 255);
      pango.cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_OUT);
      for (int i = 0; i < self->part_count; i++) {
        add_path(self, cairo, x, y, i);
        pango.cairo_fill(cairo);
      }
      pango.cairo_pop_group_to_source(cairo);
      pango.cairo_paint(cairo);
    }
  }
  set_color(cairo, colors.text);
  for (int i = 0; i < self->part_count; i++) {
    move_to_part(self, cairo, x, y, i);
    pango.pango_cairo_show_layout(cairo, self->parts[i]);
  }
  pango.cairo_surface_flush(surface);
  bool is_drawn = pango.cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
  pango.cairo_destroy(cairo);
  pango.cairo_surface_destroy(surface);
  return is_drawn;
}

#elif defined(OZU_SVG)

#include <stdio.h>

#include "ozu_label.h"

static const char absence[] = "this program is linked with its libraries, and draws no text then";

OzuLabelStatus ozu_label_prepare(char *message, size_t capacity) {
  snprintf(message, capacity, "%s", absence);
  return OzuLabelUnavailable;
}

OzuLabelStatus ozu_label_find_family(const char *family, bool *exists, char *message, size_t capacity) {
  (void)family;
  *exists = false;
  return ozu_label_prepare(message, capacity);
}

OzuLabelStatus ozu_label_lay_out(
    const OzuLabelText *text, OzuLabel **label, OzuLabelBox *box, char *message, size_t capacity) {
  (void)text, (void)box;
  *label = NULL;
  return ozu_label_prepare(message, capacity);
}

bool ozu_label_draw(
    OzuLabel *label, OzuRows rows, double x, double y, OzuLabelColors colors, OzuLabelBackground background) {
  (void)label, (void)rows, (void)x, (void)y, (void)colors, (void)background;
  return false;
}

void ozu_label_free(OzuLabel *label) { (void)label; }

#endif
