import OzuImaging

/// Inflates the zlib stream of a PNG (RFC 1950, RFC 1951) into a window in which the caller reads it.
///
/// Made for streams that shrink much, as those of drawn pictures: nearly all time goes to long copies from near before. There
/// ISA-L loads bytes that it has just stored, for which processors wait. Here such a pattern stays in registers
/// (`InflateStream+Codes.swift`), and the window is the output, so no history is copied for each piece. Of photographs ISA-L
/// decodes the codes faster.
///
/// It accepts the streams that zlib accepts. It reports no errors: `nil` and false mean that libpng decodes the file.
///
/// A class, because it owns memory; it stays on the thread that decodes. Unsafe pointers. Why every index is in bounds: the
/// window has `capacity` bytes. Output is begun only below a limit that is `slack` bytes before its end, and one round of the
/// loop writes no more than 8 literals, a copy of 258 bytes, and 32 bytes after it. Copies begin no farther back than the
/// start of the window. Input is read up to `inputEnd`, the end of a chunk; the file must outlive the stream.
final class InflateStream {
  enum State {
    case header
    case stored
    case codes
    case done
    case failed
  }

  /// The farthest distance of a copy.
  private static let historyByteCount = 32 << 10
  private static let slack = 512

  let window: UnsafeMutablePointer<UInt8>
  /// The output that is not yet read begins at `start`; `end` is where it goes on.
  var start = 0
  var end = 0
  var state = State.header
  /// The next bits of the input, the first one lowest, and how many of them count. Those above are the same as in the
  /// next bytes of the input, or zero.
  var bits: UInt64 = 0
  var bitCount: UInt64 = 0
  var next: UnsafePointer<UInt8>
  var inputEnd: UnsafePointer<UInt8>
  let literals = InflateTable(width: InflateTable.literalWidth, symbolCount: 288)
  let distances = InflateTable(width: InflateTable.distanceWidth, symbolCount: 32)
  let lengthCodes = InflateTable(width: 7, longest: 7, symbolCount: 0)
  var hasFixedCodes = false
  private var isLast = false
  private var storedByteCount = 0
  private let capacity: Int
  private let block: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool
  private var chunks: PNGChunkReader
  private let library: any PNGInflating.Type
  private var checksum: UInt32 = 1

  /// Begins a stream; `nil` if its header is not that of zlib without a dictionary.
  ///
  /// - Parameters:
  ///   - first: the content of the first chunk of image data.
  ///   - chunks: the chunks after it.
  ///   - pieceByteCount: the most bytes that are read at once.
  init?(
    _ first: UnsafeRawBufferPointer, _ chunks: PNGChunkReader, pieceByteCount: Int, pool: PixelBufferPool,
    library: any PNGInflating.Type
  ) {
    self.chunks = chunks
    self.pool = pool
    self.library = library
    capacity = Self.historyByteCount + 2 * pieceByteCount + Self.slack
    block = pool.takeBlock(byteCount: capacity)
    // Vectors are loaded before all their bytes are made.
    block.initializeMemory(as: UInt8.self, repeating: 0)
    window = block.baseAddress!.assumingMemoryBound(to: UInt8.self)
    next = UnsafePointer(window)
    inputEnd = next
    setInput(first)
    guard let header = take(16) else { return nil }
    let (method, flags) = (header & 0xFF, header >> 8)
    guard method & 15 == 8, method >> 4 <= 7, flags & 0x20 == 0, (method << 8 | flags) % 31 == 0 else {
      return nil
    }
  }

  deinit {
    literals.deallocate()
    distances.deallocate()
    lengthCodes.deallocate()
    pool.giveBack(block)
  }

  /// The next bytes, valid until the next call; `nil` at the end of the stream, or if it is broken.
  func read(_ count: Int) -> UnsafePointer<UInt8>? {
    makeRoom(count)
    guard run(until: start + count), end >= start + count else { return nil }
    let bytes = UnsafePointer(window) + start
    checksum = library.checksum(of: UnsafeRawBufferPointer(start: bytes, count: count), after: checksum)
    start += count
    return bytes
  }

  /// Whether the stream ends here, with the right checksum.
  func endsWell() -> Bool {
    guard end == start else { return false }
    makeRoom(1)
    guard run(until: end + 1), end == start, state == .done, take(bitCount & 7) != nil, let stored = take(32)
    else { return false }
    return UInt32(truncatingIfNeeded: stored).byteSwapped == checksum
  }

  /// Moves the history to the start of the window where there is no room for more bytes after `start`.
  private func makeRoom(_ count: Int) {
    guard start + count > capacity - Self.slack else { return }
    let moved = max(0, min(start, end - Self.historyByteCount))
    window.update(from: window + moved, count: end - moved)
    start -= moved
    end -= moved
    precondition(start + count <= capacity - Self.slack, "no more bytes than announced")
  }

  /// Goes on until there is output up to a place, or until the stream ends; false if it is broken.
  private func run(until limit: Int) -> Bool {
    while end < limit, state != .done {
      let isSound =
        switch state {
        case .header: readBlockHeader()
        case .stored: copyStored(until: limit)
        case .codes: inflate(until: limit)
        case .done, .failed: false
        }
      guard isSound else {
        state = .failed
        return false
      }
    }
    return true
  }

