namespace objects {

extern const long depths[];
const long depths[] = {10, 20, 40};

}  // namespace objects
