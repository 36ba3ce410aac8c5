// The few float kernels that multi-tower programs need on a pretend GPU. Device memory is host memory, so that they
// read and write it directly.

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
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return Fail(context, "shapes differ");
  const Input& shape = a.size() >= b.size() ? a : b;
  int64_t dims[8];
  const int rank = TF_NumDims(shape.tensor);
  for (int i = 0; i < rank; ++i) dims[i] = shape.dim(i);
  Output(context, dims, rank, [&](float* data) {
    for (int64_t i = 0; i < shape.size(); ++i) data[i] = op(a.data()[a.size() == 1 ? 0 : i], b.data()[b.size() == 1 ? 0 : i]);
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
