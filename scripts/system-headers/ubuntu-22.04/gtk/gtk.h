// GTK 4.6.9 with GLib 2.72. The headers themselves mark what is newer (GDK_VERSION_MAX_ALLOWED).
#include_next <gtk/gtk.h>

#undef GTK_MINOR_VERSION
#undef GTK_MICRO_VERSION
#undef GLIB_MINOR_VERSION
#define GTK_MINOR_VERSION 6
#define GTK_MICRO_VERSION 9
#define GLIB_MINOR_VERSION 72
