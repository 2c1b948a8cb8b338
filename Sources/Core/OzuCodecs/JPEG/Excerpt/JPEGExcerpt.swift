import OzuBase
import OzuImaging

/// Cuts a part out of a sequential JPEG without decoding it. The part is a JPEG whose blocks are exactly those of the whole.
///
/// For each row of groups it copies the data from the nearest place of the index. Only the differences of the first blocks are
/// encoded again, because their left neighbours have changed. Restart markers separate the rows: after them mean values begin
/// at 0 again. libjpeg decodes the part to the same pixels as in the whole, except for the outermost pixels, whose chroma it
/// enlarges without their neighbours.
package enum JPEGExcerpt {
  /// Cuts a part out of a file; `nil` if this is not possible. Then the caller decodes the whole file, which also reports its errors.
  ///
  /// - Parameter cut: in pixels, as stored. It begins between two groups, and ends between two or at the picture's edge.
  /// - Throws: `limitExceeded` for the bytes of the part together with those of its render, and the errors of
  ///   `DecodingContext.checkpoint()`.
  /// - Complexity: O(file). The first part steps over all blocks of the scan; later parts compute a checksum of the bytes, unless
  ///   the context knows the file.
  package static func file(
    _ data: Data, _ outline: JPEGOutline, cut: PixelRectangle, renderByteCount: Int, context: DecodingContext
  ) throws(ImageDecodingError) -> Data? {
    guard let frame = outline.frame, let unit = frame.regionUnit,
      let scan = JPEGSequentialScan(data.span, outline.details, frame: frame),
      let columns = groups(cut.x, cut.size.width, unit.width, frame.groupColumns),
      let rows = groups(cut.y, cut.size.height, unit.height, frame.groupRows)
    else { return nil }
    return try data.withBytes { (file) throws(ImageDecodingError) in
      let identity = JPEGScanIndexCache.Identity(file, context.file, scan, frame: frame)
      let index = try JPEGScanIndexCache.shared.index(of: identity) { () throws(ImageDecodingError) in
        try JPEGScanIndex(file: file, scan, frame: frame, context: context)
      }
      guard let index else { return nil }
      let byteCount = renderByteCount.saturatingSum(index.byteCount(rows: rows, columns: columns))
      try context.limits.checkDecodedByteCount(byteCount)
      try context.reserve(atLeast: byteCount)
      let codes = scan.differences.map { JPEGDifferenceCodes($0.definition) }
      guard
        let head = head(data.span, outline.details, scan, codes, size: cut.size, interval: columns.count)
      else { return nil }
      var writer = JPEGBitWriter(after: head)
      for (number, row) in rows.enumerated() {
        try context.checkpoint()
        var walker = JPEGScanWalker(
          file: file, parts: scan.parts, restartInterval: scan.restartInterval,
          from: index.resumePoint(row: row, column: columns.lowerBound))
        while walker.group < row * frame.groupColumns + columns.lowerBound {
          guard walker.prepare() else { return nil }
          walker.skipGroup()
        }
        var written = SIMD4<Int32>()
        for _ in columns {
          guard walker.prepare(), walker.copyGroup(to: &writer, codes: codes, written: &written) else {
            return nil
          }
        }
        walker.finish()
        if walker.isBroken { return nil }
        let isLast = row + 1 == rows.upperBound
        writer.end(marker: isLast ? JPEGMarker.endOfImage : 0xD0 | UInt8(truncatingIfNeeded: number & 7))
      }
      return Data(writer.bytes)
    }
  }

  /// The groups that a range of pixels covers; `nil` if it covers none, or does not begin between two groups.
  private static func groups(_ first: Int, _ length: Int, _ side: Int, _ count: Int) -> Range<Int>? {
    guard first >= 0, length > 0, first % side == 0 else { return nil }
    let end = (first + length + side - 1) / side
    return end <= count ? first / side..<end : nil
  }

  /// The bytes before the data: the segments for the colours and the tables, with the size of the part and a restart interval of
  /// one row.
  private static func head(
    _ bytes: Span<UInt8>, _ header: JPEGHeader, _ scan: JPEGSequentialScan, _ codes: [JPEGDifferenceCodes],
    size: PixelSize, interval: Int
  ) -> [UInt8]? {
    guard interval <= 0xFFFF else { return nil }
    var head: [UInt8] = [0xFF, JPEGMarker.startOfImage]
    var position = 2
    while let (marker, offset) = JPEGMarker.next(in: bytes, from: position), offset < header.scanOffset {
      position = offset + 2
      if JPEGMarker.standsAlone(marker) { continue }
      guard let declared = bytes.bigEndian(at: position, bytes: 2) else { return nil }
      let length = max(2, declared)
      guard position + length <= header.scanOffset else { return nil }
      var segment = bytes.copy(from: offset, byteCount: length + 2)
      position += length
      if JPEGMarker.isFrameHeader(marker) {
        // After the marker, the length and the precision.
        segment.replaceSubrange(5..<9, with: size.height.bigEndianBytes(2) + size.width.bigEndianBytes(2))
      }
      let isKept = !(0xE0...0xFE ~= marker) || marker == 0xE0 || marker == 0xEE
      if isKept, marker != JPEGMarker.restartInterval { head += segment }
    }
    for (index, difference) in scan.differences.enumerated() {
      let definition = codes[index].definition
      let content = [UInt8(difference.slot)] + definition.counts + definition.symbols
      head += JPEGMarker.segment(JPEGMarker.huffman, content)
    }
    head += JPEGMarker.segment(JPEGMarker.restartInterval, interval.bigEndianBytes(2))
    return head + bytes.copy(from: scan.segment.lowerBound, byteCount: scan.segment.count)
  }
}
