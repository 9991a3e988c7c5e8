#ifndef PERDURE_ABI_BLOCK_LAYOUT_H
#define PERDURE_ABI_BLOCK_LAYOUT_H

/// What the argument of perdure_set_block_layout points to, for the plugin, which writes such constants into programs.
#include "alloc/block_layout.h"

#endif
