// Differences between versions of GTK. Nothing else in C asks for its version.
#ifndef OZU_GTK_VERSIONS_H
#define OZU_GTK_VERSIONS_H

#include <gtk/gtk.h>

// The first in which a picture says how it fits its widget.
#if !GTK_CHECK_VERSION(4, 8, 0)
#error "Ozu needs GTK 4.8 or newer, and this one is older: leave out the trait GTK"
#endif

#endif
