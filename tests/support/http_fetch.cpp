#include "support/http_fetch.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "support/fetch_connection.h"

namespace kube_events {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using Code = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;

FetchEnd EndOf(const Code& error) {
  if (error == asio::error::eof || error == ssl::error::stream_truncated) return FetchEnd::kClosed;
  return error == asio::error::timed_out ? FetchEnd::kTimeout : FetchEnd::kReset;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A response that is taken apart while it comes.
class ResponseReader {
 public:
  explicit ResponseReader(const FetchOptions& options) : options_(options), connection_(options) {}

  void Send(const std::string& method, const std::string& url, const std::string& body) {
    const FetchTarget target = ParseUrl(url);
    std::string text = method + " " + target.path + " HTTP/1.1\r\nHost: " + target.host + ":" + target.port + "\r\n";
    bool typed = false;
    for (const auto& [name, value] : options_.headers) {
      text.append(name).append(": ").append(value).append("\r\n");
      typed = typed || Lower(name) == "content-type";
    }
    if (!body.empty() && !typed) text += "Content-Type: application/json\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
    Code error = connection_.Open(target, options_.timeout);
    if (!error) error = connection_.Write(text, options_.timeout);
    if (error) end_ = EndOf(error);
  }

  void ReadHead() {
    std::size_t end = std::string::npos;
    while (end_ == FetchEnd::kOpen && (end = raw_.find("\r\n\r\n")) == std::string::npos) ReadMore(options_.timeout);
    if (end == std::string::npos) return;
    ParseHead(std::string_view(raw_).substr(0, end + 2));
    raw_.erase(0, end + 4);
    Decode();
  }

  // Reads once more; what came is in body().
  void ReadBody(Milliseconds timeout) {
    if (end_ == FetchEnd::kTimeout) end_ = FetchEnd::kOpen;
    if (end_ != FetchEnd::kOpen) return;
    ReadMore(timeout);
    Decode();
  }

  int status() const { return status_; }
  FetchEnd end() const { return end_; }
  std::string& body() { return body_; }
  const std::map<std::string, std::string>& headers() const { return headers_; }
  const std::vector<std::size_t>& chunks() const { return chunks_; }

 private:
  void ReadMore(Milliseconds timeout) {
    const Code error = connection_.Read(raw_, timeout);
    if (error) end_ = EndOf(error);
  }

  void ParseHead(std::string_view head) {
    const std::size_t line_end = head.find("\r\n");
    if (line_end >= 12) std::from_chars(head.data() + 9, head.data() + 12, status_);
    head.remove_prefix(line_end + 2);
    while (!head.empty()) {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      head.remove_prefix(line.size() + 2);
      const std::size_t colon = std::min(line.find(':'), line.size());
      std::string_view value = line.substr(std::min(colon + 1, line.size()));
      while (value.starts_with(' ')) value.remove_prefix(1);
      headers_[Lower(std::string(line.substr(0, colon)))] = value;
    }
    chunked_ = headers_["transfer-encoding"] == "chunked";
    const std::string& length = headers_["content-length"];
    std::from_chars(length.data(), length.data() + length.size(), left_);
  }

  void Decode() {
    if (status_ == 0) return;
    if (chunked_) {
      while (DecodeChunk()) {
      }
      return;
    }
    const std::size_t size = std::min(left_, raw_.size());
    body_.append(raw_, 0, size);
    raw_.erase(0, size);
    left_ -= size;
    if (left_ == 0) end_ = FetchEnd::kComplete;
  }

  // Takes one whole chunk, or what has come of it; false when more has to be read first.
  bool DecodeChunk() {
    if (left_ == 0) {
      const std::size_t line = raw_.find("\r\n");
      if (line == std::string::npos) return false;
      std::from_chars(raw_.data(), raw_.data() + line, left_, 16);
      if (left_ == 0 && raw_.size() < line + 4) return false;
      if (left_ == 0) {
        end_ = FetchEnd::kComplete;
        return false;
      }
      raw_.erase(0, line + 2);
      chunks_.push_back(left_);
      left_ += 2;  // its line end
    }
    const std::size_t size = std::min(left_, raw_.size());
    const std::size_t payload = left_ > 2 ? std::min(size, left_ - 2) : 0;
    body_.append(raw_, 0, payload);
    raw_.erase(0, size);
    left_ -= size;
    return left_ == 0;
  }

  FetchOptions options_;
  FetchConnection connection_;
  std::string raw_;  // not yet decoded
  std::string body_;
  int status_ = 0;
  std::map<std::string, std::string> headers_;
  std::vector<std::size_t> chunks_;
  bool chunked_ = false;
  std::size_t left_ = 0;  // of the body or of the present chunk
  FetchEnd end_ = FetchEnd::kOpen;
};

}  // namespace

FetchResponse Fetch(const std::string& method, const std::string& url, const std::string& body,
                    const FetchOptions& options) {
  ResponseReader reader(options);
  reader.Send(method, url, body);
  reader.ReadHead();
  while (reader.end() == FetchEnd::kOpen) reader.ReadBody(options.timeout);
  return {reader.status(), reader.headers(), std::move(reader.body()), reader.end()};
}

struct FetchStream::Impl {
  explicit Impl(const FetchOptions& options) : reader(options) {}
  ResponseReader reader;
  std::size_t searched = 0;
  std::size_t consumed = 0;
};

FetchStream::FetchStream(const std::string& url, const FetchOptions& options) : impl_(std::make_unique<Impl>(options)) {
  impl_->reader.Send("GET", url, "");
  impl_->reader.ReadHead();
}
FetchStream::~FetchStream() = default;
FetchStream::FetchStream(FetchStream&&) noexcept = default;

int FetchStream::status() const { return impl_->reader.status(); }
const std::map<std::string, std::string>& FetchStream::headers() const { return impl_->reader.headers(); }
const std::vector<std::size_t>& FetchStream::chunks() const { return impl_->reader.chunks(); }
FetchEnd FetchStream::end() const { return impl_->reader.end(); }

std::optional<std::string> FetchStream::NextLine(Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string& body = impl_->reader.body();
  for (;;) {
    const std::size_t newline = body.find('\n', impl_->searched);
    if (newline != std::string::npos) {
      std::string line = body.substr(impl_->consumed, newline - impl_->consumed);
      impl_->consumed = impl_->searched = newline + 1;
      return line;
    }
    body.erase(0, std::exchange(impl_->consumed, 0));
    impl_->searched = body.size();
    const FetchEnd end = impl_->reader.end();
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    const bool open = end == FetchEnd::kOpen || end == FetchEnd::kTimeout;
    if (open && left > Milliseconds{0}) {
      impl_->reader.ReadBody(left);
      continue;
    }
    if (open || body.empty()) return std::nullopt;
    impl_->searched = 0;
    return std::exchange(body, std::string());
  }
}

}  // namespace kube_events
