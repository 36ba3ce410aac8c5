// Pretend GPUs: a TensorFlow pluggable device whose memory is host memory, and which logs every reservation.
//
// SIMULATED_GPU_MEMORY_MIB=2048,1024   how many devices there are, and how much memory each has
// SIMULATED_GPU_LOG=FILE               gets a line `device bytes` for each reservation
//
// Work is done at once and in the caller's thread: a stream is never behind, an event is over when it is recorded.

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

// TensorFlow leaves these to the plug-in.
struct SP_Stream_st {};
struct SP_Event_st {};
struct SP_Timer_st {};

namespace {

struct Card {
  int64_t total = 0;
  int64_t used = 0;
};

std::mutex guard;

std::vector<Card>& Cards() {
  static std::vector<Card>* cards = [] {
    auto* found = new std::vector<Card>;
    const char* text = std::getenv("SIMULATED_GPU_MEMORY_MIB");
    std::istringstream parts(text ? text : "2048");
    for (std::string part; std::getline(parts, part, ',');) {
      Card card;
      card.total = std::strtoll(part.c_str(), nullptr, 10) << 20;
      found->push_back(card);
    }
    return found;
  }();
  return *cards;
}

void Log(int ordinal, uint64_t bytes) {
  const char* path = std::getenv("SIMULATED_GPU_LOG");
  if (path == nullptr) return;
  if (FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%d %llu\n", ordinal, static_cast<unsigned long long>(bytes));
    std::fclose(file);
  }
}

void Ok(TF_Status* status) { TF_SetStatus(status, TF_OK, ""); }

// Address space alone: pages cost memory only once they are written to.
void* Reserve(uint64_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void Allocate(const SP_Device* device, uint64_t size, int64_t, SP_DeviceMemoryBase* memory) {
  std::lock_guard<std::mutex> lock(guard);
  Card& card = Cards()[device->ordinal];
  memory->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
  memory->opaque = nullptr;
  memory->size = 0;
  if (card.used + static_cast<int64_t>(size) > card.total) return;  // what a card answers that is full
  memory->opaque = Reserve(size);
  if (memory->opaque == nullptr) return;
  memory->size = size;
  card.used += size;
  Log(device->ordinal, size);
}

void Deallocate(const SP_Device* device, SP_DeviceMemoryBase* memory) {
  if (memory->opaque == nullptr) return;
  munmap(memory->opaque, memory->size);
  std::lock_guard<std::mutex> lock(guard);
  Cards()[device->ordinal].used -= memory->size;
  memory->opaque = nullptr;
  memory->size = 0;
}

TF_Bool Usage(const SP_Device* device, int64_t* free, int64_t* total) {
  std::lock_guard<std::mutex> lock(guard);
  const Card& card = Cards()[device->ordinal];
  *total = card.total;
  *free = card.total - card.used;
  return true;
}

void Fill(SP_DeviceMemoryBase* location, uint32_t pattern, uint64_t size) {
  auto* words = static_cast<uint32_t*>(location->opaque);
  for (uint64_t i = 0; i < size / sizeof(uint32_t); ++i) words[i] = pattern;
}

void CreateStreamExecutor(const SP_Platform*, SE_CreateStreamExecutorParams* params, TF_Status* status) {
  SP_StreamExecutor* se = params->stream_executor;
  *se = {SP_STREAMEXECUTOR_STRUCT_SIZE};
  se->allocate = Allocate;
  se->deallocate = Deallocate;
  // Tensors of the CPU may lie in it, and TensorFlow checks that theirs are aligned (tensor.cc, IsAligned).
  se->host_memory_allocate = [](const SP_Device*, uint64_t size) { return std::aligned_alloc(64, (size + 63) / 64 * 64); };
  se->host_memory_deallocate = [](const SP_Device*, void* memory) { std::free(memory); };
  se->get_allocator_stats = [](const SP_Device*, SP_AllocatorStats*) -> TF_Bool { return false; };
  se->device_memory_usage = Usage;
  se->create_stream = [](const SP_Device*, SP_Stream* stream, TF_Status* s) { *stream = new SP_Stream_st, Ok(s); };
  se->destroy_stream = [](const SP_Device*, SP_Stream stream) { delete stream; };
  se->create_stream_dependency = [](const SP_Device*, SP_Stream, SP_Stream, TF_Status* s) { Ok(s); };
  se->get_stream_status = [](const SP_Device*, SP_Stream, TF_Status* s) { Ok(s); };
  se->create_event = [](const SP_Device*, SP_Event* event, TF_Status* s) { *event = new SP_Event_st, Ok(s); };
  se->destroy_event = [](const SP_Device*, SP_Event event) { delete event; };
  se->get_event_status = [](const SP_Device*, SP_Event) { return SE_EVENT_COMPLETE; };
  se->record_event = [](const SP_Device*, SP_Stream, SP_Event, TF_Status* s) { Ok(s); };
  se->wait_for_event = [](const SP_Device*, SP_Stream, SP_Event, TF_Status* s) { Ok(s); };
  se->create_timer = [](const SP_Device*, SP_Timer* timer, TF_Status* s) { *timer = new SP_Timer_st, Ok(s); };
  se->destroy_timer = [](const SP_Device*, SP_Timer timer) { delete timer; };
  se->start_timer = [](const SP_Device*, SP_Stream, SP_Timer, TF_Status* s) { Ok(s); };
  se->stop_timer = [](const SP_Device*, SP_Stream, SP_Timer, TF_Status* s) { Ok(s); };
  se->memcpy_dtoh = [](const SP_Device*, SP_Stream, void* to, const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* s) {
    std::memcpy(to, from->opaque, size), Ok(s);
  };
  se->memcpy_htod = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, const void* from, uint64_t size, TF_Status* s) {
    std::memcpy(to->opaque, from, size), Ok(s);
  };
  se->memcpy_dtod = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* s) {
    std::memcpy(to->opaque, from->opaque, size), Ok(s);
  };
  se->sync_memcpy_dtoh = [](const SP_Device*, void* to, const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* s) {
    std::memcpy(to, from->opaque, size), Ok(s);
  };
  se->sync_memcpy_htod = [](const SP_Device*, SP_DeviceMemoryBase* to, const void* from, uint64_t size, TF_Status* s) {
    std::memcpy(to->opaque, from, size), Ok(s);
  };
  se->sync_memcpy_dtod = [](const SP_Device*, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* s) {
    std::memcpy(to->opaque, from->opaque, size), Ok(s);
  };
  se->block_host_for_event = [](const SP_Device*, SP_Event, TF_Status* s) { Ok(s); };
  se->block_host_until_done = [](const SP_Device*, SP_Stream, TF_Status* s) { Ok(s); };
  se->synchronize_all_activity = [](const SP_Device*, TF_Status* s) { Ok(s); };
  se->mem_zero = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* at, uint64_t size, TF_Status* s) { std::memset(at->opaque, 0, size), Ok(s); };
  se->memset = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* at, uint8_t value, uint64_t size, TF_Status* s) {
    std::memset(at->opaque, value, size), Ok(s);
  };
  se->memset32 = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* at, uint32_t value, uint64_t size, TF_Status* s) { Fill(at, value, size), Ok(s); };
  se->host_callback = [](const SP_Device*, SP_Stream, SE_StatusCallbackFn call, void* argument) -> TF_Bool {
    TF_Status* result = TF_NewStatus();
    call(argument, result);
    TF_DeleteStatus(result);
    return true;
  };
  Ok(status);
}

