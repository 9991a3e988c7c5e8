// Runs generated programs without a library: compiled without the plugin, or on the plugin's test runtime.
#include "program.h"

void generated::before_transaction() {}
void generated::after_transaction() {}

int main() {
  for (const generated::Program* program = generated::programs; program->name != nullptr; ++program)
    program->run(program->name);
}
