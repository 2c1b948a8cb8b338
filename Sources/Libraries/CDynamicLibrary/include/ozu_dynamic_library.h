// Libraries that are opened when they are first needed.
//
// A program that is linked with a library opens it, and all the libraries that it needs, at every start: libheif,
// libavif, libjxl, libtiff, librsvg and libcurl load a hundred more, even if the program never needs their formats.
//
// A library has a list of functions. The compiler makes a table of pointers from their real prototypes:
//
//   // foo_library.h
//   #include <foo.h>
//   #define OZU_FOO_FUNCTIONS(FUNCTION) \
//     FUNCTION(foo_open) \
//     FUNCTION(foo_close)
//   OZU_DECLARE_LIBRARY(foo, OZU_FOO_FUNCTIONS)
//
//   // one C file
//   OZU_DEFINE_LIBRARY(foo, OZU_FOO_FUNCTIONS, "Read Foo", "libfoo.so.1")
//
// Code that includes the list calls foo.foo_open(…), after `ozu_dynamic_library_load(&ozu_foo_library, …)` has
// returned true. A call that does not go through the table does not link.
//
// Package.swift defines `OZU_LOADS_LIBRARIES`. Without it the program is linked with the libraries: the table is
// filled from the beginning, and loading succeeds at once.

#ifndef OZU_DYNAMIC_LIBRARY_H
#define OZU_DYNAMIC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A library and the table of its functions.
typedef struct {
  /// The names under which the system's loader may find the library; the first one that exists is used. NULL after
  /// the last.
  const char *const *sonames;
  /// The functions and, in the same order, the places of their addresses; NULL after the last name.
  const char *const *names;
  void *functions;
  /// Whether the table is filled. Read and written atomically.
  bool is_loaded;
} OzuDynamicLibrary;

/// Opens a library unless it is open, and fills its table. The library stays open until the process ends.
///
/// Any thread may call it, also at the same time. Opening takes milliseconds and runs the initialisers of the
/// library, so callers should hold no lock; it holds no lock of its own meanwhile. After a failure the next call
/// tries again: a library may be installed later.
///
/// Returns whether the functions can be called. If not, `message` gives the reason: "libheif.so.1 is not
/// installed".
bool ozu_dynamic_library_load(OzuDynamicLibrary *library, char *message, size_t message_capacity);

#define OZU_LIBRARY_MEMBER(function) __typeof__(&function) function;

/// Declares the table of a library, whose name for the linker begins with `ozu_`.
#define OZU_DECLARE_LIBRARY(name, FUNCTIONS) \
  extern __attribute__((visibility("hidden"))) struct ozu_##name##_functions { FUNCTIONS(OZU_LIBRARY_MEMBER) } name \
      __asm__("ozu_" #name); \
  extern __attribute__((visibility("hidden"))) OzuDynamicLibrary ozu_##name##_library;

#ifdef OZU_LOADS_LIBRARIES

#define OZU_LIBRARY_NAME(function) #function,

/// Defines the table, with one line that tells users what the library is for, and its names.
///
/// Tools of distributions cannot see that a program needs a library that is loaded in this way. They read a note
/// instead (https://uapi-group.org/specifications/specs/elf_dlopen_metadata/), which contains the first
/// name.
#define OZU_DEFINE_LIBRARY(name, FUNCTIONS, use, soname, ...) \
  struct ozu_##name##_functions name; \
  OzuDynamicLibrary ozu_##name##_library = { \
      (const char *const[]){soname, ##__VA_ARGS__, NULL}, (const char *const[]){FUNCTIONS(OZU_LIBRARY_NAME) NULL}, \
      &name, false}; \
  OZU_LIBRARY_NOTE( \
      name, "[{\"feature\":\"" #name "\",\"description\":\"" use "\",\"priority\":\"recommended\",\"soname\":[\"" soname \
            "\"]}]")

#define OZU_LIBRARY_NOTE(name, json) \
  __attribute__((used, section(".note.dlopen"))) static const struct { \
    uint32_t owner_size, text_size, type; \
    char owner[4]; \
    _Alignas(4) char text[sizeof(json)]; \
  } ozu_##name##_note = {4, sizeof(json), 0x407c0c0a, "FDO", json};

#else

#define OZU_LIBRARY_ADDRESS(function) function,

#define OZU_DEFINE_LIBRARY(name, FUNCTIONS, use, soname, ...) \
  struct ozu_##name##_functions name = {FUNCTIONS(OZU_LIBRARY_ADDRESS)}; \
  OzuDynamicLibrary ozu_##name##_library = {NULL, NULL, NULL, true};

#endif

#endif
