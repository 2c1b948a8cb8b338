import OzuImaging

/// The planes: whole ones, or strips of them.
extension ReducedJPEGDecoder {
  /// Reads the file and makes whole planes; `nil` if this decoder does not support the file.
  ///
  /// - Throws: as `readScans` does; `limitExceeded` for the bytes of the planes.
  mutating func decode() throws(DecodingError) -> PlanarPicture? {
    try context.limits.checkDecodedByteCount(planeByteCount)
    for index in scales.indices {
      let plane = frame.plane(index, scale: scales[index], pool: context.pool)
      components[index].samples = plane.samples.baseAddress
      planes.append(plane)
    }
    guard try readScans(inStrips: false) else { return nil }
    transform(upTo: frame.groupRows)
    guard planes.count == 3 else { return PlanarPicture(luma: planes[0]) }
    return PlanarPicture(luma: planes[0], chroma: (planes[1], planes[2]))
  }

  /// Opens the scan of a sequential file, whose header names all components.
  mutating func openScan(_ header: JPEGScanHeader, _ parts: [ReducedScan.Part], at position: Int) {
    stripParts = header.parts.map(\.component)
    stripScan = ReducedScan(
      source: EntropySource(file: file, position: position), parts: parts, columns: frame.groupColumns,
      rows: frame.groupRows, restartInterval: definitions.restartInterval)
  }

  /// Makes the next row of groups of a sequential file, after `readScans`.
  ///
  /// - Parameters:
  ///   - row: its number, from 0 on.
  ///   - samples: for each component the place of its rows, with the shape of `ReducedJPEGFrame.stripShape`. All samples are zero.
  ///   - isSeen: whether the coefficients become samples.
  /// - Throws: as `readScans` does; `truncated` with the last row.
  mutating func decodeStrip(
    _ row: Int, in samples: [UnsafeMutablePointer<Int16>], isSeen: Bool
  ) throws(DecodingError) {
    precondition(samples.count == scales.count, "a place for each component")
    try context.checkpoint()
    let parts = stripParts
    stripScan?.setPlaces { samples[parts[$0]] }
    stripScan?.decodeRow(0, .sequential)
    if isSeen {
      for index in scales.indices {
        components[index].samples = samples[index]
        transform(index, 0..<frame.components[index].verticalBlocks, components[index].dequantization)
      }
    }
    guard row == frame.groupRows - 1 else { return }
    stripScan?.finish()
    if stripScan?.source.missesData ?? true, !context.allowsTruncation {
      throw .truncated(.jpeg, stage: Self.scanStage)
    }
  }
}
