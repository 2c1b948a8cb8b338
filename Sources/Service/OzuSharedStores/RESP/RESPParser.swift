import OzuBase

/// Parses the bytes of a server as they arrive, and returns its replies.
///
/// It is strict: a line ends with CR LF and contains no other CR or LF, numbers have one form, and everything
/// outside RESP2 (including the types of RESP3) is an error. After an error the following bytes cannot be parsed,
/// and every further call throws the same error.
///
/// - Complexity: O(bytes) in total, however the bytes are split: no byte is examined twice.
package struct RESPParser {
  /// An array with missing elements.
  private struct OpenArray {
    var missingCount: Int
    var values: [RESPValue] = []
  }

  private let limits: RESPLimits
  private var buffer: [UInt8] = []
  /// The index of the first byte that was not parsed.
  private var start = 0
  /// Up to here, the line at `start` has no end.
  private var scanned = 0
  /// The length of the bulk string that follows.
  private var bulkByteCount: Int?
  private var open: [OpenArray] = []
  private var replyByteCount = 0
  private var elementCount = 0
  private var failure: RESPError?

  /// A parser with the usual limits.
  package init() { self.init(limits: RESPLimits()) }

  init(limits: RESPLimits) { self.limits = limits }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 18)
      (start, scanned) = (0, 0)
    } else if start > 1 << 16 {
      buffer.removeSubrange(..<start)
      (start, scanned) = (0, scanned - start)
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next reply; `nil` if more bytes are needed.
  package mutating func next() throws(RESPError) -> RESPValue? {
    if let failure { throw failure }
    do throws(RESPError) {
      while let value = try nextPart() {
        guard let whole = try place(value) else { continue }
        (replyByteCount, elementCount) = (0, 0)
        return whole
      }
      return nil
    } catch {
      failure = error
      buffer = []
      (start, scanned, open) = (0, 0, [])
      throw error
    }
  }

  /// Adds a value to the innermost open array. Returns the value that is complete and in no array.
  private mutating func place(_ value: RESPValue) throws(RESPError) -> RESPValue? {
    var value = value
    while let last = open.indices.last {
      open[last].values.append(value)
      open[last].missingCount -= 1
      guard open[last].missingCount == 0 else { return nil }
      value = .array(open.removeLast().values)
    }
    return value
  }

  /// A value without elements, or an empty array. Opens arrays with elements.
  private mutating func nextPart() throws(RESPError) -> RESPValue? {
    while true {
      if let count = bulkByteCount { return try bulk(count) }
      guard let line = try line(), let type = line.first else { return nil }
      let rest = line.dropFirst()
      switch type {
      case UInt8(ascii: "+"): return .simple(String(decoding: rest, as: UTF8.self))
      case UInt8(ascii: "-"): return .error(String(decoding: rest, as: UTF8.self))
      case UInt8(ascii: ":"): return .integer(try number(rest))
      case UInt8(ascii: "$"):
        guard let count = try length(rest, limit: limits.bulkByteCount, of: "a bulk") else { return .null }
        try take(count)
        bulkByteCount = count
      case UInt8(ascii: "*"):
        guard let count = try length(rest, limit: limits.elementCount, of: "an array") else { return .null }
        elementCount += count
        guard elementCount <= limits.elementCount else { throw RESPError("a reply has too many elements") }
        guard open.count < limits.depth else { throw RESPError("arrays are nested too deeply") }
        if count == 0 { return .array([]) }
        open.append(OpenArray(missingCount: count))
      default: throw RESPError("a reply begins with a byte that is not a type of RESP2")
      }
    }
  }

  private mutating func bulk(_ count: Int) throws(RESPError) -> RESPValue? {
    guard buffer.count - start >= count + 2 else { return nil }
    let end = start + count
    guard buffer[end] == UInt8(ascii: "\r"), buffer[end + 1] == UInt8(ascii: "\n") else {
      throw RESPError("a bulk does not end where its length says")
    }
    let data = buffer.withUnsafeBytes { Data($0[start..<end]) }
    bulkByteCount = nil
    (start, scanned) = (end + 2, end + 2)
    return .bulk(data)
  }

  /// The next line without its end; never empty.
  private mutating func line() throws(RESPError) -> ArraySlice<UInt8>? {
    scanned = max(scanned, start)
    while scanned < buffer.count, buffer[scanned] != UInt8(ascii: "\r") {
      guard buffer[scanned] != UInt8(ascii: "\n") else { throw RESPError("a line ends without CR") }
      scanned += 1
    }
    guard scanned - start <= limits.lineByteCount else { throw RESPError("a line is too long") }
    // The LF may not have arrived yet.
    guard scanned + 1 < buffer.count else { return nil }
    guard buffer[scanned + 1] == UInt8(ascii: "\n") else { throw RESPError("a line has a CR in it") }
    let line = buffer[start..<scanned]
    guard !line.isEmpty else { throw RESPError("a line is empty") }
    try take(line.count)
    start = scanned + 2
    scanned = start
    return line
  }

  private mutating func take(_ byteCount: Int) throws(RESPError) {
    replyByteCount += byteCount
    guard replyByteCount <= limits.replyByteCount else { throw RESPError("a reply is too large") }
  }

  private func length(
    _ digits: ArraySlice<UInt8>, limit: Int, of what: String
  ) throws(RESPError) -> Int? {
    let count = try number(digits)
    if count == -1 { return nil }
    guard count >= 0 else { throw RESPError("\(what) has a negative length") }
    guard count <= limit else { throw RESPError("\(what) is larger than \(limit)") }
    return Int(count)
  }

  /// `-?(0|[1-9][0-9]*)` within 64 bits.
  private func number(_ digits: ArraySlice<UInt8>) throws(RESPError) -> Int64 {
    let isNegative = digits.first == UInt8(ascii: "-")
    let magnitude = isNegative ? digits.dropFirst() : digits
    let isCanonical =
      !magnitude.isEmpty && magnitude.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && (magnitude.first != UInt8(ascii: "0") || magnitude.count == 1 && !isNegative)
    guard isCanonical, let number = Int64(String(decoding: digits, as: UTF8.self)) else {
      throw RESPError("a number is malformed")
    }
    return number
  }
}

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
