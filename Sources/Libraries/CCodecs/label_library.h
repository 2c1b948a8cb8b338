// The functions of Pango, cairo, fontconfig and GObject that labels call. Not visible to Swift.
//
// All but those of cairo are declared here: librsvg's package for developers brings the headers of cairo alone, and its
// library the others. Structures are those of Pango 1.50, which may not change before 2.0.

#ifndef OZU_LABEL_LIBRARY_H
#define OZU_LABEL_LIBRARY_H

#if !__has_include(<cairo/cairo.h>)
#error "cairo is missing: apt-get install librsvg2-dev, brew install librsvg, or leave out the trait SVG"
#endif

#include <cairo/cairo.h>

#include "ozu_dynamic_library.h"

typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoContext PangoContext;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoLanguage PangoLanguage;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoAttrList PangoAttrList;
typedef struct _FcConfig FcConfig;
typedef struct _FcPattern FcPattern;
typedef struct _FcObjectSet FcObjectSet;
typedef struct { uint32_t domain; int code; char *message; } GError;
typedef struct GSList { void *data; struct GSList *next; } GSList;

typedef struct { int x, y, width, height; } PangoRectangle;
typedef struct {
  PangoLayout *layout;
  int start_index, length;
  GSList *runs;
  unsigned is_paragraph_start : 1, resolved_dir : 3;
} PangoLayoutLine;
typedef struct { uint32_t glyph; int width, x_offset, y_offset; unsigned is_cluster_start : 1, is_color : 1; } PangoGlyphInfo;
typedef struct { int num_glyphs; PangoGlyphInfo *glyphs; } PangoGlyphString;
typedef struct { void *item; PangoGlyphString *glyphs; } PangoGlyphItem;
typedef struct { int type; } PangoAttrClass;
typedef struct { const PangoAttrClass *klass; unsigned start_index, end_index; } PangoAttribute;
typedef struct { PangoAttribute attr; int value; } PangoAttrInt;
typedef struct { PangoAttribute attr; double value; } PangoAttrFloat;
typedef struct { PangoAttribute attr; PangoFontDescription *desc; } PangoAttrFontDesc;
typedef struct { int nfont, sfont; FcPattern **fonts; } FcFontSet;
typedef struct {
  int type;
  union { const unsigned char *s; int i; double d; void *f; } u;
} FcValue;

// Units in a pixel.
enum { PANGO_SCALE = 1024 };
enum { PANGO_DIRECTION_LTR, PANGO_DIRECTION_RTL };
enum { PANGO_ALIGN_LEFT, PANGO_ALIGN_CENTER, PANGO_ALIGN_RIGHT };
enum { PANGO_WRAP_WORD_CHAR = 2 };
enum { PANGO_STYLE_NORMAL, PANGO_STYLE_OBLIQUE, PANGO_STYLE_ITALIC };
enum { PANGO_GLYPH_EMPTY = 0x0fffffff, PANGO_GLYPH_UNKNOWN_FLAG = 0x10000000 };
enum {
  PANGO_ATTR_SIZE = 7, PANGO_ATTR_FONT_DESC = 8, PANGO_ATTR_RISE = 13, PANGO_ATTR_SCALE = 15, PANGO_ATTR_LETTER_SPACING = 17,
  PANGO_ATTR_ABSOLUTE_SIZE = 20, PANGO_ATTR_LINE_HEIGHT = 31, PANGO_ATTR_ABSOLUTE_LINE_HEIGHT = 32,
  PANGO_ATTR_BASELINE_SHIFT = 36
};
enum { FcMatchPattern = 0, FcSetSystem = 0, FcSetApplication = 1, FcTypeString = 3, FcValueBindingWeak = 0 };
#define FC_FAMILY "family"

