// The functions of librsvg, cairo and GObject that are called. Not visible to Swift.
//
// Those of librsvg and GObject are declared here: their own headers are in folders whose names differ between
// systems.

#ifndef OZU_SVG_LIBRARY_H
#define OZU_SVG_LIBRARY_H

#if !__has_include(<cairo/cairo.h>)
#error "cairo is missing: apt-get install librsvg2-dev, brew install librsvg, or leave out the trait SVG"
#endif

#include <cairo/cairo.h>

#include "ozu_dynamic_library.h"

typedef struct _RsvgHandle RsvgHandle;
typedef struct { uint32_t domain; int code; char *message; } GError;
typedef struct { double length; int unit; } RsvgLength;
typedef struct { double x, y, width, height; } RsvgRectangle;
typedef struct { int width, height; double em, ex; } RsvgDimensionData;

RsvgHandle *rsvg_handle_new_from_data(const uint8_t *data, size_t size, GError **error);
int rsvg_handle_get_dimensions_sub(RsvgHandle *handle, RsvgDimensionData *size, const char *id);
int rsvg_handle_get_intrinsic_size_in_pixels(RsvgHandle *handle, double *width, double *height);
void rsvg_handle_get_intrinsic_dimensions(
    RsvgHandle *handle, int *has_width, RsvgLength *width, int *has_height, RsvgLength *height, int *has_viewbox,
    RsvgRectangle *viewbox);
int rsvg_handle_get_geometry_for_layer(
    RsvgHandle *handle, const char *id, const RsvgRectangle *viewport, RsvgRectangle *ink, RsvgRectangle *logical,
    GError **error);
int rsvg_handle_render_document(
    RsvgHandle *handle, cairo_t *cairo, const RsvgRectangle *viewport, GError **error);
void rsvg_handle_set_dpi(RsvgHandle *handle, double dpi);
void g_object_unref(void *object);
void g_error_free(GError *error);

#define OZU_SVG_FUNCTIONS(FUNCTION) \
  FUNCTION(cairo_create) \
  FUNCTION(cairo_destroy) \
  FUNCTION(cairo_image_surface_create_for_data) \
  FUNCTION(cairo_scale) \
  FUNCTION(cairo_status) \
  FUNCTION(cairo_status_to_string) \
  FUNCTION(cairo_surface_destroy) \
  FUNCTION(cairo_surface_flush) \
  FUNCTION(g_error_free) \
  FUNCTION(g_object_unref) \
  FUNCTION(rsvg_handle_get_dimensions_sub) \
  FUNCTION(rsvg_handle_get_geometry_for_layer) \
  FUNCTION(rsvg_handle_get_intrinsic_dimensions) \
  FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels) \
  FUNCTION(rsvg_handle_new_from_data) \
  FUNCTION(rsvg_handle_render_document) \
  FUNCTION(rsvg_handle_set_dpi)

OZU_DECLARE_LIBRARY(svg, OZU_SVG_FUNCTIONS)

#endif
