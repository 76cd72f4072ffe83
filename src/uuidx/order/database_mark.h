// The mark that a database has, and with it each standby: how far the order of UUIDs may have come
// when a transaction of this database committed.

#pragma once

#include "core/sequence.h"

#include "server/shim.h"

namespace uuidx::pg {

/// A start of a server, of which a mark is: a random number of 47 bits, not 0.
enum class Start : std::uint64_t {};

/// What this process knows of the mark of its database.
struct KnownMark {
    std::uint64_t mark = 0;
    std::uint32_t resets = 0;
};
template <class Time>
inline constinit KnownMark known_mark;

/// Whether the database has a mark that covers `prefix`, as far as this process knows. After a
/// reset of the sequence, the mark is a lower one.
template <class Time>
bool is_covered_in_database(const Sequence<Time>& sequence, std::uint64_t prefix) {
    return prefix <= known_mark<Time>.mark && sequence.resets() == known_mark<Time>.resets;
}

/// Makes the mark of the database cover `prefix`; nothing during recovery. Returns false if another
/// prefix must be taken: the sequence was reset meanwhile, or may have gone on behind the mark of
/// another start. 55000 if the database has no mark; one without the extension needs none for fixed
/// nodes, which repeat no UUID after a promotion.
template <class Time>
bool cover_in_database(Sequence<Time>& sequence, Start start, std::uint64_t prefix);

}  // namespace uuidx::pg