PangoFontMap *pango_cairo_font_map_new(void);
void pango_cairo_context_set_resolution(PangoContext *context, double dpi);
void pango_cairo_context_set_font_options(PangoContext *context, const cairo_font_options_t *options);
void pango_cairo_show_layout(cairo_t *cairo, PangoLayout *layout);
void pango_cairo_layout_path(cairo_t *cairo, PangoLayout *layout);
void pango_fc_font_map_set_config(PangoFontMap *map, FcConfig *config);
PangoContext *pango_font_map_create_context(PangoFontMap *map);
void pango_context_set_base_dir(PangoContext *context, int direction);
void pango_context_set_language(PangoContext *context, PangoLanguage *language);
void pango_context_set_round_glyph_positions(PangoContext *context, int rounds);
PangoLanguage *pango_language_from_string(const char *language);
PangoFontDescription *pango_font_description_new(void);
void pango_font_description_set_family(PangoFontDescription *description, const char *family);
void pango_font_description_set_weight(PangoFontDescription *description, int weight);
void pango_font_description_set_style(PangoFontDescription *description, int style);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
int pango_font_description_get_size(const PangoFontDescription *description);
void pango_font_description_free(PangoFontDescription *description);
PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *attributes);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_height(PangoLayout *layout, int height);
void pango_layout_set_wrap(PangoLayout *layout, int wrap);
void pango_layout_set_ellipsize(PangoLayout *layout, int ellipsize);
void pango_layout_set_alignment(PangoLayout *layout, int alignment);
void pango_layout_set_justify(PangoLayout *layout, int justify);
void pango_layout_set_auto_dir(PangoLayout *layout, int auto_dir);
void pango_layout_get_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
int pango_layout_get_line_count(PangoLayout *layout);
PangoLayoutLine *pango_layout_get_line_readonly(PangoLayout *layout, int line);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
int pango_parse_markup(
    const char *markup, int length, uint32_t accelerator, PangoAttrList **attributes, char **text, uint32_t *accelerated,
    GError **error);
PangoAttrList *pango_attr_list_new(void);
PangoAttrList *pango_attr_list_copy(PangoAttrList *list);
void pango_attr_list_insert_before(PangoAttrList *list, PangoAttribute *attribute);
void pango_attr_list_update(PangoAttrList *list, int position, int removed, int added);
PangoAttrList *pango_attr_list_filter(PangoAttrList *list, int (*filter)(PangoAttribute *, void *), void *data);
void pango_attr_list_unref(PangoAttrList *list);
PangoAttribute *pango_attr_line_height_new(double factor);
int FcInit(void);
FcConfig *FcInitLoadConfigAndFonts(void);
int FcConfigAppFontAddFile(FcConfig *config, const unsigned char *file);
FcFontSet *FcConfigGetFonts(FcConfig *config, int set);
int FcConfigSubstitute(FcConfig *config, FcPattern *pattern, int kind);
void FcConfigDestroy(FcConfig *config);
FcPattern *FcPatternCreate(void);
int FcPatternAddString(FcPattern *pattern, const char *object, const unsigned char *text);
int FcPatternDel(FcPattern *pattern, const char *object);
int FcPatternGetWithBinding(const FcPattern *pattern, const char *object, int index, FcValue *value, int *binding);
void FcPatternDestroy(FcPattern *pattern);
FcObjectSet *FcObjectSetCreate(void);
void FcObjectSetDestroy(FcObjectSet *set);
FcFontSet *FcFontList(FcConfig *config, FcPattern *pattern, FcObjectSet *set);
void FcFontSetDestroy(FcFontSet *set);
void g_object_unref(void *object);
void g_error_free(GError *error);
void g_free(void *memory);

