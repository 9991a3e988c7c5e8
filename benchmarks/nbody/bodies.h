#ifndef PERDURE_BENCHMARKS_NBODY_BODIES_H
#define PERDURE_BENCHMARKS_NBODY_BODIES_H

#include <array>
#include <cmath>
#include <cstddef>

namespace perdure::benchmarks::nbody {

struct Vector {
  double x;
  double y;
  double z;

  friend Vector operator+(Vector one, Vector other) { return {one.x + other.x, one.y + other.y, one.z + other.z}; }
  friend Vector operator-(Vector one, Vector other) { return {one.x - other.x, one.y - other.y, one.z - other.z}; }
  friend Vector operator*(Vector vector, double factor) {
    return {vector.x * factor, vector.y * factor, vector.z * factor};
  }
  friend double dot(Vector one, Vector other) { return one.x * other.x + one.y * other.y + one.z * other.z; }
  bool operator==(const Vector&) const = default;
};

struct Body {
  Vector place;     // astronomical units
  Vector velocity;  // astronomical units a year
  double mass;      // 4 pi^2 is the sun's

  bool operator==(const Body&) const = default;
};

using Bodies = std::array<Body, 5>;

constexpr double step_length = 0.01;  // years

/// The sun, Jupiter, Saturn, Uranus and Neptune where the Computer Language Benchmarks Game has them. The sun moves so
/// that the whole stands still.
inline Bodies first_bodies() {
  constexpr double days = 365.24;  // of a year
  constexpr double sun = 4 * 3.141592653589793 * 3.141592653589793;
  Bodies bodies{{
      {{0, 0, 0}, {0, 0, 0}, sun},
      {{4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01},
       Vector{1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05} * days,
       9.54791938424326609e-04 * sun},
      {{8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01},
       Vector{-2.76742510726411267e-03, 4.99852801234917238e-03, 2.30417297573763929e-05} * days,
       2.85885980666130812e-04 * sun},
      {{1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01},
       Vector{2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05} * days,
       4.36624404335156298e-05 * sun},
      {{1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01},
       Vector{2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05} * days,
       5.15138902046611451e-05 * sun},
  }};
  Vector momentum{0, 0, 0};
  for (const Body& body : bodies) momentum = momentum + body.velocity * body.mass;
  bodies[0].velocity = momentum * (-1 / sun);
  return bodies;
}

/// All bodies attract each other, and then move for one step.
inline void advance(Bodies& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const Vector between = bodies[i].place - bodies[j].place;
      const double squared = dot(between, between);
      const double pull = step_length / (squared * std::sqrt(squared));
      bodies[i].velocity = bodies[i].velocity - between * (bodies[j].mass * pull);
      bodies[j].velocity = bodies[j].velocity + between * (bodies[i].mass * pull);
    }
  }
  for (Body& body : bodies) body.place = body.place + body.velocity * step_length;
}

/// Of motion and of attraction: stays as it is, but for the error of the steps.
inline double energy(const Bodies& bodies) {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += bodies[i].mass * dot(bodies[i].velocity, bodies[i].velocity) / 2;
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const Vector between = bodies[i].place - bodies[j].place;
      sum -= bodies[i].mass * bodies[j].mass / std::sqrt(dot(between, between));
    }
  }
  return sum;
}

}  // namespace perdure::benchmarks::nbody

#endif
