// The bytes of a spool file. Pure functions, any thread.
//
//   header, twice, so that one flipped bit costs nothing:
//     magic 8, id 8 (random, so that no other file has it), checksum 8 (of these 16 bytes)
//   frames, each one record:
//     marker 4, checksum 8 (of all that follows, seeded with the file's id), index 4 (0, 1, …), length 4, payload
//   payload:
//     type 1, whether the time is set 1, observed 8, time 8 (microseconds since 1970), lengths of name and gap_reason 4
//     each, name, gap_reason, object; of a gap, time and name are gap_from and gap_scope, of an Event happened and id,
//     which may be missing
//
// Numbers are little endian, checksums XXH3 of 64 bits. The marker lets a reader go on behind a frame whose length
// cannot be trusted; the seed keeps frames of other files from being taken for ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/forward/record.h"

namespace kube_events {

inline constexpr std::size_t kSpoolHeaderBytes = 48;
inline constexpr std::size_t kSpoolFrameHeadBytes = 20;
// Of one frame: a record that needs more is not written.
inline constexpr std::size_t kMaxSpoolFrameBytes = std::size_t{256} << 20;

std::string EncodeSpoolHeader(std::uint64_t id);
// The id; nothing where `bytes` does not begin with a header of this format.
std::optional<std::uint64_t> DecodeSpoolHeader(std::string_view bytes);
// Whether `bytes` is what a process that ended while it made the file has left of its header, or nothing at all.
bool IsUnfinishedSpoolHeader(std::string_view bytes);

// Bytes of the record's frame.
std::size_t SpoolFrameBytes(const Record& record);
// Appends the frame of a record, which has at most kMaxSpoolFrameBytes.
void AppendSpoolFrame(const Record& record, std::uint64_t id, std::uint32_t index, std::string& to);
// The record of the frame at the start of `bytes`; nothing where there is no good frame of the file `id`.
std::optional<Record> DecodeSpoolFrame(std::string_view bytes, std::uint64_t id);

// What is good in a file.
struct SpoolScan {
  std::vector<std::uint32_t> offsets;  // of each good frame, in order
  std::uint64_t damaged = 0;           // records that are missing between them, and torn pieces
  std::size_t first_damage = 0;        // where the first one is
};
// `bytes`: a whole file, header included, at most 4 GiB. Goes on behind whatever is damaged.
SpoolScan ScanSpoolFile(std::string_view bytes, std::uint64_t id);

}  // namespace kube_events
