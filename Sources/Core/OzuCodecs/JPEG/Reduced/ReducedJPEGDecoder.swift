import OzuBase
import OzuImaging

/// Decodes a JPEG to planes of a few eighths of its size, at a fraction of the cost of a full decode.
///
/// Of each block of 8 × 8 coefficients it keeps the `scale` × `scale` of the lowest frequencies. All others it
/// steps over without decoding them, several at a time; and of a progressive file it does not touch the scans
/// that have nothing else. The article <doc:HowReducedDecodingWorks> tells more.
///
/// It takes what nearly all files are (see `ReducedJPEGFrame`), and says no to everything else, also when a
/// file breaks a rule in the middle: libjpeg-turbo then decodes it, or says what is wrong with it.
package struct ReducedJPEGDecoder: ~Copyable {
  static let scanStage = "scan data"

  let file: UnsafeRawBufferPointer
  let header: JPEGHeader
  let frame: ReducedJPEGFrame
  let scales: [Int]
  let context: DecodingContext
  /// The bytes of whole planes, and of what is known about their blocks.
  let planeByteCount: Int
  let division: ScanDivision
  var components: [ReducedComponent]
  /// Whole planes, for a picture that is not resampled while it is decoded.
  var planes: [SamplePlane] = []
  /// The tables of the scan that is being decoded, which the scan points to.
  var tables: [HuffmanTable] = []
  var scan: ReducedScan?
  /// The components of that scan, in its order.
  var scanParts: [Int] = []
  /// Pieces of that scan, if another thread decodes some.
  var tail: ReducedScanTail?
  /// Where the scan reached groups of the tail, which has the rest.
  var meeting: TailMeeting?
  /// The rows of the tail behind the meeting, when it is done.
  var tailRows: TailRows?

  var definitions = JPEGTables()
  /// For each component the coefficients, in zigzag order from the lowest bit on, that scans have brought.
  var known: [UInt64]
  /// The scans of last bits that are read.
  var passes: ProgressivePasses
  private var hasEnd = false
  var missesData = false

  /// Prepares a decode.
  ///
  /// - Parameters:
  ///   - file: the bytes, which must outlive the decoder.
  ///   - eighths: those that luma and chroma keep, 1 to 6 or 8.
  ///   - lowestBit: of a progressive file, the lowest bit of coefficients that is read from scans of last bits; `nil` to
  ///     choose one for each component by what can be seen of it.
  ///   - division: where a scan is divided when another thread helps.
  package init(
    file: UnsafeRawBufferPointer, _ header: JPEGHeader, frame: ReducedJPEGFrame,
    eighths: (luma: Int, chroma: Int), lowestBit: Int?, division: ScanDivision, context: DecodingContext
  ) {
    let scales = frame.components.indices.map { $0 == 0 ? eighths.luma : eighths.chroma }
    self.file = file
    self.header = header
    self.frame = frame
    self.scales = scales
    self.context = context
    self.division = division
    planeByteCount = scales.indices.reduce(0) {
      $0 + frame.planeByteCount($1, scale: scales[$1])
        + (frame.isProgressive ? frame.historyByteCount($1) : 0)
    }
    components = scales.indices.map {
      ReducedComponent(
        samplesPerRow: frame.stripShape($0, scale: scales[$0]).samplesPerRow, scale: scales[$0],
        blocks: frame.blocks(of: $0))
    }
    known = scales.map { _ in 0 }
    passes = ProgressivePasses(scales: scales, lowestBit: lowestBit)
  }

  deinit {
    tail?.work.end()
    for component in components { component.free() }
  }

  /// Reads all scans of a progressive file that are needed, or opens the scan of a sequential one, for `decodeStrip`. `false` if this
  /// decoder does not support the file.
  ///
  /// - Throws: `truncated` if data are missing, unless the context allows it: then the missing part is grey. The errors of
  ///   `DecodingContext.checkpoint()`, which is called at every row of blocks.
  mutating func readScans() throws(ImageDecodingError) -> Bool {
    guard try readSegments() else { return false }
    // Where whole frequencies are missing, libjpeg makes its guess at them.
    guard components.indices.allSatisfy({ components[$0].kept & ~known[$0] == 0 }) else { return false }
    // If the end of the file is missing, skipped scans may be truncated; libjpeg decides.
    if !context.allowsTruncation, frame.isProgressive, !hasEnd { return false }
    if missesData || frame.isProgressive && !hasEnd {
      try context.acceptTruncation(of: .jpeg, stage: Self.scanStage)
    }
    return true
  }

  /// Steps from segment to segment, from the first scan on; `false` when one is not for this decoder.
  private mutating func readSegments() throws(ImageDecodingError) -> Bool {
    let bytes = Span<UInt8>(_unsafeElements: file.bindMemory(to: UInt8.self))
    for (marker, content) in header.tables {
      guard definitions.read(marker, bytes.extracting(content)) else { return false }
    }
    if frame.isProgressive {
      passes.choose { definitions.quantization[frame.components[$0].quantizationSlot & 3] }
    }
    var position = header.scanOffset
    while let (marker, offset) = JPEGMarker.next(in: bytes, from: position) {
      position = offset + 2
      if JPEGMarker.standsAlone(marker) { continue }
      if marker == JPEGMarker.endOfImage {
        hasEnd = true
        return true
      }
      guard let declared = bytes.bigEndian(at: position, bytes: 2) else { return true }
      let length = max(2, declared)
      guard position + length <= bytes.count else { return true }
      let segment = bytes.extracting(position + 2..<position + length)
      position += length
      switch marker {
      case JPEGMarker.quantization, JPEGMarker.huffman, JPEGMarker.restartInterval:
        guard definitions.read(marker, segment) else { return false }
      case JPEGMarker.startOfScan:
        guard let header = JPEGScanHeader(segment, frame: frame) else { return false }
        guard passes.isWanted(header) else {
          guard let next = JPEGMarker.nextAfterScanData(in: bytes, from: position) else { return true }
          position = next.offset
          continue
        }
        guard passes.isInOrder(header, known: known[header.parts[0].component]),
          let parts = makeParts(header)
        else { return false }
        guard frame.isProgressive else {
          openScan(header, parts, at: position)
          return true
        }
        guard let end = try readScan(header, parts, at: position) else { return false }
        position = end
      // A second one.
      case _ where JPEGMarker.isFrameHeader(marker): return false
      default: break
      }
    }
    return true
  }

  /// The components of a scan with their tables; `nil` when a table is not there.
  private mutating func makeParts(_ header: JPEGScanHeader) -> [ReducedScan.Part]? {
    tables = []
    var parts: [ReducedScan.Part] = []
    let isAlone = header.parts.count == 1
    if frame.isProgressive, passes.isTracked(header) { components[header.parts[0].component].track() }
    for part in header.parts {
      guard
        let quantization = definitions.quantization[frame.components[part.component].quantizationSlot & 3],
        let dc = table(
          definitions.dcDefinitions[part.dcSlot], kind: .dc, isNeeded: header.first == 0 && header.high == 0),
        let ac = table(
          definitions.acDefinitions[part.acSlot],
          kind: frame.isProgressive ? .progressiveAC : components[part.component].scale > 2 ? .pairedAC : .ac,
          isNeeded: header.last > 0)
      else { return nil }
      // New coefficients of a refinement have one bit.
      if header.high > 0, header.first > 0,
        !(definitions.acDefinitions[part.acSlot]?.symbols.allSatisfy { $0 & 15 <= 1 } ?? false)
      {
        return nil
      }
      tables += [dc, ac]
      // The table of the first scan holds for all, as in libjpeg: so it is read once.
      if known[part.component] == 0 { components[part.component].set(steps: quantization) }
      guard header.high == 0 || header.first > 0 || known[part.component] & 1 == 1 else { return nil }
      known[part.component] |= Refinement.set(header.first...header.last)
      let component = frame.components[part.component]
      parts.append(
        ReducedScan.Part(
          component: components[part.component], dc: dc.lookup, ac: ac.lookup,
          horizontalBlocks: isAlone ? 1 : component.horizontalBlocks,
          verticalBlocks: isAlone ? 1 : component.verticalBlocks))
    }
    return parts
  }

  /// Decodes a scan of a progressive file; where it ends, or `nil` when it breaks a rule.
  private mutating func readScan(
    _ header: JPEGScanHeader, _ parts: [ReducedScan.Part], at position: Int
  ) throws(ImageDecodingError) -> Int? {
    let isAlone = parts.count == 1
    let own = frame.components[header.parts[0].component]
    var scan = ReducedScan(
      source: EntropySource(file: file, position: position), parts: parts,
      columns: isAlone ? own.ownColumns : frame.groupColumns, rows: isAlone ? own.ownRows : frame.groupRows,
      restartInterval: definitions.restartInterval)
    let step = step(header)
    var end: Int?
    for row in 0..<scan.rows {
      try context.checkpoint()
      scan.decodeRow(row, step)
      if !scan.hasData, end == nil { end = row }
    }
    scan.finish()
    if scan.isBroken { return nil }
    passes.note(header, end: end)
    if scan.source.missesData { missesData = true }
    return scan.source.position
  }

  private func step(_ header: JPEGScanHeader) -> ReducedScan.Step {
    let isFirst = header.high == 0
    guard header.first > 0 else {
      return isFirst ? .firstMeans(low: header.low) : .nextMeans(low: header.low)
    }
    guard isFirst else {
      return .refinement(
        Refinement(
          first: header.first, last: header.last, low: header.low,
          of: components[header.parts[0].component]))
    }
    return .coefficients(
      FirstBand(
        first: header.first, last: header.last, low: header.low, isTracked: passes.isTracked(header)))
  }

  /// A table for a scan, any table where the scan needs none.
  private func table(
    _ definition: HuffmanTable.Definition?, kind: HuffmanTable.Kind, isNeeded: Bool
  ) -> HuffmanTable? {
    guard isNeeded else { return .empty }
    return definition.flatMap { HuffmanTable.cached($0, kind: kind) }
  }
}

