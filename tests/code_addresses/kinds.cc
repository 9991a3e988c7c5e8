#include "objects.h"

objects::Kind objects::growing{twice, "growing", {half, nullptr}};
