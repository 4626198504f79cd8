#include "sim/session.h"

namespace kube_events::sim {

void StartPlainSession(boost::asio::ip::tcp::socket socket, SessionContext& context) {
  std::make_shared<Session<boost::asio::ip::tcp::socket>>(std::move(socket), context)->Start();
}

}  // namespace kube_events::sim