extension ReducedJPEGDecoder {
  /// Makes the result of a plan that has a reduction; `nil` for a plan without one, and for a file that takes a full
  /// decoder.
  ///
  /// - Parameter division: where a scan is divided when another thread helps (`DecodingContext.assistant`).
  /// - Throws: `truncated`, `limitExceeded`, `cancelled`.
  package static func render(
    _ data: Data, _ outline: JPEGOutline, header: ImageHeader, plan: DecodePlan,
    division: ScanDivision = ScanDivision(), context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard let reduction = plan.reduction, let frame = outline.frame else { return nil }
    try outline.checkScans(context.limits)
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      var decoder = ReducedJPEGDecoder(
        file: bytes, outline.details, frame: frame, eighths: (reduction.luma, reduction.chroma),
        lowestBit: nil, division: division, context: context)
      guard plan.makesStrips(header, context) else {
        guard let planes = try decoder.decode() else { return nil }
        context.begin(.resize)
        return try plan.rendered(planes, header: header, context: context)
      }
      guard try decoder.readScans() else { return nil }
      let strips = ReducedJPEGStrips(decoder)
      defer { strips.end() }
      let bitmap = try plan.rendered(strips, header: header, context: context)
      // As where rows are resampled while they are decoded.
      context.begin(.resize)
      return bitmap
    }
  }
}
