import OzuImaging

/// What has to be known to walk over the one scan of a sequential file: its tables, and where its data are.
struct JPEGSequentialScan {
  /// The components of the scan in its order, with their tables.
  let parts: [JPEGScanWalker.Part]
  /// The place of each part's component in the frame.
  let components: [Int]
  /// By part: the table for differences of mean values, and where it goes.
  let differences: [(slot: Int, definition: HuffmanTable.Definition)]
  let restartInterval: Int
  /// The segment of the scan with its marker, in the file.
  let segment: Range<Int>

  /// Where the data begin.
  var start: JPEGScanWalker.Place { JPEGScanWalker.Place(position: segment.upperBound) }

  /// Reads the tables of a file; `nil` when they break a rule.
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
        let dc = HuffmanTableCache.shared.table(dcDefinition, kind: .dc),
        let ac = HuffmanTableCache.shared.table(acDefinition, kind: .ac)
      else { return nil }
      let component = frame.components[part.component]
      // A scan of one component goes over its own blocks, one at a time.
      let blockCount = scan.parts.count == 1 ? 1 : component.horizontalBlocks * component.verticalBlocks
      parts.append(.init(dc: dc, ac: ac, blockCount: blockCount))
      differences.append((part.dcSlot, dcDefinition))
    }
    self.parts = parts
    self.differences = differences
    components = scan.parts.map(\.component)
    restartInterval = tables.restartInterval
    segment = header.scanOffset..<position + length
  }
}
