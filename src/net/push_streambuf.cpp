#include "net/push_streambuf.h"

#include <cpprest/astreambuf.h>

#include <utility>

namespace kube_events {
namespace {

namespace streams = concurrency::streams;
using Base = streams::details::streambuf_state_manager<std::uint8_t>;

class PushStreambuf final : public Base {
 public:
  explicit PushStreambuf(std::shared_ptr<BodySink> sink) : Base(std::ios_base::out), sink_(std::move(sink)) {}

  // Overrides the entry point rather than _putn below it: the base class would wrap every write in another task, and
  // its error path blocks the one network thread.
  pplx::task<std::size_t> putn_nocopy(const std::uint8_t* data, std::size_t size) override {
    return size == 0 ? pplx::task_from_result<std::size_t>(0) : sink_->Write(data, size);
  }

  // A sequential stream: no size, no position, no buffer to lend out.
  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  std::size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return kNoPosition; }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return kNoPosition; }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override { return kNoPosition; }
  bool acquire(std::uint8_t*& block, std::size_t& size) override {
    block = nullptr;
    size = 0;
    return false;
  }
  void release(std::uint8_t*, std::size_t) override {}

 protected:
  pplx::task<std::size_t> _putn(const std::uint8_t* data, std::size_t size) override { return putn_nocopy(data, size); }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  std::uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}

  // Nobody writes single characters to a body, or reads from it.
  pplx::task<int_type> _putc(std::uint8_t) override { return End(); }
  pplx::task<int_type> _bumpc() override { return End(); }
  pplx::task<int_type> _getc() override { return End(); }
  pplx::task<int_type> _nextc() override { return End(); }
  pplx::task<int_type> _ungetc() override { return End(); }
  int_type _sbumpc() override { return traits::eof(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<std::size_t> _getn(std::uint8_t*, std::size_t) override { return pplx::task_from_result<std::size_t>(0); }
  std::size_t _scopy(std::uint8_t*, std::size_t) override { return 0; }

 private:
  static inline const pos_type kNoPosition = static_cast<pos_type>(traits::eof());
  static pplx::task<int_type> End() { return pplx::task_from_result<int_type>(traits::eof()); }

  const std::shared_ptr<BodySink> sink_;
};

}  // namespace

streams::ostream MakeBodyStream(std::shared_ptr<BodySink> sink) {
  const auto buffer = std::make_shared<PushStreambuf>(std::move(sink));
  return streams::streambuf<std::uint8_t>(
             std::static_pointer_cast<streams::details::basic_streambuf<std::uint8_t>>(buffer))
      .create_ostream();
}

}  // namespace kube_events
