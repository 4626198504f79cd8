#include "field/tapped_client.h"

#include <utility>

namespace kube_events::field {

// Stands between the exchange and its observer. It is told of nothing any more once inner_exchange_ is gone.
class TappedClient::Tap final : public HttpExchange, public HttpObserver {
 public:
  Tap(TappedClient& client, HttpObserver& observer, bool watch) : client_(client), observer_(observer), watch_(watch) {
    ++client_.pending_;
  }
  ~Tap() override {
    inner_exchange_.reset();
    Become(State::kOver);
  }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  void Adopt(std::unique_ptr<HttpExchange> exchange) { inner_exchange_ = std::move(exchange); }
  void Resume() override { inner_exchange_->Resume(); }

  // The observer first: who sees the new state finds what led to it.
  void OnHead(const HttpHead& head) override {
    observer_.OnHead(head);
    if (watch_ && head.status == 200) Become(State::kWatching);
  }
  bool OnBody(std::string_view bytes) override { return observer_.OnBody(bytes); }
  void OnEnd(const Result<void>& result) override {
    observer_.OnEnd(result);
    Become(State::kOver);
  }

 private:
  enum class State { kPending, kWatching, kOver };

  void Become(State state) {
    const State before = state_.exchange(state);
    if (before == State::kPending) --client_.pending_;
    if (before == State::kWatching) --client_.watching_;
    if (state == State::kWatching) ++client_.watching_;
  }

  TappedClient& client_;
  HttpObserver& observer_;
  const bool watch_;
  std::atomic<State> state_{State::kPending};
  std::unique_ptr<HttpExchange> inner_exchange_;
};

std::unique_ptr<HttpExchange> TappedClient::Start(HttpRequest request, HttpObserver& observer) {
  const bool watch = request.target.find("watch=true") != std::string::npos;
  {
    const std::lock_guard lock(mutex_);
    targets_.push_back(request.target);
  }
  auto tap = std::make_unique<Tap>(*this, observer, watch);
  tap->Adopt(inner_.Start(std::move(request), *tap));
  return tap;
}

std::vector<std::string> TappedClient::targets() const {
  const std::lock_guard lock(mutex_);
  return targets_;
}

}  // namespace kube_events::field
