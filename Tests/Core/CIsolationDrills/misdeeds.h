// The misdeeds of the drills, in tables that end with NULL.
#ifndef OZU_MISDEEDS_H
#define OZU_MISDEEDS_H

struct misdeed {
  const char *name;
  // Returns an error number, or 0 if the misdeed succeeded.
  int (*act)(void);
};

/// Crashes, and the use of memory and time.
extern const struct misdeed ozu_resource_misdeeds[];

/// Sleeps for ever; itself one of them.
int ozu_hang(void);

#endif
