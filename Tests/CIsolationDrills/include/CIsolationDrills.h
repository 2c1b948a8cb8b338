// What a decoder that was taken over might do, for the drills of OzuIsolation. Linux; empty elsewhere.
#ifndef OZU_CISOLATION_DRILLS_H
#define OZU_CISOLATION_DRILLS_H

#ifdef __linux__

#include <stdbool.h>

// Does it. Returns when the system let it live: the number of the error, 0 when the deed succeeded, -1 for a name that
// it does not know.
int ozu_misdeed(const char *name);

// From now on the system refuses this process and its children some calls, as the profiles of containers do: "seccomp" or
// "landlock" alone, what "docker" refuses by default, or what an "old-docker" refused in a system newer than itself. The
// number of an error.
int ozu_refuse(const char *profile);

// Whether this system has what workers are confined by, and lets a process use it: asked of the kernel, not of what is
// tested.
bool ozu_system_confines(void);

#endif
#endif
