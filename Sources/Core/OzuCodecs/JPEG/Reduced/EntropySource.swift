import OzuBase

/// The entropy-coded data of one scan, brought piece by piece into a buffer from which a `BitReader` reads.
///
/// It removes the stuffed zero after each 0xFF (ITU-T T.81 §B.1.1.5), so the reader sees only bits. The memory is that of
/// the buffer, for a scan of any length.
///
/// **Why no index leaves its buffer, for any file.** The whole reduced decoder relies on this proof: it uses unsafe
/// pointers, and its inner loops have no checks.
///
/// - *Reading.* Before each group of blocks the decoder compares `reader.next` with `limit`, and calls
///   `prepare` when it is reached. While the scan continues, `limit` is `margin` bytes before the end of the data
///   in the buffer. At its end, `margin` zero bytes follow the data, and `limit` is where they begin. So
///   `margin` bytes after `next` can be read while a group of blocks is decoded. A group has at most 10 blocks
///   (frames with more are refused, see `ReducedJPEGFrame`). A block consumes at most one symbol for each of
///   its 64 coefficients, and a symbol at most 17 bits of code and 15 bits of number: 64 × 32 bits = 256 bytes.
///   The reader itself is at most 8 bytes ahead, and loads 8. 10 × 256 + 16 is below `margin`.
/// - *Bits of the register.* A refill ensures 56. Decoding one symbol takes at most 32 of them; one
///   entry of `several` takes at most 11 + 15 = 26 and one of `skips` 12 + 15 = 27, so one refill suffices for two of those. A difference of means
///   whose entry contains its number takes 11, and leaves 45 for such an entry; any other difference is followed by a refill.
///   A block of a refinement takes at most one more bit for each coefficient. It takes up to 32 of them at once, which the register
///   has after a refill and the code and the number of a new coefficient, which are at most 17 bits and one; before more, it refills.
/// - *Tables.* Indices are 11 or 12 bits wide, and tables have as many entries.
/// - *Writing.* A coefficient of block (x, y) of a component is written at its place in a square of `scale`
///   samples in the plane, whose rows and columns were counted from the frame in whole groups of blocks; loops
///   over blocks end at counts that were computed from the same frame, once, in `ReducedJPEGFrame`. Places come
///   from a table of 64 that gives those of the kept coefficients, and −1 or the mean's for all others, and a coefficient's
///   number is compared with 63 before it is looked up, or is that of a bit of a word. An entry that is used leads to 63 at
///   most, so its coefficients come before. A coefficient that an entry does not have is 64 steps ahead, and the tables have
///   128 places for it. The tracked coefficients are a word for each block, in an array for the same blocks. A refinement looks its
///   coefficients up in a list of places below 64, and compares each with 64 (`ZeroPlaces`).
/// - *Arithmetic.* All values from the file are computed with `&+`, `&-`, `&*`, `&<<`: invalid data give wrong samples,
///   which the transform clamps, and never a trap.
///
/// This file has more than 250 lines: its functions use private state, and are inlined into the loops over blocks.
struct EntropySource: ~Copyable {
  /// More bytes than a group of blocks can take.
  static let margin = 4096
  /// The least number of bytes to which the buffer is filled while there are data.
  static let chunk = 32 << 10
  /// The same while another thread decodes pieces of the scan, which must begin behind the buffer. It takes about one percent more time.
  static let chunkBesideTail = 8 << 10

  private let file: UnsafeRawBufferPointer
  private let chunk: Int
  private let buffer: UnsafeMutablePointer<UInt8>
  /// A byte of the buffer and its position in the file, if the source follows its position (`place(of:)`).
  private var anchor = (offset: 0, position: 0)
  private let followsPosition: Bool
  private(set) var position: Int
  /// The number of bytes in the buffer, without the zeros after the end.
  private var filled = 0
  /// After this number of bytes the buffer still has its initial zeros.
  private var touched = 0
  /// Whether a marker, or the end of the file, was met.
  private var hasEnded = false
  /// The marker at `position` that ended the data; `nil` at the end of the file.
  private(set) var marker: UInt8?
  /// Whether more bits were taken than there were since the last restart.
  private(set) var hasOverrun = false
  /// Whether bits were missing at the end of the image or of the file, and not only before another marker.
  private(set) var missesData = false
  /// At the beginning of a group of blocks `reader.next` must be below this.
  private(set) var limit: UnsafePointer<UInt8>
  /// A place in the file from which bits are counted. It is never a stuffed byte.
  private var mark: Int?
  /// The offset of the byte at `mark` in the buffer, negative if the byte is no longer in it; `nil` until it is read.
  private var markOffset: Int?
  /// The bytes that were in the buffer before its first one.
  private var discarded = 0

