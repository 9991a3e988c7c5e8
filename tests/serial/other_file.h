#ifndef PERDURE_TESTS_SERIAL_OTHER_FILE_H
#define PERDURE_TESTS_SERIAL_OTHER_FILE_H

#include "perdure/attributes.h"

namespace other_file {

/// Defined in another file, which is compiled with the plugin: its accesses are part of the transaction.
PERDURE_SERIAL void add_and_print(long& to, long value);

struct Shape {
  virtual ~Shape() = default;
  /// Not to be had as a transactional clone, because it prints.
  virtual void draw(long& count) const = 0;
};
const Shape& circle();

}  // namespace other_file

#endif
