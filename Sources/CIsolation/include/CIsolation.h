// System calls of processes that are locked down, for OzuIsolation. Linux; empty elsewhere.
#ifndef OZU_CISOLATION_H
#define OZU_CISOLATION_H

#endif