  /// Begins a scan whose data start at `position` in the file, which must outlive the source.
  ///
  /// - Parameters:
  ///   - mark: the place from which `bitsBehindMark` counts, at `position` or after it. The byte before it is not 0xFF.
  ///   - chunk: the least number of bytes to which the buffer is filled while there are data.
  ///   - followsPosition: whether `place(of:)` will be called, for which all bytes are examined a second time.
  init(
    file: UnsafeRawBufferPointer, position: Int, mark: Int? = nil, chunk: Int = Self.chunk,
    followsPosition: Bool = false
  ) {
    self.file = file
    self.chunk = chunk
    self.position = position
    self.mark = mark
    self.followsPosition = followsPosition
    buffer = .allocate(capacity: chunk + 2 * Self.margin)
    buffer.initialize(repeating: 0, count: chunk + 2 * Self.margin)
    limit = UnsafePointer(buffer)
  }

  deinit {
    buffer.deallocate()
  }

  /// A reader at the first bit.
  mutating func start() -> BitReader {
    filled = 0
    discarded = 0
    hasEnded = false
    hasOverrun = false
    marker = nil
    anchor = (0, position)
    let reader = BitReader(next: UnsafePointer(buffer))
    fill()
    return reader
  }

  /// Ensures that a group of blocks can be decoded; `false` if there are no more data.
  mutating func prepare(_ reader: inout BitReader) -> Bool {
    if hasEnded {
      note(reader)
      return !hasOverrun
    }
    let next = reader.next - UnsafePointer(buffer)
    // The register has up to 63 bits that come before `next`.
    let kept = followsPosition ? min(next, 8) : 0
    let used = next - kept
    // Before the end, `next` is at most a group of blocks after `limit`, so it is inside the filled bytes.
    filled -= used
    discarded += used
    if let offset = markOffset { markOffset = offset - used }
    if followsPosition {
      moveAnchor(to: used)
      anchor.offset = 0
    }
    memmove(buffer, buffer + used, filled)
    reader.next = UnsafePointer(buffer + kept)
    fill()
    return true
  }

  /// Sets the mark to a place that is not loaded and no stuffed byte. For other places, or `nil`, it stays where it was.
  mutating func expect(_ place: Int?) {
    guard let place, place > position, place != mark else { return }
    mark = place
    markOffset = nil
  }

  /// The mark, when it is loaded.
  var loadedMark: Int? { markOffset == nil ? nil : mark }

  /// The number of bits that the reader took since the start.
  @inline(__always)
  func bitsTaken(_ reader: BitReader) -> Int { discarded * 8 + bitOffset(reader) }

  /// The number of bits that the reader took after the mark; `nil` until the mark is read.
  @inline(__always)
  func bitsBehindMark(_ reader: BitReader) -> Int? {
    guard let markOffset else { return nil }
    return bitOffset(reader) - markOffset * 8
  }

  /// The number of bits of the buffer that the reader took. After `prepare` the same bit has another number.
  @inline(__always)
  func bitOffset(_ reader: BitReader) -> Int { (reader.next - UnsafePointer(buffer)) * 8 - reader.count }

  /// The bits of the buffer from a bit offset on, at the top: at least 56.
  ///
  /// - Precondition: the offset is that of a reader, or before it but not from before the last `prepare`. Then 8 bytes of the
  ///   buffer follow it (see above, "Reading").
  @inline(__always)
  func bits(at offset: Int) -> UInt64 {
    let word = UnsafeRawPointer(buffer + offset >> 3).loadUnaligned(as: UInt64.self)
    return UInt64(bigEndian: word) &<< UInt64(truncatingIfNeeded: offset & 7)
  }

