// SVG drawing through librsvg and cairo. A document without a base URL cannot refer to another file, and librsvg
// itself limits elements, references and entities. It recurses with the nesting of elements and with chains of
// references, so it runs on a thread with a deep stack, while the caller waits; or on the caller's stack if that is
// deep, as in the processes of OzuIsolation. There pango also keeps what it has read of fonts, because it keeps
// that for each thread.
//
// These limits do not stop a hostile document: librsvg 2.54 panics and ends the process on some errors, a chain of
// references can be longer than any stack, and nothing stops librsvg while it draws. Untrusted documents must be
// drawn in a process of their own.

#ifdef OZU_SVG

#include <math.h>
#include <pthread.h>

#include "picture.h"
#include "svg_library.h"

// Cairo and GLib are loaded together with librsvg, which needs them.
OZU_DEFINE_LIBRARY(svg, OZU_SVG_FUNCTIONS, "Draw SVG", "librsvg-2.so.2")

typedef struct {
  OzuPictureDecoder base;
  RsvgHandle *handle;
  double width;
  double height;
  uint8_t *pixels;
  size_t bytes_per_row;
  OzuStatus status;
  bool caller_has_deep_stack;
} SVGDecoder;

// A level of nesting takes about 1 KB, a reference about 15 KB; libxml2 allows 256 levels. The first size is enough
// for a chain of 4,000 references. The least size is for processes whose memory is limited.
enum { stack_byte_count = 64 << 20, least_stack_byte_count = 4 << 20 };

// Surfaces of cairo have sides of 16 bits.
enum { largest_side = 32767 };

static OzuStatus fail(SVGDecoder *self, GError *error, const char *otherwise) {
  OzuStatus status = ozu_picture_fail(&self->base, error == NULL ? otherwise : error->message);
  if (error != NULL) svg.g_error_free(error);
  return status;
}

// The size as rsvg-convert computes it, in fractions of a pixel. A side that is missing, "auto" or a percentage follows
// from the other and the proportions of the view box; without both sides it is that of the view box. Without a view box
// either, it is the extent of what is drawn in the viewport that browsers give to such a drawing.
static OzuStatus find_size(SVGDecoder *self) {
  if (svg.rsvg_handle_get_intrinsic_size_in_pixels(self->handle, &self->width, &self->height)) return OzuStatusDone;
  int has_width = 0, has_height = 0, has_viewbox = 0;
  RsvgLength width, height;
  RsvgRectangle viewbox = {0, 0, 0, 0}, ink = viewbox, logical = viewbox;
  svg.rsvg_handle_get_intrinsic_dimensions(
      self->handle, &has_width, &width, &has_height, &height, &has_viewbox, &viewbox);
  if (has_viewbox) {
    // No other function knows the side that is stated in pixels: it may depend on the size of a font. This one rounds
    // the size, and has it exactly in the two fields whose names stand for something else.
    RsvgDimensionData size = {0, 0, 0, 0};
    svg.rsvg_handle_get_dimensions_sub(self->handle, &size, NULL);
    self->width = size.em;
    self->height = size.ex;
    return OzuStatusDone;
  }
  GError *error = NULL;
  if (!svg.rsvg_handle_get_geometry_for_layer(
          self->handle, NULL, &(RsvgRectangle){0, 0, 300, 150}, &ink, &logical, &error))
    return fail(self, error, "no extent");
  self->width = ink.width;
  self->height = ink.height;
  return OzuStatusDone;
}

// The most bytes of a prefix that is looked for, so that the search takes time in proportion to the file.
enum { longest_prefix = 64 };

// Whether the tag that ends a drawing is somewhere: "</svg", or with a prefix.
static bool has_end(const uint8_t *data, size_t size) {
  for (size_t i = 0; i + 3 < size; i++) {
    if (memcmp(data + i, "svg", 3) != 0) continue;
    size_t start = i;
    while (start > 0 && i - start < longest_prefix && data[start - 1] > ' ' && data[start - 1] != '<'
        && data[start - 1] != '/')
      start--;
    if (start > 1 && data[start - 1] == '/' && data[start - 2] == '<') return true;
  }
  return false;
}

static void *parse(void *argument) {
  SVGDecoder *self = argument;
  GError *error = NULL;
  self->handle = svg.rsvg_handle_new_from_data(self->base.data, self->base.size, &error);
  if (self->handle == NULL) {
    // All its errors have the same code. The file says whether it was cut.
    bool is_cut = error != NULL && !has_end(self->base.data, self->base.size);
    self->status = fail(self, error, "no drawing");
    if (is_cut) self->status = OzuStatusTruncated;
    return NULL;
  }
  svg.rsvg_handle_set_dpi(self->handle, 96);
  self->status = find_size(self);
  return NULL;
}

