import OzuBase

/// A reply of a Redis server in RESP2 (Redis serialization protocol specification, version 2).
package enum RESPValue: Hashable, Sendable {
  /// A short text: `+OK`.
  case simple(String)
  /// An error; the first word is its kind: `-LOADING Redis is loading the dataset in memory`.
  case error(String)
  /// A whole number: `:1`.
  case integer(Int64)
  /// Bytes: `$3` followed by three bytes.
  case bulk(Data)
  /// No value: a bulk string or an array of length -1.
  case null
  /// Several replies.
  case array([RESPValue])
}

/// The reason why bytes are not a valid reply. The bytes after them cannot be parsed either.
package struct RESPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line, without any of the bytes.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The limits of a reply. Each limit is checked when the length is read, before memory is allocated.
struct RESPLimits: Hashable, Sendable {
  /// The most bytes of a line: a simple text, an error, a number, a length.
  var lineByteCount = 4096
  /// The most bytes of a bulk string.
  var bulkByteCount = 8 << 20
  /// The most bytes of all bulk strings and lines of one reply.
  var replyByteCount = 16 << 20
  /// The most elements of all arrays of one reply.
  var elementCount = 100_000
  /// The most levels of nested arrays; 1 for an array of plain replies.
  var depth = 4
}
