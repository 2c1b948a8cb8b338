#ifndef OZU_CCODECS_H
#define OZU_CCODECS_H
#endif
