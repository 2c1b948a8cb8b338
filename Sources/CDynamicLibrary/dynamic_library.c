// Opens libraries when they are first needed.

#include "ozu_dynamic_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

// Writes why a library cannot be opened, from the loader's words. They name the file that is missing, which may be
// another one that the library needs.
static void describe(const char *soname, const char *words, char *message, size_t capacity) {
  size_t length = strlen(soname);
  bool is_missing = words != NULL && strncmp(words, soname, length) == 0 && words[length] == ':'
      && strstr(words, "No such file") != NULL;
  if (is_missing)
    snprintf(message, capacity, "%s is not installed", soname);
  else
    snprintf(message, capacity, "%s cannot be loaded: %s", soname, words == NULL ? "no reason given" : words);
}

// Opens the first of the names that can be; NULL, and the reason for the first name, when none can.
//
// Functions are bound when they are first called, as in a program that is linked. The names of the library stay its own:
// no other library of the process begins to use them.
static void *open_first(const OzuDynamicLibrary *library, char *message, size_t capacity) {
  for (const char *const *soname = library->sonames; *soname != NULL; soname++) {
    void *handle = dlopen(*soname, RTLD_LAZY | RTLD_LOCAL);
    if (handle != NULL) return handle;
    // Also takes the message away, which is kept for each thread.
    const char *words = dlerror();
    if (soname == library->sonames) describe(*soname, words, message, capacity);
  }
  return NULL;
}

// Finds the functions of a library, of those that it needs itself too; returns the name of one that is missing, or NULL.
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
  // Nothing of the loader's under the lock: a library's initialiser may be what waits for it. Where two threads come
  // here, the second finds the table filled, and perhaps in use.
  pthread_mutex_lock(&filling);
  if (!__atomic_load_n(&library->is_loaded, __ATOMIC_RELAXED)) {
    memcpy(library->functions, functions, count * sizeof(functions[0]));
    __atomic_store_n(&library->is_loaded, true, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&filling);
  return true;
}
