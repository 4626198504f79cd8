// The path of an Event that is known already takes no memory from the heap: a program of its own, since it counts what
// operator new is asked for.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "event/samples.h"
#include "kube_events/counting/occurrence_counter.h"
#include "kube_events/event/event_decoder.h"
#include "kube_events/event/event_filter.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* Allocate(std::size_t size) noexcept {
  ++allocations;
  return std::malloc(size);
}

void* AllocateOrThrow(std::size_t size) {
  void* const memory = Allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return AllocateOrThrow(size); }
void* operator new[](std::size_t size) { return AllocateOrThrow(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace kube_events::testing {
namespace {

// How many allocations `work` makes the second time.
template <typename Work>
std::size_t AllocationsOnceWarm(Work work) {
  work();
  const std::size_t before = allocations;
  work();
  return allocations - before;
}

class NullSink final : public OccurrenceSink {
 public:
  void OnOccurrences(const Change&, const Occurrences& occurrences) override { value += occurrences.add; }
  std::int64_t value = 0;
};

TEST(Allocation, AreCounted) {
  EXPECT_GT(AllocationsOnceWarm([] { EXPECT_EQ(std::string(100, 'x').size(), 100U); }), 0U);
}

TEST(Allocation, DecodingAFrameNeedsNone) {
  std::string frame = std::string(R"({"type":"MODIFIED","object":)") + kRecorderEvent + "}";
  const std::size_t size = frame.size();
  frame.append(kJsonPadding, ' ');
  EventDecoder decoder;
  std::int64_t total = 0;
  EXPECT_EQ(AllocationsOnceWarm([&] { total += decoder.DecodeFrame({frame.data(), size})->event.Total(); }), 0U);
  EXPECT_EQ(total, 24);
}

TEST(Allocation, CountingAKnownEventNeedsNone) {
  NullSink sink;
  OccurrenceCounterOptions options;
  options.scopes.emplace_back();
  OccurrenceCounter counter(options, sink);
  const WallTime now{std::chrono::seconds{1'767'225'600}};
  counter.OnListBegin(0, ListReason::kFirst, now);
  counter.OnListCommitted(0, "1", now);
  Event event;
  event.name = "a-name-that-is-too-long-for-a-short-string.17f1c2a3b4d5e6f7";
  event.uid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  EXPECT_EQ(
      AllocationsOnceWarm([&] {
        ++event.count;
        counter.OnChange({.scope = 0, .kind = ChangeKind::kModified, .event = event, .raw = {}, .server_time = now});
      }),
      0U);
  EXPECT_EQ(sink.value, 2);
}

TEST(Allocation, FilteringNeedsNone) {
  const Result<EventFilter> filter =
      EventFilter::Create({.reasons = {"AReasonThatIsTooLongForAShortString", "!Other"}});
  ASSERT_TRUE(filter.has_value());
  Event event;
  event.reason = "AReasonThatIsTooLongForAShortString";
  int passed = 0;
  EXPECT_EQ(AllocationsOnceWarm([&] { passed += filter->Passes(event) ? 1 : 0; }), 0U);
  EXPECT_EQ(passed, 2);
}

}  // namespace
}  // namespace kube_events::testing