// Whether a side is a length that was rounded to whole pixels.
static bool is_rounded(uint32_t side, double length) {
  return fabs(side - length) <= 0.5 || (side >= length && side - length < 1);
}

// The scale of both sides where the memory has the proportions of the drawing, except for the rounding to whole pixels: a
// circle stays round. Otherwise the drawing is stretched on purpose, and each side keeps its scale.
static void find_scale(const SVGDecoder *self, double *x, double *y) {
  uint32_t width = self->base.width, height = self->base.height;
  if (width == ceil(self->width) && height == ceil(self->height))
    *x = *y = 1;
  else if (is_rounded(height, self->height * *x))
    *y = *x;
  else if (is_rounded(width, self->width * *y))
    *x = *y;
}

static void *draw(void *argument) {
  SVGDecoder *self = argument;
  GError *error = NULL;
  uint32_t width = self->base.width, height = self->base.height;
  cairo_surface_t *surface = svg.cairo_image_surface_create_for_data(
      self->pixels, CAIRO_FORMAT_ARGB32, (int)width, (int)height, (int)self->bytes_per_row);
  cairo_t *cairo = svg.cairo_create(surface);
  double x = width / self->width, y = height / self->height;
  find_scale(self, &x, &y);
  svg.cairo_scale(cairo, x, y);
  RsvgRectangle viewport = {0, 0, self->width, self->height};
  if (svg.rsvg_handle_render_document(self->handle, cairo, &viewport, &error)) {
    svg.cairo_surface_flush(surface);
    bool is_drawn = svg.cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    self->status = is_drawn ? OzuStatusDone : fail(self, NULL, svg.cairo_status_to_string(svg.cairo_status(cairo)));
  } else {
    self->status = fail(self, error, "it cannot be drawn");
  }
  svg.cairo_destroy(cairo);
  svg.cairo_surface_destroy(surface);
  return NULL;
}

// Starts a thread with the deepest stack that the limits of the process allow.
static bool start_thread(pthread_t *thread, void *(*function)(void *), void *argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  bool is_running = false;
  for (size_t size = stack_byte_count; !is_running && size >= least_stack_byte_count; size /= 2) {
    is_running = pthread_attr_setstacksize(&attributes, size) == 0
        && pthread_create(thread, &attributes, function, argument) == 0;
  }
  pthread_attr_destroy(&attributes);
  return is_running;
}

// Runs a function on a deep stack. Only the pages of a thread's stack that are touched take memory.
static OzuStatus run(SVGDecoder *self, void *(*function)(void *)) {
  if (self->caller_has_deep_stack) {
    function(self);
    return self->status;
  }
  pthread_t thread;
  if (!start_thread(&thread, function, self)) return ozu_picture_fail(&self->base, "no thread");
  pthread_join(thread, NULL);
  return self->status;
}

static OzuStatus open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  SVGDecoder *self = (SVGDecoder *)base;
  OzuStatus status = run(self, parse);
  if (status != OzuStatusDone) return status;
  double width = ceil(self->width), height = ceil(self->height);
  if (!(width >= 1) || !(height >= 1)) return ozu_picture_fail(base, "a drawing without a size");
  // Numbers that do not fit are over every limit anyway.
  info->width = width < UINT32_MAX ? (uint32_t)width : UINT32_MAX;
  info->height = height < UINT32_MAX ? (uint32_t)height : UINT32_MAX;
  info->drawing_width = self->width;
  info->drawing_height = self->height;
  info->has_alpha = true;
  info->is_premultiplied = true;
  return OzuStatusDone;
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  SVGDecoder *self = (SVGDecoder *)base;
  if (base->width > largest_side || base->height > largest_side) {
    base->is_unsupported = true;
    return ozu_picture_fail(base, "cairo draws no side over 32767 pixels");
  }
  self->pixels = pixels;
  self->bytes_per_row = bytes_per_row;
  for (uint32_t y = 0; y < base->height; y++) memset(pixels + y * bytes_per_row, 0, bytes_per_row);
  return run(self, draw);
}

static void close_decoder(OzuPictureDecoder *base) {
  SVGDecoder *self = (SVGDecoder *)base;
  if (self->handle != NULL) svg.g_object_unref(self->handle);
}

OzuPictureDecoder *ozu_svg_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, bool caller_has_deep_stack) {
  static const OzuPictureOperations operations = {
      open, step, close_decoder, .is_drawing = true, .library = &ozu_svg_library};
  OzuPictureDecoder *base = ozu_picture_new(sizeof(SVGDecoder), &operations, data, size, limits);
  if (base != NULL) ((SVGDecoder *)base)->caller_has_deep_stack = caller_has_deep_stack;
  return base;
}

#endif
