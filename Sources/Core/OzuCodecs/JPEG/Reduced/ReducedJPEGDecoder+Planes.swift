import OzuImaging

/// The planes: whole ones, or strips of them.
extension ReducedJPEGDecoder {
  /// Reads the file and makes whole planes; `nil` if this decoder does not support the file.
  ///
  /// - Throws: as `readScans` does; `limitExceeded` for the bytes of the planes.
  package mutating func decode() throws(ImageDecodingError) -> PlanarPicture? {
    try context.limits.checkDecodedByteCount(planeByteCount)
    var rows: [(start: UnsafeMutablePointer<Int16>, count: Int)] = []
    for index in scales.indices {
      let plane = frame.plane(index, scale: scales[index], pool: context.pool)
      let start = plane.samples.baseAddress!
      components[index].samples = start
      rows.append((start, frame.components[index].verticalBlocks * components[index].lineStep))
      planes.append(plane)
    }
    guard try readScans() else { return nil }
    if frame.isProgressive {
      transform()
    } else {
      for row in 0..<frame.groupRows {
        try decodeStrip(row, in: rows.map { $0.start + row * $0.count }, isSeen: true)
      }
    }
    guard planes.count == 3 else { return PlanarPicture(luma: planes[0]) }
    return PlanarPicture(luma: planes[0], chroma: (planes[1], planes[2]))
  }

  /// Opens the scan of a sequential file, whose header names all components.
  mutating func openScan(_ header: JPEGScanHeader, _ parts: [ReducedScan.Part], at position: Int) {
    scanParts = header.parts.map(\.component)
    tail = makeTail(header, parts: parts, position: position)
    scan = ReducedScan(
      source: EntropySource(
        file: file, position: position, mark: tail?.mark(behind: position),
        chunk: tail == nil ? EntropySource.chunk : EntropySource.chunkBesideTail), parts: parts,
      columns: frame.groupColumns, rows: frame.groupRows, restartInterval: definitions.restartInterval)
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
  ) throws(ImageDecodingError) {
    precondition(samples.count == scales.count, "a place for each component")
    for index in scales.indices { components[index].samples = samples[index] }
    // Copying a row from the other thread takes no time in which anybody would cancel it.
    if let rows = try waitForTailRows() {
      rows.place(row, in: samples)
    } else {
      try context.checkpoint()
      let parts = scanParts
      scan?.setPlaces { samples[parts[$0]] }
      scan?.decodeRow(0, .sequential)
      lookForTail(behind: row)
    }
    if isSeen {
      for index in scales.indices { components[index].transform(0..<frame.components[index].verticalBlocks) }
    }
    try step(over: row)
  }

  /// Ends a row of groups, after `decodeStrip` or `TailRows.make`.
  ///
  /// - Throws: `truncated` with the last row.
  mutating func step(over row: Int) throws(ImageDecodingError) {
    guard row == frame.groupRows - 1 else { return }
    if meeting == nil {
      scan?.finish()
      missesData = scan?.source.missesData ?? true
    }
    if missesData { try context.acceptTruncation(of: .jpeg, stage: Self.scanStage) }
  }
}

extension ReducedJPEGDecoder {
  /// Turns coefficients of the whole planes of a progressive file into samples.
  mutating func transform() {
    for index in planes.indices {
      if passes.isWhole(index) { components[index].flattenMeans() }
      let rows = 0..<frame.groupRows * frame.components[index].verticalBlocks
      for (rows, bits) in passes.missingBits(of: index, in: rows) { transform(index, rows, missing: bits) }
    }
  }

  private func transform(_ index: Int, _ rows: Range<Int>, missing bits: [Int]) {
    // Only the transforms of squares above 2 multiply, and without estimates for missing bits.
    let component = components[index]
    guard component.estimate(bits) || component.scale == 2 else { return component.transform(rows) }
    let units = Dequantization()
    defer { units.free() }
    for row in rows {
      component.transform(row, component.dequantization).multiply(scale: component.scale)
      component.transform(row, units).transform(scale: component.scale)
    }
  }
}

extension ReducedComponent {
  /// Turns rows of blocks into samples, which are counted from the component's first sample on.
  func transform(_ rows: Range<Int>) {
    for row in rows { transform(row, dequantization).transform(scale: scale) }
  }

  fileprivate func transform(_ row: Int, _ dequantization: Dequantization) -> ReducedIDCT {
    ReducedIDCT(
      samples: samples! + row * scale * stride, stride: stride, blockCount: blockCount.width,
      dequantization: dequantization)
  }
}
