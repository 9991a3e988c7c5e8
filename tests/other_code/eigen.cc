// Eigen: matrices of fixed and of dynamic size in a pool.
#include <eigen3/Eigen/Dense>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

/// Those of fixed size are not initialised.
template <class Matrix>
struct Zeroed : Matrix {
  Zeroed() { this->setZero(); }
  using Matrix::operator=;
};

template <class Matrix>
struct Matrices {
  using Type = Zeroed<Matrix>;
  static constexpr bool is_dynamic = Matrix::RowsAtCompileTime == Eigen::Dynamic;

  static Seen apply(Type& matrix, const Step& step) {
    if (matrix.size() == 0 || step.choice % 8 == 0) {
      const long size = is_dynamic ? 2 + step.small % 7 : Matrix::RowsAtCompileTime;
      matrix.setZero(size, size);
      matrix.setIdentity();
    }
    const long row = step.small % matrix.rows(), column = step.number % matrix.cols();
    if (step.choice % 4 == 1) matrix(row, column) = static_cast<double>(step.number % 7);
    if (step.choice % 4 == 2) matrix = (matrix * matrix.transpose()).eval().cwiseMin(50.0);
    if (step.choice % 4 == 3) matrix.row(row) += matrix.col(column).transpose() * 0.5;
    return static_cast<Seen>(matrix.sum());
  }
};

using Subjects = ::testing::Types<Matrices<Eigen::Matrix4d>, Matrices<Eigen::MatrixXd>>;

INSTANTIATE_TYPED_TEST_SUITE_P(Eigen, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
