#include "connection_table.h"

namespace kube_events {

void ConnectionTable::MarkWaiting(Connection& connection, Entry& entry) { Place(connection, entry, waiting_); }

void ConnectionTable::MarkWriting(Connection& connection, Entry& entry, std::size_t bytes) {
  Place(connection, entry, writing_);
  entry.pending_bytes = bytes;
  pending_bytes_ += bytes;
}

void ConnectionTable::Place(Connection& connection, Entry& entry, std::list<Connection*>& list) {
  Remove(entry);
  entry.position = list.insert(list.end(), &connection);
  entry.list = &list;
  size_.fetch_add(1, std::memory_order_relaxed);
}

void ConnectionTable::Remove(Entry& entry) {
  if (entry.list == nullptr) return;
  entry.list->erase(entry.position);
  entry.list = nullptr;
  pending_bytes_ -= entry.pending_bytes;
  entry.pending_bytes = 0;
  size_.fetch_sub(1, std::memory_order_relaxed);
}

void ConnectionTable::CloseOldest() {
  auto& list = waiting_.empty() ? writing_ : waiting_;
  if (!list.empty()) list.front()->Close();
}

void ConnectionTable::LimitPending(std::size_t max_bytes) {
  while (pending_bytes_ > max_bytes && writing_.size() > 1) writing_.front()->Close();
}

void ConnectionTable::CloseWaiting() {
  while (!waiting_.empty()) waiting_.front()->Close();
}

void ConnectionTable::CloseAll() {
  CloseWaiting();
  while (!writing_.empty()) writing_.front()->Close();
}

}  // namespace kube_events
