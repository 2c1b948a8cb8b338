#include "CIsolationDrills.h"
