// GTK 4.14.5 with GLib 2.80. The headers themselves mark what is newer (GDK_VERSION_MAX_ALLOWED).
#include_next <gtk/gtk.h>

#undef GTK_MINOR_VERSION
#undef GTK_MICRO_VERSION
#undef GLIB_MINOR_VERSION
#define GTK_MINOR_VERSION 14
#define GTK_MICRO_VERSION 5
#define GLIB_MINOR_VERSION 80
