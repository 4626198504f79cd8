// The seam between what a watch has to say and the connection that says it. Server thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kube_events::sim {

// Collects frames as HTTP/1.1 chunks.
class ChunkWriter {
 public:
  // `chunk_bytes`: 0 makes each frame one chunk, as the API server does when its client keeps up; a number cuts the
  // stream into chunks of that size wherever frames end.
  explicit ChunkWriter(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

  // One frame, given in pieces.
  void Frame(std::initializer_list<std::string_view> pieces);
  // Ends the body.
  void LastChunk();
  // Bytes that are ready to be sent; Take() leaves none.
  std::size_t size() const { return out_.size() + pending_.size(); }
  void Take(std::string& out);

 private:
  void Chunk(std::initializer_list<std::string_view> pieces);

  std::size_t chunk_bytes_;
  std::string out_;
  std::string pending_;  // not yet a chunk
};

class StreamSource {
 public:
  enum class State {
    kIdle,   // nothing more for now: `wake` will be called
    kMore,   // the limit was reached
    kEnd,    // complete: the last chunk follows
    kClose,  // the connection is closed without the last chunk
    kReset,  // … with a TCP reset
  };

  virtual ~StreamSource() = default;
  // Appends frames until `writer` has `limit` bytes or there are none left.
  virtual State Fill(ChunkWriter& writer, std::size_t limit) = 0;
  // How Fill is asked for after it said kIdle; may be called at any time between.
  virtual void SetWake(std::function<void()> wake) = 0;
};

}  // namespace kube_events::sim
