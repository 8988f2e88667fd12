/* The one unit that brings the implementation. Another header may include devcloth.h before and after. */
#include "../../devcloth.h"
#define DEVCLOTH_IMPLEMENTATION
#include "../../devcloth.h"
#include "../../devcloth.h"
