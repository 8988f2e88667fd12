#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"
