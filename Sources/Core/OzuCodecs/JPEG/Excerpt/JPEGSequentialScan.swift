import OzuImaging

/// The tables and the place of the data of a sequential file's only scan, for a walk over it.
struct JPEGSequentialScan {
  /// The components of the scan in its order, with their tables.
  let parts: [JPEGScanWalker.Part]
  /// The place of each part's component in the frame.
  let components: [Int]
  /// For each part the table for differences of mean values, and its slot.
  let differences: [(slot: Int, definition: HuffmanTable.Definition)]
  let restartInterval: Int
  /// The place of the scan's segment in the file, with its marker.
  let segment: Range<Int>

  /// Where the data begin.
  var start: JPEGScanWalker.Place { JPEGScanWalker.Place(position: segment.upperBound) }

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
        let dc = HuffmanTableCache.shared.table(dcDefinition, kind: .dc),
        let ac = HuffmanTableCache.shared.table(acDefinition, kind: .ac)
      else { return nil }
      let component = frame.components[part.component]
      // In a scan of one component each group is one block.
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
