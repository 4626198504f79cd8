#include "sim/sim_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sim/api_server.h"
#include "sim/json_text.h"
#include "sim/session_factory.h"

namespace kube_events::sim {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Code = boost::system::error_code;

constexpr std::chrono::milliseconds kTick{1};          // of the load
constexpr std::chrono::milliseconds kTickBudget{2};    // then connections have their turn
constexpr std::chrono::milliseconds kAcceptPause{50};  // when file descriptors have run out

std::optional<EventObject> Copy(const StoredEventPtr& stored) {
  if (stored == nullptr) return std::nullopt;
  return stored->object();
}

}  // namespace

struct SimServer::Impl {
  explicit Impl(SimServerOptions given);
  ~Impl();

  void Listen();
  void Accept();
  void Tick();

  // Runs `work` on the server thread and returns what it returns.
  template <typename Work>
  auto Run(Work work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    asio::post(io, std::move(task));
    return result.get();
  }

  const SimServerOptions options;
  const SystemClock system_clock;
  const Clock& clock;
  ApiServer api;
  SessionContext sessions;
  std::shared_ptr<asio::ssl::context> tls;
  asio::io_context io{1};  // destroyed before what its sessions refer to
  Tcp::acceptor acceptor{io};
  asio::steady_timer accept_timer{io};
  asio::steady_timer load_timer{io};
  std::chrono::steady_clock::time_point last_tick = std::chrono::steady_clock::now();
  std::uint16_t port = 0;
  std::string url;
  std::jthread thread;
};

SimServer::Impl::Impl(SimServerOptions given)
    : options(std::move(given)),
      clock(options.clock == nullptr ? system_clock : *options.clock),
      api(options, clock),
      sessions{[this](const Request& request) { return api.Handle(request); }, clock, options.chunk_bytes} {
  if (options.tls) tls = MakeTlsContext(*options.tls);
  Listen();
  Accept();
  Tick();
  thread = std::jthread([this] { io.run(); });
}

SimServer::Impl::~Impl() {
  io.stop();
  thread.join();
}

void SimServer::Impl::Listen() {
  const std::string where = options.host + ":" + std::to_string(options.port);
  try {
    const Tcp::endpoint endpoint(asio::ip::make_address(options.host), options.port);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen();
    port = acceptor.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + where + " (" + error.code().message() +
                             "): choose another --port, or 0 for any free one");
  }
  url = (tls ? "https://" : "http://") + options.host + ":" + std::to_string(port);
}

void SimServer::Impl::Accept() {
  acceptor.async_accept([this](Code error, Tcp::socket socket) {
    if (error) {
      accept_timer.expires_after(kAcceptPause);
      accept_timer.async_wait([this](Code cancelled) {
        if (!cancelled) Accept();
      });
      return;
    }
    Code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    if (tls) {
      StartTlsSession(std::move(socket), *tls, sessions);
    } else {
      StartPlainSession(std::move(socket), sessions);
    }
    Accept();
  });
}

void SimServer::Impl::Tick() {
  load_timer.expires_after(kTick);
  load_timer.async_wait([this](Code error) {
    if (error) return;
    const auto now = std::chrono::steady_clock::now();
    api.DriveLoad(now - std::exchange(last_tick, now), kTickBudget);
    Tick();
  });
}

SimServer::SimServer(SimServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
SimServer::~SimServer() = default;

std::uint16_t SimServer::Port() const { return impl_->port; }
const std::string& SimServer::Url() const { return impl_->url; }

std::optional<EventObject> SimServer::Create(EventObject event) {
  return impl_->Run([&] { return Copy(impl_->api.store().Create(std::move(event))); });
}

std::optional<EventObject> SimServer::Update(EventObject event) {
  if (event.metadata.namespace_name.empty()) event.metadata.namespace_name = "default";
  return impl_->Run([&] { return Copy(impl_->api.store().Update(std::move(event))); });
}

std::optional<EventObject> SimServer::Delete(const std::string& namespace_name, const std::string& name) {
  return impl_->Run([&] { return Copy(impl_->api.store().Delete(namespace_name + "/" + name)); });
}

std::optional<EventObject> SimServer::Get(const std::string& namespace_name, const std::string& name) {
  return impl_->Run([&] { return Copy(impl_->api.store().Get(namespace_name + "/" + name)); });
}

std::optional<EventObject> SimServer::CreateRaw(EventObject event, const std::string& fields) {
  const auto render = [&](const EventObject& stored) {
    std::string text = R"("metadata":{"name":)";
    AppendJsonString(text, stored.metadata.name);
    text += R"(,"namespace":)";
    AppendJsonString(text, stored.metadata.namespace_name);
    text += R"(,"uid":")" + stored.metadata.uid + R"(","resourceVersion":")";
    return text + std::to_string(stored.metadata.resource_version) + "\"}," + fields + "}";
  };
  return impl_->Run([&] { return Copy(impl_->api.store().CreateRaw(std::move(event), render)); });
}