void CreateDevice(const SP_Platform*, SE_CreateDeviceParams* params, TF_Status* status) {
  params->device->struct_size = SP_DEVICE_STRUCT_SIZE;
  params->device->ordinal = params->ordinal;
  params->device->hardware_name = "Simulated GPU";
  params->device->device_vendor = "tf1compat_gpu tests";
  Ok(status);
}

}  // namespace

extern "C" void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  params->platform->struct_size = SP_PLATFORM_STRUCT_SIZE;
  params->platform->name = "SIMULATED";
  params->platform->type = "GPU";
  params->platform->supports_unified_memory = false;
  params->platform->use_bfc_allocator = true;  // TensorFlow's own allocator is what gpu_options are about
  params->platform->force_memory_growth = false;
  SP_PlatformFns* fns = params->platform_fns;
  fns->struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
  fns->get_device_count = [](const SP_Platform*, int* count, TF_Status* s) { *count = static_cast<int>(Cards().size()), Ok(s); };
  fns->create_device = CreateDevice;
  fns->destroy_device = [](const SP_Platform*, SP_Device*) {};
  fns->create_device_fns = [](const SP_Platform*, SE_CreateDeviceFnsParams* p, TF_Status* s) {
    *p->device_fns = {SP_DEVICE_FNS_STRUCT_SIZE}, Ok(s);
  };
  fns->destroy_device_fns = [](const SP_Platform*, SP_DeviceFns*) {};
  fns->create_stream_executor = CreateStreamExecutor;
  fns->destroy_stream_executor = [](const SP_Platform*, SP_StreamExecutor*) {};
  fns->create_timer_fns = [](const SP_Platform*, SP_TimerFns* timer, TF_Status* s) {
    timer->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
    timer->nanoseconds = [](SP_Timer) -> uint64_t { return 0; };
    Ok(s);
  };
  fns->destroy_timer_fns = [](const SP_Platform*, SP_TimerFns*) {};
  params->destroy_platform = [](SP_Platform*) {};
  params->destroy_platform_fns = [](SP_PlatformFns*) {};
  Ok(status);
}
