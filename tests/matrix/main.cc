#include "program.h"

int main() { return does_the_same() ? 0 : 1; }