  private func readBlockHeader() -> Bool {
    guard !isLast else {
      state = .done
      return true
    }
    guard let header = take(3) else { return false }
    isLast = header & 1 == 1
    switch header >> 1 {
    case 0:
      guard take(bitCount & 7) != nil, let count = take(16), let complement = take(16),
        count ^ complement == 0xFFFF
      else { return false }
      storedByteCount = Int(count)
      state = .stored
      return true
    case 1:
      state = .codes
      return makeFixedCodes()
    case 2:
      state = .codes
      return readCodes()
    default: return false
    }
  }

  private func copyStored(until limit: Int) -> Bool {
    while storedByteCount > 0, end < limit {
      if bitCount >= 8 {
        window[end] = UInt8(truncatingIfNeeded: bits)
        bits >>= 8
        bitCount -= 8
        end += 1
        storedByteCount -= 1
        continue
      }
      // All bits are used: they end with a byte. Those that do not count are in the bytes that are copied.
      bits = 0
      guard next < inputEnd || moreInput() else { return false }
      let count = min(storedByteCount, inputEnd - next, limit - end)
      (window + end).update(from: next, count: count)
      next += count
      end += count
      storedByteCount -= count
    }
    if storedByteCount == 0 { state = .header }
    return true
  }

  private func setInput(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    next = UnsafePointer(start.assumingMemoryBound(to: UInt8.self))
    inputEnd = next + bytes.count
  }

  /// Goes on to the next chunk that is not empty; false if there is none.
  private func moreInput() -> Bool {
    while next == inputEnd {
      guard let content = chunks.nextImageData() else { return false }
      setInput(content)
    }
    return true
  }

  /// Has at least 57 bits count, or all that there are.
  func fillBits() {
    while bitCount <= 56, next < inputEnd || moreInput() {
      bits |= UInt64(next[0]) << bitCount
      next += 1
      bitCount += 8
    }
  }

  /// Takes up to 32 bits; `nil` if the input ends before.
  func take(_ count: UInt64) -> UInt64? {
    if bitCount < count { fillBits() }
    guard bitCount >= count else { return nil }
    defer {
      bits >>= count
      bitCount -= count
    }
    return bits & (1 << count - 1)
  }
}

/// The codes of a block: fixed, or described before its data (RFC 1951, 3.2.6 and 3.2.7).
///
/// Unsafe pointers: a description has at most 286 + 30 lengths, and there is room for 320.
extension InflateStream {
  /// The order of the lengths of the code for lengths.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthCodeSymbols: [InflateTable.Entry] = (0..<19).map { $0 << 16 }
  private static let fixedLiterals =
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112) + [UInt8](repeating: 7, count: 24)
    + [UInt8](repeating: 8, count: 8)
  private static let fixedDistances = [UInt8](repeating: 5, count: 32)

  func makeFixedCodes() -> Bool {
    guard !hasFixedCodes else { return true }
    hasFixedCodes = true
    return Self.fixedLiterals.withUnsafeBufferPointer { makeLiterals($0) }
      && Self.fixedDistances.withUnsafeBufferPointer { makeDistances($0) }
  }

  func readCodes() -> Bool {
    hasFixedCodes = false
    guard let counts = take(14) else { return false }
    let literalCount = Int(counts & 31) + 257
    let distanceCount = Int(counts >> 5 & 31) + 1
    guard literalCount <= 286, distanceCount <= 30 else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 320) { lengths in
      lengths.initialize(repeating: 0)
      for index in 0..<Int(counts >> 10) + 4 {
        guard let length = take(3) else { return false }
        lengths[Self.order[index]] = UInt8(length)
      }
      let codeLengths = UnsafeBufferPointer(rebasing: lengths[..<19])
      guard lengthCodes.build(codeLengths, Self.lengthCodeSymbols, allowsOne: false) else { return false }
      let count = literalCount + distanceCount
      lengths.update(repeating: 0)
      guard readLengths(lengths, count) else { return false }
      // A block must be able to end.
      guard lengths[256] != 0 else { return false }
      return makeLiterals(UnsafeBufferPointer(rebasing: lengths[..<literalCount]))
        && makeDistances(UnsafeBufferPointer(rebasing: lengths[literalCount..<count]))
    }
  }

  private func readLengths(_ lengths: UnsafeMutableBufferPointer<UInt8>, _ count: Int) -> Bool {
    var index = 0
    while index < count {
      fillBits()
      let entry = lengthCodes.entry(bits)
      guard entry & InflateTable.faultMark == 0, take(UInt64(entry & 0x3F)) != nil else { return false }
      let symbol = Int(entry >> 16)
      var (value, number) = (UInt8(truncatingIfNeeded: symbol), 1)
      if symbol >= 16 {
        guard let extra = take(symbol == 16 ? 2 : symbol == 17 ? 3 : 7) else { return false }
        number = Int(extra) + (symbol == 18 ? 11 : 3)
        guard symbol > 16 || index > 0, number <= count - index else { return false }
        value = symbol == 16 ? lengths[index - 1] : 0
      }
      for _ in 0..<number {
        lengths[index] = value
        index += 1
      }
    }
    return true
  }

  private func makeLiterals(_ lengths: UnsafeBufferPointer<UInt8>) -> Bool {
    literals.build(lengths, InflateTable.lengthSymbols, joinsLiterals: true)
  }

  private func makeDistances(_ lengths: UnsafeBufferPointer<UInt8>) -> Bool {
    distances.build(lengths, InflateTable.distanceSymbols)
  }
}
