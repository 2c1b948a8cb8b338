import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JPEGFile {
  /// Decodes through libjpeg to luma and chroma at the plan's scale; `nil` for a file with other components.
  ///
  /// Samples that will be averaged are not converted to colours, and chroma is not enlarged and then reduced again:
  /// this takes half of the time of pixels, and not their memory.
  ///
  /// - Throws: the errors of `decode`.
  func wholePlanes(
    _ plan: DecodePlan, _ averaging: PlaneAveraging, _ context: DecodingContext
  ) throws(DecodingError) -> PlanarPicture? {
    guard let frame = outline.frame else { return nil }
    try context.limits.checkDecodedByteCount(plan.decodedByteCount + outline.coefficientByteCount)
    return try data.withBytes { (bytes) throws(DecodingError) in
      let session = try session(bytes, plan, keepsPlanes: true)
      try readScans(of: session, context)
      guard let components = session.planes(count: frame.components.count) else { return nil }
      let planes = try readPlanes(of: session, components, frame, averaging, context)
      context.begin(.resize)
      guard planes.count == 3 else { return PlanarPicture(luma: planes[0]) }
      return PlanarPicture(luma: planes[0], chroma: (planes[1], planes[2]))
    }
  }

  /// Reads one row of block groups at a time into a buffer, and from there into the averagers.
  private func readPlanes(
    of session: borrowing JPEGSession, _ components: [OzuJPEGPlane], _ frame: ReducedJPEGFrame,
    _ averaging: PlaneAveraging, _ context: DecodingContext
  ) throws(DecodingError) -> [SamplePlane] {
    var averagers: [RowAverager] = []
    var offsets: [Int] = []
    var byteCount = 0
    for (index, component) in components.enumerated() {
      let scale = Double(component.eighths) / 8
      averagers.append(
        RowAverager(
          size: PixelSize(Int(component.width), Int(component.height)), channels: 1,
          step: index == 0 ? averaging.luma : averaging.chroma,
          extentWidth: frame.components[index].extentWidth * scale,
          extentHeight: frame.components[index].extentHeight * scale,
          // If libjpeg decodes chroma at a larger scale than luma, it does not enlarge it.
          upsampled: index > 0 && component.eighths == components[0].eighths
            ? frame.planeLayout.chromaStep : nil, pool: context.pool))
      offsets.append(byteCount)
      byteCount += component.bytes_per_row * Int(component.step_rows)
    }
    let memory = context.pool.takeBlock(byteCount: byteCount)
    defer { context.pool.giveBack(memory) }
    // The rows of each component follow those of the previous component.
    let start = memory.bindMemory(to: UInt8.self).baseAddress!
    let targets = components.enumerated().map { index, component in
      OzuPlaneRows(
        UnsafeMutableRawBufferPointer(rebasing: memory[offsets[index]...]),
        bytesPerRow: component.bytes_per_row, height: Int(component.step_rows))
    }
    let groupCount = (components[0].height + components[0].step_rows - 1) / components[0].step_rows
    for group in 0..<Int(groupCount) {
      try context.checkpoint()
      switch ozu_jpeg_decoder_read_planes(session.decoder, targets, Int32(targets.count)) {
      case .done, .more: break
      case .truncated:
        guard context.allowsTruncation else { throw .truncated(.jpeg, stage: Self.scanStage) }
      case .failed: throw session.failure(stage: Self.scanStage)
      }
      for (index, component) in components.enumerated() {
        let stepRows = Int(component.step_rows)
        for y in 0..<min(stepRows, Int(component.height) - group * stepRows) {
          let row = UnsafeBufferPointer(
            start: UnsafePointer(start) + offsets[index] + y * component.bytes_per_row,
            count: Int(component.width))
          averagers[index].add(bytes: row.span)
        }
      }
    }
    return averagers.map { $0.planes[0] }
  }
}

extension JPEGSession {
  /// The layout of the planes; `nil` unless there are exactly `count` components.
  func planes(count: Int) -> [OzuJPEGPlane]? {
    var planes: [OzuJPEGPlane] = []
    for index in 0..<count {
      var plane = OzuJPEGPlane()
      guard ozu_jpeg_decoder_plane(decoder, Int32(index), &plane), plane.step_rows > 0, plane.width > 0,
        plane.height > 0, plane.bytes_per_row >= Int(plane.width)
      else { return nil }
      planes.append(plane)
    }
    // The library writes a plane for each component that it knows.
    var surplus = OzuJPEGPlane()
    return ozu_jpeg_decoder_plane(decoder, Int32(count), &surplus) ? nil : planes
  }
}
