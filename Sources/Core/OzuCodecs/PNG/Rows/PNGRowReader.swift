import OzuImaging

/// Reads the pixels of a common PNG row by row: 1 to 16 bits, not interlaced, any colour type, transparency by alpha or by
/// palette.
///
/// libpng inflates through zlib, a row at a time. This reader inflates about 64 KB at a time, through a faster library or, where
/// the data shrink much, through `InflateStream`; undoes the filters with vectors, and never holds more of the picture than that.
/// It reports no errors. It stops at any fault: a wrong checksum, an unknown filter, an index beyond the palette, missing data.
/// Then libpng decodes the file and decides about the error.
///
/// A class, because it owns a stream and memory; it stays on the thread that decodes. Unsafe pointers: the file must outlive the
/// reader. `batchStart` has `batchRows` rows with their filter bytes, and a margin after them. `memory` has the places of a group
/// of rows, each with the margin that `PNGUnfilter` needs, and so has `unpackedMemory` if values have fewer than eight bits.
package final class PNGRowReader {
  enum Layout {
    case gray
    case grayAlpha
    case rgb
    case rgbAlpha
    case indexed([UInt32], isOpaque: Bool)
  }

  /// From this ratio on `InflateStream` is faster than ISA-L, whatever the picture.
  private static let ownRatio = 12

  let layout: Layout
  /// Whether values have sixteen bits, the high byte first.
  package let isDeep: Bool
  private let height: Int
  private let rowByteCount: Int
  private let unfilter: PNGUnfilter
  private let data: any PNGDataReading
  /// The first of the stored rows that were inflated last, after the number of its filter.
  private var batchStart: UnsafePointer<UInt8>
  private let memory: UnsafeMutableRawBufferPointer
  private let unpacking: PNGUnpacking?
  private let unpackedMemory: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool
  private let batch: Int
  private var batchRows = 0
  private var batchRow = 0
  private var madeRows = 0
  /// The rows that were made last, and how many of them there are and are returned.
  private var group: PNGUnfilter.Rows<UnsafePointer<UInt8>>
  private var groupRows = 0
  private var returnedRows = 0

  /// Reads the chunks before the pixels; `nil` if libpng has to decode the file.
  package init?(
    _ file: UnsafeRawBufferPointer, header: PNGHeader, pool: PixelBufferPool, inflating: any PNGInflating.Type
  ) {
    isDeep = header.bitDepth == 16
    guard !header.isInterlaced else { return nil }
    var chunks = PNGChunkReader(file) { inflating.checksum(of: $0) }
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
    switch header.colorType {
    case .gray: layout = .gray
    case .grayAlpha: layout = .grayAlpha
    case .rgb: layout = .rgb
    case .rgbAlpha: layout = .rgbAlpha
    case .indexed:
      guard let palette, !palette.isEmpty, palette.count <= 1 << header.bitDepth else { return nil }
      layout = .indexed(palette, isOpaque: palette.allSatisfy { $0 >> 24 == 255 })
    }
    self.pool = pool
    height = header.size.height
    let pixelBitCount = header.colorType.channelCount * header.bitDepth
    rowByteCount = (header.size.width * pixelBitCount + 7) / 8
    unfilter = PNGUnfilter(count: rowByteCount, pixelByteCount: max(1, pixelBitCount / 8))
    unpacking =
      header.bitDepth < 8
      ? PNGUnpacking(bitDepth: header.bitDepth, isGray: header.colorType == .gray) : nil
    // Whole groups, so that eight rows can be made at once.
    let groupRowCount = PNGUnfilter.groupRowCount
    let groups = max(1, (64 << 10) / (rowByteCount + 1) / groupRowCount)
    batch = min(height, groups * groupRowCount)
    let pieceByteCount = batch * (rowByteCount + 1)
    let shrinksMuch = (rowByteCount + 1) * height / file.count >= Self.ownRatio
    let stream: (any PNGDataReading)?
    if shrinksMuch {
      stream = InflateStream(first, chunks, pieceByteCount: pieceByteCount, pool: pool, library: inflating)
    } else {
      stream = LibraryInflateStream(
        first, chunks, pieceByteCount: pieceByteCount, pool: pool, library: inflating)
    }
    guard let stream else { return nil }
    data = stream
    memory = pool.takeBlock(byteCount: groupRowCount * (rowByteCount + PNGUnfilter.margin))
    batchStart = UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
    group = PNGUnfilter.Rows(start: batchStart, stride: 0)
    let unpackedByteCount = (unpacking?.valueCount ?? 0) * rowByteCount + PNGUnfilter.margin
    unpackedMemory = pool.takeBlock(byteCount: unpacking == nil ? 0 : groupRowCount * unpackedByteCount)
    // The row above the first is zero (§9.2), and margins must be written before they are read.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    unpackedMemory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    pool.giveBack(memory)
    pool.giveBack(unpackedMemory)
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
      PNGUnfilter.Rows(start: group.start + returnedRows * group.stride, stride: group.stride),
      groupRows - returnedRows
    )
  }

  /// Makes the next rows, up to eight, with whole bytes for each value; false if libpng has to decode the file.
  private func makeGroup() -> Bool {
    guard unfilterGroup() else { return false }
    guard let unpacking else { return true }
    let unpacked = PNGUnfilter.Rows(
      start: unpackedMemory.baseAddress!.assumingMemoryBound(to: UInt8.self),
      stride: unpacking.valueCount * rowByteCount + PNGUnfilter.margin)
    for row in 0..<groupRows {
      unpacking.unpack(
        group.start + row * group.stride, byteCount: rowByteCount, to: unpacked.start + row * unpacked.stride)
    }
    group = PNGUnfilter.Rows(start: UnsafePointer(unpacked.start), stride: unpacked.stride)
    return true
  }

  /// Undoes the filters of the next rows, up to eight; false if libpng has to decode the file.
  ///
  /// Groups begin at multiples of eight rows, so the row above is always in the last place.
  private func unfilterGroup() -> Bool {
    if batchRow == batchRows {
      guard fill() else { return false }
    }
    let stored = PNGUnfilter.Rows(
      start: batchStart + batchRow * (rowByteCount + 1) + 1, stride: rowByteCount + 1)
    let places = PNGUnfilter.Rows(
      start: memory.baseAddress!.assumingMemoryBound(to: UInt8.self),
      stride: rowByteCount + PNGUnfilter.margin)
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
    data.endsWell()
  }

  private func fill() -> Bool {
    batchRows = min(batch, height - madeRows)
    batchRow = 0
    guard batchRows > 0, let rows = data.read(batchRows * (rowByteCount + 1)) else { return false }
    batchStart = rows
    return true
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

/// Gives each value of 1, 2 or 4 bits a byte of its own, so that the rest of the reader sees bytes alone.
///
/// A table has the values of each packed byte in eight bytes, of which the first `valueCount` count. libpng, which unpacked such
/// rows before, takes three times the processor time for a screenshot of 16 colours.
///
/// Unsafe pointers. Why every index is in bounds: each byte of the source writes eight bytes at `valueCount` times its place, so
/// at most eight bytes after the last value are written: fewer than `PNGUnfilter.margin`.
struct PNGUnpacking {
  /// The values in a packed byte.
  let valueCount: Int
  private let table: [UInt64]

  /// - Parameters:
  ///   - bitDepth: 1, 2 or 4.
  ///   - isGray: whether values are spread from 0 to 255; indices stay as they are.
  init(bitDepth: Int, isGray: Bool) {
    let (count, largest) = (8 / bitDepth, 1 << bitDepth - 1)
    let scale = isGray ? 255 / largest : 1
    valueCount = count
    table = (0..<256).map { byte in
      // The first value is in the highest bits.
      (0..<count).reduce(0) { values, place in
        let value = byte >> (8 - bitDepth * (place + 1)) & largest
        return values | UInt64(value * scale) << UInt64(8 * place)
      }
    }
  }

  /// Unpacks a row.
  ///
  /// - Parameters:
  ///   - source: `byteCount` packed bytes.
  ///   - target: memory for `valueCount` bytes of each, and a margin.
  func unpack(_ source: UnsafePointer<UInt8>, byteCount: Int, to target: UnsafeMutablePointer<UInt8>) {
    let target = UnsafeMutableRawPointer(target)
    table.withUnsafeBufferPointer { table in
      for index in 0..<byteCount {
        let values = table[Int(source[index])].littleEndian
        target.storeBytes(of: values, toByteOffset: index &* valueCount, as: UInt64.self)
      }
    }
  }
}
