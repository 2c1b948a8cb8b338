import OzuBase

/// Inflates gzip (RFC 1952, RFC 1951), or a stream of zlib (RFC 1950), to a bounded number of bytes.
///
/// For compressed drawings, which are recognised by their text in every process, also where no C library may touch the bytes
/// of a stranger; and for the texts of a PNG that is cleaned, which needs no library either. All indices are those of arrays, which check them. Only the first member counts.
package struct Gzip {
  package enum End: Equatable, Sendable {
    /// All are there, with the right checksum.
    case whole
    /// There are more than were wanted.
    case limit
    /// The input ends before they do.
    case cut
    /// The input is broken.
    case broken
  }

  package private(set) var bytes: [UInt8] = []
  package private(set) var end = End.whole

  private let input: [UInt8]
  private let limit: Int
  private var next = 0
  /// The next bits of the input, the first one lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0

  private struct Stop: Error {
    let end: End
  }

  package static func begins(_ data: Data) -> Bool { data.starts(with: [0x1F, 0x8B, 8]) }

  /// - Parameter limit: the most bytes of the result, which grows as they are inflated.
  /// - Complexity: O(input and result).
  package init(inflating data: Data, atMost limit: Int) {
    input = [UInt8](data)
    self.limit = limit
    do throws(Stop) {
      try skipHeader()
      while try !inflateBlock() {}
      try checkEnd()
    } catch {
      end = error.end
    }
  }

  /// The same for a stream of zlib without a dictionary. Its checksum is not compared.
  package init(inflatingZlib data: Data, atMost limit: Int) {
    input = [UInt8](data)
    self.limit = limit
    do throws(Stop) {
      let (method, flags) = (try take(8), try take(8))
      guard method & 15 == 8, flags & 0x20 == 0, (method << 8 | flags) % 31 == 0 else {
        throw Stop(end: .broken)
      }
      while try !inflateBlock() {}
    } catch {
      end = error.end
    }
  }

  // MARK: Input

  private mutating func fill(_ count: Int) {
    while bitCount < count, next < input.count {
      bits |= UInt64(input[next]) << UInt64(bitCount)
      next += 1
      bitCount += 8
    }
  }

  private mutating func drop(_ count: Int) throws(Stop) {
    guard count <= bitCount else { throw Stop(end: .cut) }
    bits >>= UInt64(count)
    bitCount -= count
  }

  private mutating func take(_ count: Int) throws(Stop) -> Int {
    fill(count)
    let value = Int(truncatingIfNeeded: bits & (1 << UInt64(count) - 1))
    try drop(count)
    return value
  }

  private mutating func skipHeader() throws(Stop) {
    guard try take(24) == 0x08_8B1F else { throw Stop(end: .broken) }
    let flags = try take(8)
    _ = try take(48)
    if flags & 4 != 0 { for _ in 0..<(try take(16)) { _ = try take(8) } }
    // A name and a comment, each with a zero at its end.
    for flag in [8, 16] where flags & flag != 0 { while try take(8) != 0 {} }
    if flags & 2 != 0 { _ = try take(16) }
  }

  // MARK: Blocks

  /// Whether the block was the last one.
  private mutating func inflateBlock() throws(Stop) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try copyStored()
    case 1:
      try inflate(Self.fixedLiterals, Self.fixedDistances)
    case 2:
      let (literals, distances) = try codes()
      try inflate(literals, distances)
    default: throw Stop(end: .broken)
    }
    return isLast
  }

  private mutating func append(_ byte: UInt8) throws(Stop) {
    guard bytes.count < limit else { throw Stop(end: .limit) }
    bytes.append(byte)
  }

  private mutating func copyStored() throws(Stop) {
    try drop(bitCount & 7)
    let count = try take(16)
    guard try take(16) == ~count & 0xFFFF else { throw Stop(end: .broken) }
    for _ in 0..<count { try append(UInt8(truncatingIfNeeded: try take(8))) }
  }

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The codes that a block begins with.
  private mutating func codes() throws(Stop) -> (Code, Code) {
    let (literalCount, distanceCount) = (try take(5) + 257, try take(5) + 1)
    var lengthLengths = [Int](repeating: 0, count: 19)
    for place in Self.lengthOrder.prefix(try take(4) + 4) { lengthLengths[place] = try take(3) }
    let lengthCode = Code(lengthLengths)
    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try self.symbol(lengthCode)
      switch symbol {
      case ..<16: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw Stop(end: .broken) }
        lengths += [Int](repeating: last, count: try take(2) + 3)
      case 17: lengths += [Int](repeating: 0, count: try take(3) + 3)
      default: lengths += [Int](repeating: 0, count: try take(7) + 11)
      }
    }
    guard lengths.count == literalCount + distanceCount else { throw Stop(end: .broken) }
    return (Code(Array(lengths[..<literalCount])), Code(Array(lengths[literalCount...])))
  }

  private mutating func inflate(_ literals: Code, _ distances: Code) throws(Stop) {
    while true {
      let symbol = try self.symbol(literals)
      if symbol < 256 {
        try append(UInt8(truncatingIfNeeded: symbol))
        continue
      }
      if symbol == 256 { return }
      // Lengths and distances are in groups that double (RFC 1951 §3.2.5).
      let length: Int
      switch symbol {
      case ..<265: length = symbol - 254
      case ..<285:
        let extra = (symbol - 261) / 4
        length = (4 + (symbol - 265) % 4) << extra + 3 + (try take(extra))
      case 285: length = 258
      default: throw Stop(end: .broken)
      }
      let place = try self.symbol(distances)
      guard place < 30 else { throw Stop(end: .broken) }
      let extra = max(0, place / 2 - 1)
      let distance = (place < 2 ? place : (2 + place % 2) << extra) + 1 + (try take(extra))
      guard distance <= bytes.count else { throw Stop(end: .broken) }
      for _ in 0..<length { try append(bytes[bytes.count - distance]) }
    }
  }

  // MARK: Codes

  /// A prefix code: for each value of the next bits that are enough, the symbol and the length of its code.
  private struct Code {
    /// Symbol times 16 plus length; 0 for bits that are no code.
    var entries: [UInt16]
    let width: Int

    init(_ lengths: [Int]) {
      width = max(1, lengths.max() ?? 0)
      entries = [UInt16](repeating: 0, count: 1 << width)
      var code = 0
      for length in 1...width {
        for symbol in lengths.indices where lengths[symbol] == length {
          // A code with too many symbols is broken; the symbols that it decodes to do not matter.
          if code >> length != 0 { return }
          var reversed = 0
          for bit in 0..<length where code >> bit & 1 == 1 { reversed |= 1 << (length - 1 - bit) }
          for place in stride(from: reversed, to: 1 << width, by: 1 << length) {
            entries[place] = UInt16(truncatingIfNeeded: symbol << 4 | length)
          }
          code += 1
        }
        code <<= 1
      }
    }
  }

  private static let fixedLiterals = Code((0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = Code([Int](repeating: 5, count: 30))

  private mutating func symbol(_ code: borrowing Code) throws(Stop) -> Int {
    fill(code.width)
    let entry = Int(code.entries[Int(truncatingIfNeeded: bits & (1 << UInt64(code.width) - 1))])
    // Bits behind the end of the input count as zeros here.
    guard entry != 0 else { throw Stop(end: bitCount < code.width ? .cut : .broken) }
    try drop(entry & 15)
    return entry >> 4
  }

  // MARK: End

  private mutating func checkEnd() throws(Stop) {
    try drop(bitCount & 7)
    let (sum, count) = (try take(32), try take(32))
    guard count == bytes.count & 0xFFFF_FFFF, UInt32(truncatingIfNeeded: sum) == CRC32.of(bytes) else {
      throw Stop(end: .broken)
    }
  }
}
