import Foundation

/// A reply of a Redis server, as RESP2 has it (Redis serialization protocol specification, version 2).
enum RESPValue: Hashable, Sendable {
  /// A short text: `+OK`.
  case simple(String)
  /// A refusal; the first word says which kind: `-LOADING Redis is loading the dataset in memory`.
  case error(String)
  /// A whole number: `:1`.
  case integer(Int64)
  /// Bytes: `$3` and then three of them.
  case bulk(Data)
  /// Nothing: a bulk or an array of length -1.
  case null
  /// Several replies.
  case array([RESPValue])
}

/// Why bytes are no reply that may be read. Nothing after them can be read either.
struct RESPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line, without anything of the bytes.
  let description: String

  init(_ description: String) { self.description = description }
}

/// What a reply may have at most. Each limit is checked where the length is read, before the memory is taken.
struct RESPLimits: Hashable, Sendable {
  /// The bytes of a line: a simple text, an error, a number, a length.
  var lineByteCount = 4096
  /// The bytes of a bulk.
  var bulkByteCount = 8 << 20
  /// The bytes of all bulks and lines of one reply.
  var replyByteCount = 16 << 20
  /// The elements of all arrays of one reply.
  var elementCount = 100_000
  /// How deep arrays stand in arrays; 1 for an array of plain replies.
  var depth = 4
}