  /// The position in the file of the next bit that the reader takes. Call it for readers in the order of their positions.
  ///
  /// - Precondition: the source follows its position.
  mutating func place(of reader: BitReader) -> (position: Int, bit: Int) {
    let offset = bitOffset(reader)
    moveAnchor(to: offset >> 3)
    return (anchor.position, offset & 7)
  }

  /// Moves the anchor to a byte of the buffer, over the bytes of the file with their stuffed zeros.
  private mutating func moveAnchor(to offset: Int) {
    var (at, position) = anchor
    while at < offset, position + 1 < file.count {
      // A repeated 0xFF has no meaning.
      let isEscape = file[position] == 0xFF
      let isStuffed = isEscape && file[position + 1] == 0
      if !isEscape || isStuffed { at += 1 }
      position += isStuffed ? 2 : 1
    }
    anchor = (offset, position)
  }

  /// Whether the reader took more bits than there were.
  func isBehindEnd(_ reader: BitReader) -> Bool { hasEnded && bitOffset(reader) > filled * 8 }

  /// Notes whether the reader took more bits than there were.
  mutating func note(_ reader: BitReader) {
    guard !hasOverrun, isBehindEnd(reader) else { return }
    hasOverrun = true
    if marker == nil || marker == JPEGMarker.endOfImage { missesData = true }
  }

  /// Continues after the next restart marker, which should be number `expected` of 0...7. Treats missing and repeated
  /// markers as libjpeg does. `false` if there are no data up to the restart marker after it.
  mutating func restart(expecting expected: UInt8) -> Bool {
    if !hasEnded { skipToMarker() }
    while let found = marker {
      let number = found &- 0xD0
      let distance = (number &- expected) & 7
      switch found {
      case 0xD0...0xD7 where distance == 1 || distance == 2: return giveUp()
      case 0xD0...0xD7 where distance == 6 || distance == 7, 0..<0xC0:
        position += 2
        skipToMarker()
      case 0xD0...0xD7:
        position += 2
        return true
      default: return giveUp()
      }
    }
    return giveUp()
  }

  private mutating func giveUp() -> Bool {
    hasEnded = true
    hasOverrun = true
    filled = 0
    if marker == nil || marker == JPEGMarker.endOfImage { missesData = true }
    return false
  }

  private mutating func skipToMarker() {
    let bytes = Span<UInt8>(_unsafeElements: file.bindMemory(to: UInt8.self))
    let found = JPEGMarker.next(in: bytes, from: position)
    marker = found?.marker
    position = found?.offset ?? file.count
  }

  /// Fills the buffer. It has room for a chunk and a margin before the zeros.
  private mutating func fill() {
    while filled < chunk {
      if position == mark { markOffset = filled }
      let rest = file.count - position
      guard rest > 0, let base = file.baseAddress else {
        end(marker: nil)
        return
      }
      let start = base + position
      // A step that reaches the mark ends there. No stuffed pair of bytes contains the mark.
      let toMark = mark.map { $0 > position ? $0 - position : .max } ?? .max
      let length = min(rest, chunk + Self.margin - filled, toMark)
      guard let found = memchr(start, 0xFF, length) else {
        memcpy(buffer + filled, start, length)
        filled += length
        position += length
        continue
      }
      let plain = UnsafeRawPointer(found) - start
      memcpy(buffer + filled, start, plain)
      filled += plain
      position += plain
      guard position + 1 < file.count else {
        position = file.count
        end(marker: nil)
        return
      }
      switch file[position + 1] {
      case 0:
        // Room: `plain` was below `length`.
        buffer[filled] = 0xFF
        filled += 1
        position += 2
      case 0xFF: position += 1
      case let code:
        end(marker: code)
        return
      }
    }
    touched = max(touched, filled)
    limit = UnsafePointer(buffer + (filled - Self.margin))
  }

  private mutating func end(marker: UInt8?) {
    hasEnded = true
    self.marker = marker
    // `filled` is at most a chunk and a margin, so another margin has room after it. Bytes that were never written
    // are zeros already: this saves time for files with a restart marker after every few blocks.
    touched = max(touched, filled)
    memset(buffer + filled, 0, min(touched - filled, Self.margin))
    limit = UnsafePointer(buffer + filled)
  }
}
