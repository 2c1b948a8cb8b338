// Misdeeds of a decoder that a hostile file has taken over, for the drills of OzuIsolation. Linux; empty elsewhere.
#ifndef OZU_CISOLATION_DRILLS_H
#define OZU_CISOLATION_DRILLS_H

#ifdef __linux__

#include <stdbool.h>

// Does the misdeed of this name. If the system lets it return, the result is the error number, 0 if the misdeed
// succeeded, or -1 for an unknown name.
int ozu_misdeed(const char *name);

// From now on the system refuses this process and its children some calls, as the profiles of containers do: only
// "seccomp" or "landlock", the calls that "docker" refuses by default, or those that an "old-docker" refuses on a
// newer system. Returns an error number.
int ozu_refuse(const char *profile);

// Whether this system supports the restrictions of workers, and lets a process use them. The kernel is asked, not
// the code under test.
bool ozu_system_confines(void);

#endif
#endif
