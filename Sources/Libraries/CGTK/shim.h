// GTK 4 for Swift: the headers, and functions for the macros that Swift cannot import. Every function is one call or one
// cast, so there is no source file. `gtk_versions.h` has the calls that differ between versions of GTK.
#ifndef OZU_CGTK_H
#define OZU_CGTK_H

#include <gtk/gtk.h>
#include <glib-unix.h>

#include "gtk_versions.h"

// Exported by libdispatch for run loops other than its own: the descriptor becomes readable when the main queue has
// work, and the callback does that work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);

// Of gio/gunixfdlist.h, which is in a folder that GTK's flags do not name.
GUnixFDList *g_unix_fd_list_new(void);
gint g_unix_fd_list_append(GUnixFDList *list, gint fd, GError **error);

// Of gdk/x11/gdkx.h and gdk/wayland/gdkwayland.h, which need the headers of X11 and Wayland. GTK says at build time what it has.
#ifdef GDK_WINDOWING_X11
GType gdk_x11_surface_get_type(void);
unsigned long gdk_x11_surface_get_xid(GdkSurface *surface);
#endif
#ifdef GDK_WINDOWING_WAYLAND
typedef void (*OzuToplevelNamed)(GdkToplevel *toplevel, const char *handle, gpointer data);
GType gdk_wayland_toplevel_get_type(void);
gboolean gdk_wayland_toplevel_export_handle(
    GdkToplevel *toplevel, OzuToplevelNamed named, gpointer data, GDestroyNotify destroy);
#endif

// The number of the window on the X server; 0 on another display, and before the window is shown.
static inline unsigned long ozu_x11_window(GtkWindow *window) {
#ifdef GDK_WINDOWING_X11
  GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
  if (surface && G_TYPE_CHECK_INSTANCE_TYPE(surface, gdk_x11_surface_get_type()))
    return gdk_x11_surface_get_xid(surface);
#else
  (void)window;
#endif
  return 0;
}

// Asks the compositor for a name by which other processes know the window, once for each window: GTK before 4.12 has one
// name. Returns FALSE and calls nothing on another display, and where the compositor has no such names.
static inline gboolean ozu_wayland_export(
    GtkWindow *window, void (*named)(GdkToplevel *, const char *, gpointer), gpointer data, GDestroyNotify destroy) {
#ifdef GDK_WINDOWING_WAYLAND
  GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
  if (surface && G_TYPE_CHECK_INSTANCE_TYPE(surface, gdk_wayland_toplevel_get_type()))
    return gdk_wayland_toplevel_export_handle(GDK_TOPLEVEL(surface), named, data, destroy);
#else
  (void)window, (void)named, (void)data, (void)destroy;
#endif
  return FALSE;
}

// A GObject that is implemented in Swift: `state` points to the Swift object, which may be a paintable or the state of a
// widget. Swift owns it.
typedef struct {
  GObject parent;
  void *state;
} OzuInstance;

static inline gboolean ozu_is_a(const void *instance, GType type) {
  return G_TYPE_CHECK_INSTANCE_TYPE(instance, type);
}

static inline GType ozu_type_boolean(void) { return G_TYPE_BOOLEAN; }

static inline GType ozu_type_of(const void *instance) { return G_TYPE_FROM_INSTANCE(instance); }

static inline GType ozu_type_int(void) { return G_TYPE_INT; }

static inline GType ozu_type_uint(void) { return G_TYPE_UINT; }

static inline GType ozu_type_double(void) { return G_TYPE_DOUBLE; }

static inline GType ozu_type_value(void) { return G_TYPE_VALUE; }

static inline GType ozu_type_parameter(void) { return G_TYPE_PARAM; }

// The fundamental type of all types whose values are pointers to instances.
static inline GType ozu_type_pointers(void) { return G_TYPE_POINTER; }

static inline GType ozu_type_string(void) { return G_TYPE_STRING; }

static inline GType ozu_type_variant(void) { return G_TYPE_VARIANT; }

// The type of variants that are texts.
static inline const GVariantType *ozu_variant_type_string(void) { return G_VARIANT_TYPE_STRING; }

static inline GType ozu_type_object(void) { return G_TYPE_OBJECT; }

#endif
