import OzuTesting

/// Writes zlib streams of random tokens in blocks of all kinds, and knows what they stand for.
///
/// Codes are random complete ones, of up to fifteen bits, so that every kind of table entry is used.
struct DeflateWriter {
  private(set) var stream: [UInt8] = [0x78, 0x01]
  private(set) var output: [UInt8] = []
  private var bits: UInt64 = 0
  private var bitCount: UInt64 = 0
  private var random: SeededGenerator

  static let lengthBases = (3...10).map { $0 } + bases(from: 11, (8..<28).map { ($0 - 4) / 4 }) + [258]
  static let lengthExtras = (0..<28).map { $0 < 8 ? 0 : ($0 - 4) / 4 } + [0]
  static let distanceExtras = (0..<30).map { $0 < 4 ? 0 : ($0 - 2) / 2 }
  static let distanceBases = bases(from: 1, distanceExtras)

  private static func bases(from first: Int, _ extras: [Int]) -> [Int] {
    var base = first
    return extras.map { bits in
      defer { base += 1 << bits }
      return base
    }
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func put(_ value: Int, _ count: Int) {
    bits |= UInt64(value) << bitCount
    bitCount += UInt64(count)
    while bitCount >= 8 {
      stream.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  mutating func align() { put(0, Int((8 - bitCount % 8) % 8)) }

  /// Ends the stream with its checksum, and `error` added to it.
  mutating func finish(error: UInt32 = 0) {
    align()
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in output {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let sum = (high << 16 | low) &+ error
    stream += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
  }

  mutating func storedBlock(_ count: Int, isLast: Bool) {
    put(isLast ? 1 : 0, 3)
    align()
    put(count, 16)
    put(~count & 0xFFFF, 16)
    for _ in 0..<count {
      let byte = UInt8(truncatingIfNeeded: random.next())
      output.append(byte)
      put(Int(byte), 8)
    }
  }

  /// A block of random tokens; `isFixed` for the fixed codes.
  mutating func block(tokens: Int, isFixed: Bool, isLast: Bool) {
    put((isLast ? 1 : 0) | (isFixed ? 2 : 4), 3)
    var literals = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
    var distances = [Int](repeating: 5, count: 32)
    if !isFixed {
      literals = lengths(286)
      distances = lengths(30)
      putHeader(literals + distances)
    }
    let (literalCodes, distanceCodes) = (Self.codes(literals), Self.codes(distances))
    for _ in 0..<tokens {
      if output.isEmpty || random.next() % 4 > 0 {
        let byte = UInt8(truncatingIfNeeded: random.next()) & (random.next() % 2 == 0 ? 15 : 255)
        output.append(byte)
        put(literalCodes[Int(byte)], literals[Int(byte)])
        continue
      }
      // Near ones most often: their patterns have ways of their own.
      let farthest = min(output.count, random.next() % 3 == 0 ? 32_768 : 40)
      let symbol = Int(random.next() % 29)
      put(literalCodes[257 + symbol], literals[257 + symbol])
      let more = Int(random.next() % (1 << UInt64(Self.lengthExtras[symbol])))
      // Symbol 284 with all extra bits is 258 too.
      let length = Self.lengthBases[symbol] + more
      put(more, Self.lengthExtras[symbol])
      let distance = Int(random.next() % UInt64(farthest)) + 1
      let place = Self.distanceBases.lastIndex { $0 <= distance } ?? 0
      put(distanceCodes[place], distances[place])
      put(distance - Self.distanceBases[place], Self.distanceExtras[place])
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
    put(literalCodes[256], literals[256])
  }

  /// Writes the lengths of both codes: with a code for lengths in which all symbols have four or five bits.
  mutating func putHeader(_ lengths: [Int], literalCount: Int = 286) {
    let coding = (0..<19).map { $0 < 13 ? 4 : 5 }
    let codes = Self.codes(coding)
    put(literalCount - 257, 5)
    put(lengths.count - literalCount - 1, 5)
    put(15, 4)
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] {
      put(coding[symbol], 3)
    }
    var index = 0
    while index < lengths.count {
      let value = lengths[index]
      let run = lengths[index...].prefix { $0 == value }.count
      let (symbol, count, extra, least) =
        value == 0 && run >= 11
        ? (18, min(run, 138), 7, 11)
        : value == 0 && run >= 3 ? (17, min(run, 10), 3, 3) : (value, 1, 0, 1)
      put(codes[symbol], coding[symbol])
      put(count - least, extra)
      index += count
      let repeats = lengths[index...].prefix { $0 == value }.count
      if value > 0, repeats >= 3 {
        put(codes[16], coding[16])
        put(min(repeats, 6) - 3, 2)
        index += min(repeats, 6)
      }
    }
  }

  /// The lengths of a random complete code.
  private mutating func lengths(_ count: Int) -> [Int] {
    var leaves = [0]
    while leaves.count < count {
      let index = Int(random.next() % UInt64(leaves.count))
      guard leaves[index] < 15 else { continue }
      leaves[index] += 1
      leaves.append(leaves[index])
    }
    return leaves.shuffled(using: &random)
  }

  /// The codes, with their first bit lowest.
  private static func codes(_ lengths: [Int]) -> [Int] {
    var (codes, next) = ([Int](repeating: 0, count: lengths.count), 0)
    for length in 1...15 {
      next <<= 1
      for symbol in lengths.indices where lengths[symbol] == length {
        codes[symbol] = (0..<length).reduce(0) { $0 | (next >> $1 & 1) << (length - 1 - $1) }
        next += 1
      }
    }
    return codes
  }
}