SimState SimServer::State() {
  return impl_->Run([&] { return impl_->api.State(); });
}

bool SimServer::WaitForWatches(std::size_t count, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (State().watches != count) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

void SimServer::PrepareLoad(const LoadOptions& options) {
  impl_->Run([&] { impl_->api.PrepareLoad(options); });
}
void SimServer::StartLoad(const LoadOptions& options) {
  impl_->Run([&] { impl_->api.StartLoad(options); });
}
void SimServer::StopLoad() {
  impl_->Run([&] { impl_->api.StopLoad(); });
}

bool SimServer::RecordTape(std::size_t changes, Api api) {
  return impl_->Run([&] { return impl_->api.RecordTape(changes, api); });
}
void SimServer::PlayTape(double rate) {
  impl_->Run([&] { impl_->api.PlayTape(rate); });
}

std::optional<OccurrenceCounts> SimServer::TruthSince(std::uint64_t revision) {
  return impl_->Run([&] { return impl_->api.truth().Since(revision); });
}
std::optional<std::vector<SimChange>> SimServer::ChangesSince(std::uint64_t revision) {
  return impl_->Run([&]() -> std::optional<std::vector<SimChange>> {
    const EventStore& store = impl_->api.store();
    if (!store.CanWatchFrom(revision)) return std::nullopt;
    std::vector<SimChange> changes;
    for (std::uint64_t i = store.SequenceAfter(revision); i < store.EndSequence(); ++i) {
      const StoreChange& change = *store.At(i);
      changes.push_back(
          {change.revision, change.type == ChangeType::kDeleted, change.object->object().metadata.uid, change.time});
    }
    return changes;
  });
}
std::uint64_t SimServer::Mark() {
  return impl_->Run([&] { return impl_->api.Mark(); });
}

void SimServer::AddFault(Fault fault) {
  impl_->Run([&] { impl_->api.faults().Add(std::move(fault)); });
}
void SimServer::ClearFaults() {
  impl_->Run([&] { impl_->api.faults().Clear(); });
}
void SimServer::Compact(std::optional<std::uint64_t> revision) {
  impl_->Run([&] { impl_->api.store().Compact(revision.value_or(impl_->api.store().Revision())); });
}
void SimServer::DropWatches(DropMode mode) {
  impl_->Run([&] { impl_->api.hub().Drop(mode); });
}
void SimServer::InjectFrame(const std::string& frame) {
  impl_->Run([&] { impl_->api.hub().Inject(frame); });
}
void SimServer::CloseConnections() {
  impl_->Run([&] {
    const std::set<SessionBase*> open = impl_->sessions.sessions;
    for (SessionBase* session : open) session->Close();
  });
}
void SimServer::Rewind(std::uint64_t revision) {
  impl_->Run([&] { impl_->api.Rewind(revision); });
}
void SimServer::SetTls(const SimTls& tls) {
  impl_->Run([&] { impl_->tls = MakeTlsContext(tls); });
}
void SimServer::SetTokens(std::map<std::string, std::string> tokens) {
  impl_->Run([&] { impl_->api.access().SetTokens(std::move(tokens)); });
}
void SimServer::SetAllowed(std::optional<std::vector<AccessRule>> rules) {
  impl_->Run([&] { impl_->api.access().SetAllowed(std::move(rules)); });
}
void SimServer::SetDenied(std::vector<AccessRule> rules) {
  impl_->Run([&] { impl_->api.access().SetDenied(std::move(rules)); });
}

}  // namespace kube_events::sim
