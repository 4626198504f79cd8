// The open connections, oldest first, so that a full server gives up the one that has kept it waiting longest.
// Owned by the server and used on its thread; only Size() may be called from others.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>

namespace kube_events {

// What the table needs of a connection.
class Connection {
 public:
  virtual ~Connection() = default;
  // Ends it at once, whatever it is doing. It leaves the table within the call; harmless when repeated.
  virtual void Close() = 0;
};

class ConnectionTable {
 public:
  // The place of one connection in the table, held by the connection.
  struct Entry {
    std::list<Connection*>* list = nullptr;  // null: not in the table
    std::list<Connection*>::iterator position = {};
    std::size_t pending_bytes = 0;
  };

  // It waits for its client to send something, from now on.
  void MarkWaiting(Connection& connection, Entry& entry);
  // It waits for its client to take an answer of this size, from now on.
  void MarkWriting(Connection& connection, Entry& entry, std::size_t bytes);
  void Remove(Entry& entry);

  // Closes the one that has waited longest for its client to send something; if there is none, the oldest writer.
  void CloseOldest();
  // Closes the oldest writers until no more than `max_bytes` are pending, but never the newest.
  void LimitPending(std::size_t max_bytes);
  void CloseWaiting();
  void CloseAll();

  std::size_t Size() const { return size_.load(std::memory_order_relaxed); }

 private:
  void Place(Connection& connection, Entry& entry, std::list<Connection*>& list);

  std::list<Connection*> waiting_;
  std::list<Connection*> writing_;
  std::size_t pending_bytes_ = 0;
  std::atomic<std::size_t> size_{0};
};

}  // namespace kube_events
