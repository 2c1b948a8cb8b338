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
  if (error != NULL) g_error_free(error);
  return status;
}

static void *parse(void *argument) {
  SVGDecoder *self = argument;
  GError *error = NULL;
  self->handle = rsvg_handle_new_from_data(self->base.data, self->base.size, &error);
  if (self->handle == NULL) {
    self->status = fail(self, error, "no drawing");
    return NULL;
  }
  rsvg_handle_set_dpi(self->handle, 96);
  int has_width = 0, has_height = 0, has_viewbox = 0;
  RsvgLength width, height;
  RsvgRectangle viewbox = {0, 0, 0, 0}, ink = viewbox, logical = viewbox;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(self->handle, &self->width, &self->height)) {
    rsvg_handle_get_intrinsic_dimensions(
        self->handle, &has_width, &width, &has_height, &height, &has_viewbox, &viewbox);
    if (!has_viewbox) {
      if (!rsvg_handle_get_geometry_for_layer(
              self->handle, NULL, &(RsvgRectangle){0, 0, 300, 150}, &ink, &logical, &error)) {
        self->status = fail(self, error, "no extent");
        return NULL;
      }
      viewbox = ink;
    }
    self->width = viewbox.width;
    self->height = viewbox.height;
  }
  self->status = OzuStatusDone;
  return NULL;
}

static void *draw(void *argument) {
  SVGDecoder *self = argument;
  GError *error = NULL;
  uint32_t width = self->base.width, height = self->base.height;
  cairo_surface_t *surface = cairo_image_surface_create_for_data(
      self->pixels, CAIRO_FORMAT_ARGB32, (int)width, (int)height, (int)self->bytes_per_row);
  cairo_t *cairo = cairo_create(surface);
  cairo_scale(cairo, width / self->width, height / self->height);
  RsvgRectangle viewport = {0, 0, self->width, self->height};
  if (rsvg_handle_render_document(self->handle, cairo, &viewport, &error)) {
    cairo_surface_flush(surface);
    bool is_drawn = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    self->status = is_drawn ? OzuStatusDone : fail(self, NULL, cairo_status_to_string(cairo_status(cairo)));
  } else {
    self->status = fail(self, error, "it cannot be drawn");
  }
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
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
  if (self->handle != NULL) g_object_unref(self->handle);
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
