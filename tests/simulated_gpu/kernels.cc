// The few float kernels that multi-tower programs need on a pretend GPU. Device memory is host memory, so that they
// read and write it directly.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

namespace {

// One input of an op, released when it goes out of scope.
struct Input {
  Input(TF_OpKernelContext* context, int index) {
    TF_Status* status = TF_NewStatus();
    TF_GetInput(context, index, &tensor, status);
    TF_DeleteStatus(status);
  }
  ~Input() { TF_DeleteTensor(tensor); }
  const float* data() const { return static_cast<const float*>(TF_TensorData(tensor)); }
  int64_t size() const { return TF_TensorElementCount(tensor); }
  int64_t dim(int index) const { return TF_Dim(tensor, index); }
  TF_Tensor* tensor = nullptr;
};

void Fail(TF_OpKernelContext* context, const char* message) {
  TF_Status* status = TF_NewStatus();
  TF_SetStatus(status, TF_UNIMPLEMENTED, message);
  TF_OpKernelContext_Failure(context, status);
  TF_DeleteStatus(status);
}

// Calls `fill` with the memory of the op's only output.
template <typename Fill>
void Output(TF_OpKernelContext* context, const int64_t* dims, int rank, Fill fill) {
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= dims[i];
  TF_Status* status = TF_NewStatus();
  TF_Tensor* output = TF_AllocateOutput(context, 0, TF_FLOAT, dims, rank, count * sizeof(float), status);
  if (TF_GetCode(status) == TF_OK) {
    fill(static_cast<float*>(TF_TensorData(output)));
  } else {
    TF_OpKernelContext_Failure(context, status);
  }
  if (output != nullptr) TF_DeleteTensor(output);
  TF_DeleteStatus(status);
}

void OutputLike(TF_OpKernelContext* context, const Input& like, void (*fill)(TF_OpKernelContext*, int64_t, float*)) {
  int64_t dims[8];
  const int rank = TF_NumDims(like.tensor);
  for (int i = 0; i < rank; ++i) dims[i] = like.dim(i);
  Output(context, dims, rank, [&](float* data) { fill(context, like.size(), data); });
}

// Of two inputs of one shape, or with a scalar among them; broadcasting is more than these tests need.
template <typename Op>
void Binary(TF_OpKernelContext* context, Op op) {
  Input a(context, 0), b(context, 1);
  const int rank_a = TF_NumDims(a.tensor), rank_b = TF_NumDims(b.tensor), rank = std::max(rank_a, rank_b);
  int64_t dims[8], step_a[8], step_b[8], total = 1, passed_a = 1, passed_b = 1;
  for (int i = rank - 1; i >= 0; --i) {
    const int at_a = i - (rank - rank_a), at_b = i - (rank - rank_b);
    const int64_t size_a = at_a < 0 ? 1 : a.dim(at_a), size_b = at_b < 0 ? 1 : b.dim(at_b);
    if (size_a != size_b && size_a != 1 && size_b != 1) return Fail(context, "shapes differ");
    dims[i] = size_a == 1 ? size_b : size_a;
    step_a[i] = size_a == 1 ? 0 : passed_a;
    step_b[i] = size_b == 1 ? 0 : passed_b;
    passed_a *= size_a, passed_b *= size_b, total *= dims[i];
  }
  Output(context, dims, rank, [&](float* data) {
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i, from_a = 0, from_b = 0;
      for (int axis = rank - 1; axis >= 0; --axis) {
        from_a += rest % dims[axis] * step_a[axis], from_b += rest % dims[axis] * step_b[axis], rest /= dims[axis];
      }
      data[i] = op(a.data()[from_a], b.data()[from_b]);
    }
  });
}

void Add(void*, TF_OpKernelContext* context) {
  Binary(context, [](float a, float b) { return a + b; });
}

void Mul(void*, TF_OpKernelContext* context) {
  Binary(context, [](float a, float b) { return a * b; });
}

void AddN(void*, TF_OpKernelContext* context) {
  Input first(context, 0);
  OutputLike(context, first, [](TF_OpKernelContext* context, int64_t size, float* data) {
    std::memset(data, 0, size * sizeof(float));
    for (int n = 0; n < TF_NumInputs(context); ++n) {
      Input input(context, n);
      for (int64_t i = 0; i < size; ++i) data[i] += input.data()[i];
    }
  });
}

struct MatMul {
  bool transpose_a, transpose_b;
};

void* CreateMatMul(TF_OpKernelConstruction* construction) {
  auto* kernel = new MatMul{false, false};
  TF_Status* status = TF_NewStatus();
  unsigned char value = 0;
  TF_OpKernelConstruction_GetAttrBool(construction, "transpose_a", &value, status);
  kernel->transpose_a = value;
  TF_OpKernelConstruction_GetAttrBool(construction, "transpose_b", &value, status);
  kernel->transpose_b = value;
  TF_DeleteStatus(status);
  return kernel;
}

void ComputeMatMul(void* kernel, TF_OpKernelContext* context) {
  const auto& how = *static_cast<MatMul*>(kernel);
  Input a(context, 0), b(context, 1);
  const int64_t rows = a.dim(how.transpose_a ? 1 : 0), inner = a.dim(how.transpose_a ? 0 : 1), columns = b.dim(how.transpose_b ? 0 : 1);
  const int64_t dims[2] = {rows, columns};
  Output(context, dims, 2, [&](float* data) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < inner; ++k) {
          sum += a.data()[how.transpose_a ? k * rows + i : i * inner + k] * b.data()[how.transpose_b ? j * inner + k : k * columns + j];
        }
        data[i * columns + j] = sum;
      }
    }
  });
}

void Register(const char* op, void* (*create)(TF_OpKernelConstruction*), void (*compute)(void*, TF_OpKernelContext*), void (*destroy)(void*)) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* builder = TF_NewKernelBuilder(op, "GPU", create, compute, destroy);
  TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
  TF_RegisterKernelBuilder(op, builder, status);
  TF_DeleteStatus(status);
}

}  // namespace

extern "C" void TF_InitKernel() {
  Register("MatMul", CreateMatMul, ComputeMatMul, [](void* kernel) { delete static_cast<MatMul*>(kernel); });
  Register("Add", nullptr, Add, nullptr);
  Register("AddV2", nullptr, Add, nullptr);
  Register("Mul", nullptr, Mul, nullptr);
  Register("AddN", nullptr, AddN, nullptr);
}
