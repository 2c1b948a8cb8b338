// Opens libraries when they are first needed.

#include "ozu_dynamic_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

// Writes the reason why a library cannot be opened, from the loader's message. The message names the missing file,
// which may be another library that the library needs.
static void describe(const char *soname, const char *reason, char *message, size_t capacity) {
  size_t length = strlen(soname);
  bool is_missing = reason != NULL && strncmp(reason, soname, length) == 0 && reason[length] == ':'
      && strstr(reason, "No such file") != NULL;
  if (is_missing)
    snprintf(message, capacity, "%s is not installed", soname);
  else
    snprintf(message, capacity, "%s cannot be loaded: %s", soname, reason == NULL ? "no reason given" : reason);
}

// Opens the first of the names that can be opened. If none can, returns NULL and the reason for the first name.
//
// Functions are bound when they are first called, as in a linked program. The symbols of the library stay local:
// other libraries of the process do not use them.
static void *open_first(const OzuDynamicLibrary *library, char *message, size_t capacity) {
  for (const char *const *soname = library->sonames; *soname != NULL; soname++) {
    void *handle = dlopen(*soname, RTLD_LAZY | RTLD_LOCAL);
    if (handle != NULL) return handle;
    // This call also clears the message, which is stored per thread.
    const char *reason = dlerror();
    if (soname == library->sonames) describe(*soname, reason, message, capacity);
  }
  return NULL;
}

// Finds the functions of a library, or of the libraries that it needs. Returns the name of a missing function, or
// NULL.
static const char *find(const OzuDynamicLibrary *library, void *handle, void **functions) {
  for (const char *const *name = library->names; *name != NULL; name++, functions++) {
    *functions = dlsym(handle, *name);
    if (*functions == NULL) return *name;
  }
  return NULL;
}

static size_t function_count(const OzuDynamicLibrary *library) {
  size_t count = 0;
  while (library->names[count] != NULL) count++;
  return count;
}

bool ozu_dynamic_library_load(OzuDynamicLibrary *library, char *message, size_t message_capacity) {
  if (__atomic_load_n(&library->is_loaded, __ATOMIC_ACQUIRE)) return true;
  void *handle = open_first(library, message, message_capacity);
  if (handle == NULL) return false;
  size_t count = function_count(library);
  void *functions[count + 1];
  const char *missing = find(library, handle, functions);
  if (missing != NULL) {
    snprintf(
        message, message_capacity, "%s is another version than Ozu was built for: it has no %s", library->sonames[0],
        missing);
    dlclose(handle);
    return false;
  }
  // The loader is not called under the lock, because a library's initialiser may wait for it. If two threads come
  // here, the second finds the table filled, and perhaps in use.
  pthread_mutex_lock(&filling);
  if (!__atomic_load_n(&library->is_loaded, __ATOMIC_RELAXED)) {
    memcpy(library->functions, functions, count * sizeof(functions[0]));
    __atomic_store_n(&library->is_loaded, true, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&filling);
  return true;
}
