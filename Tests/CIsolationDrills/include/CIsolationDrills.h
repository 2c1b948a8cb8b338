// What a decoder that was taken over might do, for the drills of OzuIsolation.
#ifndef OZU_CISOLATION_DRILLS_H
#define OZU_CISOLATION_DRILLS_H

#endif
