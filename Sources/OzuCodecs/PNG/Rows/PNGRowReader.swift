import OzuImaging

/// Reads the pixels of a common PNG row by row: 8 or 16 bits, not interlaced, any colour type, transparency by alpha or by
/// palette.
///
/// libpng inflates through zlib, a row at a time. This reader inflates about 64 KB at a time through a faster library,
/// undoes the filters with vectors, and never holds more of the picture than that. It reports no errors. It stops at any
/// fault: a wrong checksum, an unknown filter, an index beyond the palette, missing data. Then libpng decodes the file and
/// decides about the error.
///
/// A class, because it owns a stream of the library and memory; it stays on the thread that decodes. Unsafe
/// pointers: the file must outlive the reader. `raw` has room for `batch` rows with their filter bytes. After it are
/// the places of a group of rows, each with the margin that `PNGUnfilter` needs.
package final class PNGRowReader {
  /// The meaning of the bytes of a row.
  enum Layout {
    case gray
    case grayAlpha
    case rgb
    case rgbAlpha
    case indexed([UInt32], isOpaque: Bool)
  }

  let layout: Layout
  /// Whether values have sixteen bits, the high byte first.
  package let isDeep: Bool
  private let height: Int
  private let rowByteCount: Int
  private let unfilter: PNGUnfilter
  private var chunks: PNGChunkReader
  private var input: UnsafeRawBufferPointer
  private let inflater: any PNGInflating
  private let memory: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool
  private let batch: Int
  private var batchRows = 0
  private var batchRow = 0
  private var madeRows = 0
  private var hasEnded = false
  /// The rows that were made last, and how many of them there are and are returned.
  private var group: PNGUnfilter.Rows<UnsafePointer<UInt8>>
  private var groupRows = 0
  private var returnedRows = 0

  private var raw: UnsafeMutablePointer<UInt8> { memory.baseAddress!.assumingMemoryBound(to: UInt8.self) }

  /// Reads the chunks before the pixels; `nil` if libpng has to decode the file.
  package init?(
    _ file: UnsafeRawBufferPointer, header: PNGHeader, pool: PixelBufferPool, inflating: any PNGInflating.Type
  ) {
    isDeep = header.bitDepth == 16
    guard header.bitDepth == 8 || isDeep && header.colorType != .indexed, !header.isInterlaced else {
      return nil
    }
    chunks = PNGChunkReader(file) { inflating.checksum(of: $0) }
    var palette: [UInt32]?
    var first: UnsafeRawBufferPointer?
    var hasPalette = false
    var hasTransparency = false
    while first == nil, let (kind, content) = chunks.next() {
      switch kind {
      case .palette:
        guard !hasPalette else { return nil }
        hasPalette = true
        palette = Self.palette(content)
      case .transparency:
        // A colour that means transparency is rare, so libpng decodes such files.
        guard !hasTransparency, header.colorType == .indexed, let colors = palette,
          content.count <= colors.count
        else { return nil }
        hasTransparency = true
        palette = Self.apply(content, to: colors)
      case .imageData: first = content
      case .end: return nil
      }
    }
    guard let first else { return nil }
    let pixelByteCount: Int
    switch header.colorType {
    case .gray: (layout, pixelByteCount) = (.gray, 1)
    case .grayAlpha: (layout, pixelByteCount) = (.grayAlpha, 2)
    case .rgb: (layout, pixelByteCount) = (.rgb, 3)
    case .rgbAlpha: (layout, pixelByteCount) = (.rgbAlpha, 4)
    case .indexed:
      guard let palette, !palette.isEmpty else { return nil }
      layout = .indexed(palette, isOpaque: palette.allSatisfy { $0 >> 24 == 255 })
      pixelByteCount = 1
    }
    guard let inflater = inflating.init() else { return nil }
    self.inflater = inflater
    self.pool = pool
    input = first
    height = header.size.height
    let byteCount = isDeep ? 2 * pixelByteCount : pixelByteCount
    rowByteCount = header.size.width * byteCount
    unfilter = PNGUnfilter(count: rowByteCount, pixelByteCount: byteCount)
    // Whole groups, so that eight rows can be made at once.
    let groupRowCount = PNGUnfilter.groupRowCount
    let groups = max(1, (64 << 10) / (rowByteCount + 1) / groupRowCount)
    batch = min(height, groups * groupRowCount)
    let rowRoom = rowByteCount + PNGUnfilter.margin
    memory = pool.takeBlock(
      byteCount: batch * (rowByteCount + 1) + PNGUnfilter.margin + groupRowCount * rowRoom)
    group = PNGUnfilter.Rows(start: UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: UInt8.self)), stride: 0)
    // The row above the first is zero (§9.2), and margins must be written before they are read.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    pool.giveBack(memory)
  }

  /// The next row, valid until the next call; `nil` if libpng has to decode the file.
  func next() -> UnsafePointer<UInt8>? {
    if returnedRows == groupRows {
      guard makeGroup() else { return nil }
    }
    defer { returnedRows += 1 }
    return group.start + returnedRows * group.stride
  }

  /// The next rows, up to eight, valid until the next call; `nil` if libpng has to decode the file.
  func nextGroup() -> (rows: PNGUnfilter.Rows<UnsafePointer<UInt8>>, count: Int)? {
    if returnedRows == groupRows {
      guard makeGroup() else { return nil }
    }
    defer { returnedRows = groupRows }
    return (
      PNGUnfilter.Rows(start: group.start + returnedRows * group.stride, stride: group.stride), groupRows - returnedRows
    )
  }

  /// Makes the next rows, up to eight; false if libpng has to decode the file.
  ///
  /// Groups begin at multiples of eight rows, so the row above is always in the last place.
  private func makeGroup() -> Bool {
    if batchRow == batchRows {
      guard fill() else { return false }
    }
    let stored = PNGUnfilter.Rows(
      start: UnsafePointer(raw) + batchRow * (rowByteCount + 1) + 1, stride: rowByteCount + 1)
    let places = PNGUnfilter.Rows(
      start: raw + batch * (rowByteCount + 1) + PNGUnfilter.margin, stride: rowByteCount + PNGUnfilter.margin)
    let last = places.start + (PNGUnfilter.groupRowCount - 1) * places.stride
    returnedRows = 0
    groupRows = min(PNGUnfilter.groupRowCount, batchRows - batchRow)
    batchRow += groupRows
    madeRows += groupRows
    var filters = SIMD8<UInt8>.zero
    for index in 0..<groupRows { filters[index] = stored.start[index * stored.stride - 1] }
    if filters == .zero {
      // Rows without a filter are read where they are; the last one may be above a filtered one.
      last.update(from: stored.start + (groupRows - 1) * stored.stride, count: rowByteCount)
      group = stored
      return true
    }
    group = PNGUnfilter.Rows(start: UnsafePointer(places.start), stride: places.stride)
    if unfilter.canMakeGroup(filters) {
      unfilter.applyGroup(filters, groupRows, stored, above: last, to: places)
      return true
    }
    var above = UnsafePointer(last)
    var index = 0
    while index < groupRows {
      let (source, target) = (
        stored.start + index * stored.stride, places.start + index * places.stride
      )
      if index + 1 < groupRows, unfilter.canPair(filters[index], filters[index + 1]) {
        unfilter.applyTwo(
          SIMD2(filters[index], filters[index + 1]), source, source + stored.stride, above: above, to: target,
          target + places.stride)
        index += 1
      } else if !unfilter.apply(filters[index], source, above: above, to: target) {
        return false
      }
      above = UnsafePointer(places.start + index * places.stride)
      index += 1
    }
    return true
  }

  /// Whether the stream ends where the picture ends, with the right checksum. Call it after the last row.
  package func endsWell() -> Bool {
    var byte: UInt8 = 0
    while !hasEnded {
      guard inflate(to: &byte, capacity: 1) == 0 else { return false }
    }
    return true
  }

  /// Inflates the next rows.
  private func fill() -> Bool {
    batchRows = min(batch, height - madeRows)
    batchRow = 0
    let wanted = batchRows * (rowByteCount + 1)
    var count = 0
    while count < wanted {
      let written = inflate(to: raw + count, capacity: wanted - count)
      guard written > 0 else { return false }
      count += written
    }
    return batchRows > 0
  }

  /// Inflates until there is output. Returns the number of bytes: 0 at the end of the stream, -1 if the stream is broken or
  /// incomplete.
  private func inflate(to output: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
    while !hasEnded {
      let target = UnsafeMutableRawBufferPointer(start: output, count: capacity)
      guard let (used, written, isLast) = inflater.inflate(input, to: target) else { return -1 }
      input = UnsafeRawBufferPointer(rebasing: input[used...])
      hasEnded = isLast
      if written > 0 { return written }
      // Without progress the library needs more input: it holds some bits and bytes back.
      if used == 0, !hasEnded {
        guard input.isEmpty, let more = chunks.nextImageData() else { return -1 }
        input = more
      }
    }
    return 0
  }

  /// The colours as words of BGRA; `nil` if the length is not that of at most 256 colours.
  private static func palette(_ content: UnsafeRawBufferPointer) -> [UInt32]? {
    guard content.count % 3 == 0, content.count <= 3 * 256 else { return nil }
    return stride(from: 0, to: content.count, by: 3).map {
      PixelCanvas.word(red: content[$0], green: content[$0 + 1], blue: content[$0 + 2])
    }
  }

  private static func apply(_ alphas: UnsafeRawBufferPointer, to palette: [UInt32]) -> [UInt32] {
    var palette = palette
    for (index, alpha) in alphas.enumerated() {
      palette[index] = palette[index] & 0x00FF_FFFF | UInt32(alpha) << 24
    }
    return palette
  }
}
