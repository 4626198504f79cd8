// The one thread of the HTTP library, on which all of its work is done.
#pragma once

#include <utility>  // which Boost.Asio 1.74 uses without including it

#include <pplx/threadpool.h>

namespace kube_events {

inline boost::asio::io_service& NetworkService() { return crossplat::threadpool::shared_instance().service(); }

// Runs `job` on the network thread, soon and after what was posted before. Any thread.
template <typename Job>
void PostToNetwork(Job&& job) {
  NetworkService().post(std::forward<Job>(job));
}

}  // namespace kube_events
