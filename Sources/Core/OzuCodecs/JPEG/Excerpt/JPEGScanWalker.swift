import OzuImaging

/// The tables and the place of the data of a sequential file's only scan, for a walk over it.
struct JPEGSequentialScan {
  /// The components of the scan in its order, with their tables.
  let parts: [JPEGScanWalker.Part]
  /// For each part the table for differences of mean values, and its slot.
  let differences: [(slot: Int, definition: HuffmanTable.Definition)]
  let restartInterval: Int
  /// The place of the scan's segment in the file, with its marker.
  let segment: Range<Int>

  var start: JPEGScanWalker.ResumePoint { JPEGScanWalker.ResumePoint(position: segment.upperBound) }

  /// Reads the tables of a file; `nil` if they break a rule.
  init?(_ bytes: Span<UInt8>, _ header: JPEGHeader, frame: ReducedJPEGFrame) {
    guard !frame.isProgressive else { return nil }
    let position = header.scanOffset + 2
    guard let length = bytes.bigEndian(at: position, bytes: 2), length >= 2,
      position + length <= bytes.count,
      let scan = JPEGScanHeader(bytes.extracting(position + 2..<position + length), frame: frame)
    else { return nil }
    var tables = JPEGTables()
    for (marker, content) in header.tables {
      guard tables.read(marker, bytes.extracting(content)) else { return nil }
    }
    var parts: [JPEGScanWalker.Part] = []
    var differences: [(Int, HuffmanTable.Definition)] = []
    for part in scan.parts {
      guard let dcDefinition = tables.dcDefinitions[part.dcSlot],
        let acDefinition = tables.acDefinitions[part.acSlot],
        let dc = HuffmanTable.cached(dcDefinition, kind: .dc),
        let ac = HuffmanTable.cached(acDefinition, kind: .ac)
      else { return nil }
      let component = frame.components[part.component]
      // In a scan of one component each group is one block.
      let blockCount = scan.parts.count == 1 ? 1 : component.horizontalBlocks * component.verticalBlocks
      parts.append(.init(dc: dc, ac: ac, blockCount: blockCount))
      differences.append((part.dcSlot, dcDefinition))
    }
    self.parts = parts
    self.differences = differences
    restartInterval = tables.restartInterval
    segment = header.scanOffset..<position + length
  }
}

/// Walks over the groups of blocks of a sequential scan, from its beginning or from a place in the middle. It does not keep
/// coefficients: it only finds the ends of blocks and adds up the differences of mean values.
///
/// `EntropySource` explains why it stays inside its buffers: `prepare` is called before each group, and a group takes no
/// more bytes than in the reduced decoder.
struct JPEGScanWalker: ~Copyable {
  struct Part {
    var dc: HuffmanTable
    var ac: HuffmanTable
    var blockCount: Int
  }

  /// The state between two groups, from which a walk can continue.
  struct ResumePoint {
    /// The position of the first byte that is not completely read.
    var position: Int
    /// The number of bits of that byte that are read.
    var bit = 0
    /// The mean values of the last blocks, in the order of the scan.
    var means = SIMD4<Int32>()
    var group = 0
  }

  private let parts: [Part]
  private let restartInterval: Int
  private var source: EntropySource
  private var reader: BitReader
  private(set) var group: Int
  private(set) var means: SIMD4<Int32>
  /// Whether data were missing, or more bits were read than there are.
  private(set) var isBroken = false
  /// Whether the restart marker before the next group, if there is one, has been read.
  private var hasReadMarker: Bool

  /// - Parameters:
  ///   - file: must outlive the walker.
  ///   - point: the beginning of the scan's data, or a result of `resumePoint`.
  init(file: UnsafeRawBufferPointer, parts: [Part], restartInterval: Int, from point: ResumePoint) {
    self.parts = parts
    self.restartInterval = restartInterval
    source = EntropySource(file: file, position: point.position, followsPosition: true)
    reader = source.start()
    reader.refill()
    reader.consume(point.bit)
    group = point.group
    means = point.means
    hasReadMarker = true
  }

  /// Steps over the restart marker before the next group and loads the group's data; `false` if there are none.
  mutating func prepare() -> Bool {
    guard !isBroken else { return false }
    if restartInterval > 0, group > 0, group % restartInterval == 0, !hasReadMarker {
      source.note(reader)
      let number = UInt8(truncatingIfNeeded: group / restartInterval - 1) & 7
      guard !source.hasOverrun, source.restart(expecting: number) else {
        isBroken = true
        return false
      }
      means = SIMD4()
      reader = source.start()
      hasReadMarker = true
    }
    if reader.next >= source.limit, !source.prepare(&reader) { isBroken = true }
    return !isBroken
  }

  /// The place where the next group begins. Call it after `prepare`.
  mutating func resumePoint() -> ResumePoint {
    let (position, bit) = source.place(of: reader)
    return ResumePoint(position: position, bit: bit, means: means, group: group)
  }

  /// Steps over a group. Call it after `prepare`.
  mutating func skipGroup() {
    var reader = reader
    for index in parts.indices {
      let (dc, ac) = (parts[index].dc.lookup, parts[index].ac.lookup)
      for _ in 0..<parts[index].blockCount {
        means[index] &+= reader.takeDifference(dc)
        reader.skipCoefficients(ac, from: 1)
      }
    }
    self.reader = reader
    group += 1
    hasReadMarker = false
  }

  /// Writes a group so that it follows blocks with other mean values. Call it after `prepare`.
  ///
  /// - Parameter written: the mean values of the last blocks that were written; afterwards those of the group's last blocks.
  /// - Returns: `false` if a difference has no code.
  mutating func copyGroup(
    to writer: inout JPEGBitWriter, codes: [JPEGDifferenceCodes], written: inout SIMD4<Int32>
  ) -> Bool {
    for index in parts.indices {
      let (dc, ac) = (parts[index].dc.lookup, parts[index].ac.lookup)
      for _ in 0..<parts[index].blockCount {
        let start = source.bitOffset(reader)
        let difference = reader.takeDifference(dc)
        means[index] &+= difference
        let afterMean = source.bitOffset(reader)
        reader.skipCoefficients(ac, from: 1)
        let end = source.bitOffset(reader)
        let wanted = means[index] &- written[index]
        written[index] = means[index]
        if wanted == difference {
          copy(from: start, to: end, &writer)
          continue
        }
        guard codes[index].write(wanted, to: &writer) else { return false }
        copy(from: afterMean, to: end, &writer)
      }
    }
    group += 1
    hasReadMarker = false
    return true
  }

  private func copy(from start: Int, to end: Int, _ writer: inout JPEGBitWriter) {
    var offset = start
    while offset < end {
      let count = min(32, end - offset)
      writer.write(UInt32(truncatingIfNeeded: source.bits(at: offset) >> UInt64(64 - count)), count: count)
      offset += count
    }
  }

  /// Checks whether the last groups had all their bits.
  mutating func finish() {
    source.note(reader)
    if source.hasOverrun { isBroken = true }
  }
}