#define OZU_PANGO_FUNCTIONS(FUNCTION) \
  FUNCTION(FcConfigAppFontAddFile) \
  FUNCTION(FcConfigDestroy) \
  FUNCTION(FcConfigGetFonts) \
  FUNCTION(FcConfigSubstitute) \
  FUNCTION(FcFontList) \
  FUNCTION(FcFontSetDestroy) \
  FUNCTION(FcInit) \
  FUNCTION(FcInitLoadConfigAndFonts) \
  FUNCTION(FcObjectSetCreate) \
  FUNCTION(FcObjectSetDestroy) \
  FUNCTION(FcPatternAddString) \
  FUNCTION(FcPatternCreate) \
  FUNCTION(FcPatternDel) \
  FUNCTION(FcPatternDestroy) \
  FUNCTION(FcPatternGetWithBinding) \
  FUNCTION(cairo_arc) \
  FUNCTION(cairo_close_path) \
  FUNCTION(cairo_create) \
  FUNCTION(cairo_destroy) \
  FUNCTION(cairo_fill) \
  FUNCTION(cairo_font_options_create) \
  FUNCTION(cairo_font_options_destroy) \
  FUNCTION(cairo_font_options_set_antialias) \
  FUNCTION(cairo_font_options_set_hint_metrics) \
  FUNCTION(cairo_font_options_set_hint_style) \
  FUNCTION(cairo_image_surface_create_for_data) \
  FUNCTION(cairo_move_to) \
  FUNCTION(cairo_new_path) \
  FUNCTION(cairo_paint) \
  FUNCTION(cairo_pop_group_to_source) \
  FUNCTION(cairo_push_group) \
  FUNCTION(cairo_set_line_join) \
  FUNCTION(cairo_set_line_width) \
  FUNCTION(cairo_set_operator) \
  FUNCTION(cairo_set_source_rgba) \
  FUNCTION(cairo_status) \
  FUNCTION(cairo_stroke) \
  FUNCTION(cairo_surface_destroy) \
  FUNCTION(cairo_surface_flush) \
  FUNCTION(g_error_free) \
  FUNCTION(g_free) \
  FUNCTION(g_object_unref) \
  FUNCTION(pango_attr_line_height_new) \
  FUNCTION(pango_attr_list_copy) \
  FUNCTION(pango_attr_list_filter) \
  FUNCTION(pango_attr_list_insert_before) \
  FUNCTION(pango_attr_list_new) \
  FUNCTION(pango_attr_list_unref) \
  FUNCTION(pango_attr_list_update) \
  FUNCTION(pango_cairo_context_set_font_options) \
  FUNCTION(pango_cairo_context_set_resolution) \
  FUNCTION(pango_cairo_font_map_new) \
  FUNCTION(pango_cairo_layout_path) \
  FUNCTION(pango_cairo_show_layout) \
  FUNCTION(pango_context_set_base_dir) \
  FUNCTION(pango_context_set_language) \
  FUNCTION(pango_context_set_round_glyph_positions) \
  FUNCTION(pango_fc_font_map_set_config) \
  FUNCTION(pango_font_description_free) \
  FUNCTION(pango_font_description_get_size) \
  FUNCTION(pango_font_description_new) \
  FUNCTION(pango_font_description_set_absolute_size) \
  FUNCTION(pango_font_description_set_family) \
  FUNCTION(pango_font_description_set_style) \
  FUNCTION(pango_font_description_set_weight) \
  FUNCTION(pango_font_map_create_context) \
  FUNCTION(pango_language_from_string) \
  FUNCTION(pango_layout_get_extents) \
  FUNCTION(pango_layout_get_line_count) \
  FUNCTION(pango_layout_get_line_readonly) \
  FUNCTION(pango_layout_get_unknown_glyphs_count) \
  FUNCTION(pango_layout_new) \
  FUNCTION(pango_layout_set_alignment) \
  FUNCTION(pango_layout_set_attributes) \
  FUNCTION(pango_layout_set_auto_dir) \
  FUNCTION(pango_layout_set_ellipsize) \
  FUNCTION(pango_layout_set_font_description) \
  FUNCTION(pango_layout_set_height) \
  FUNCTION(pango_layout_set_justify) \
  FUNCTION(pango_layout_set_text) \
  FUNCTION(pango_layout_set_width) \
  FUNCTION(pango_layout_set_wrap) \
  FUNCTION(pango_parse_markup)

OZU_DECLARE_LIBRARY(pango, OZU_PANGO_FUNCTIONS)

#endif
