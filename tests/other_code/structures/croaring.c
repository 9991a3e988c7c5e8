// Compressed sets of integers: containers of three kinds, which become one another.
#include <roaring/roaring.h>

struct structures {
  roaring_bitmap_t* set;
  roaring_bitmap_t* other;
};

#include "steps.h"

static void do_step(struct structures* all, int number) {
  if (all->set == NULL) {
    all->set = roaring_bitmap_create();
    all->other = roaring_bitmap_from_range(1000, 90000, 3);
  }
  const uint32_t base = (uint32_t)number * 2654435761u >> 8;
  for (uint32_t i = 0; i < 20; ++i) roaring_bitmap_add(all->set, base + i * i);
  switch (number % 8) {
    case 1:
      roaring_bitmap_add_range(all->other, base, base + 3000);
      break;
    case 3:
      roaring_bitmap_run_optimize(all->other);
      break;
    case 5: {
      roaring_bitmap_t* const both = roaring_bitmap_and(all->set, all->other);
      roaring_bitmap_andnot_inplace(all->set, both);
      roaring_bitmap_free(both);
      break;
    }
    case 7:
      roaring_bitmap_xor_inplace(all->other, all->set);
      break;
    default:
      roaring_bitmap_remove(all->set, base + 4);
  }
  uint32_t element = 0;
  roaring_bitmap_select(all->set, (uint32_t)number, &element);
  snprintf(result, sizeof result, "%llu and %llu, %u, %llu",
           (unsigned long long)roaring_bitmap_get_cardinality(all->set),
           (unsigned long long)roaring_bitmap_get_cardinality(all->other), element,
           (unsigned long long)roaring_bitmap_rank(all->other, base));
}
