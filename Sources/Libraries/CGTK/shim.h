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

// A GObject that is implemented in Swift: `state` points to the Swift object, which may be a paintable or the state of a
// widget. Swift owns it.
typedef struct {
  GObject parent;
  void *state;
} OzuInstance;

static inline gboolean ozu_is_a(const void *instance, GType type) {
  return G_TYPE_CHECK_INSTANCE_TYPE(instance, type);
}

static inline GObjectClass *ozu_object_class(void *type_class) { return G_OBJECT_CLASS(type_class); }

static inline GtkWidgetClass *ozu_widget_class(void *type_class) { return GTK_WIDGET_CLASS(type_class); }

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
