import OzuCodecs
import OzuImaging
import OzuRecords

/// The bands in which a picture of tiles is decoded if the limits do not allow all of it at once: those of 48 megapixels
/// and more that telephones write as HEIC.
///
/// libheif decodes a picture in one call, and keeps all of it twice. A band is a file of its own with a row of tiles, or a
/// column if the picture is turned by a quarter. It is decoded, resampled and freed before the next one, so the memory
/// is that of a band, and the time is checked before each. Chroma at the edge of a band is enlarged without that of the
/// next one, so smaller pictures are decoded at once.
struct LibraryBands {
  let parts: [PixelRectangle]
  let demand: DecodingDemand
}

extension LibraryFile {
  /// The bands of a plan; `nil` if the library decodes all pixels at once.
  func bands(of plan: DecodePlan, _ context: DecodingContext) -> LibraryBands? {
    guard library.type == .heic, let grid, plan.averaging == nil, !plan.needsNoResampling else { return nil }
    let format = plan.pixelFormat(of: header, context)
    guard format != .rgba16 else { return nil }
    let limits = context.limits
    let price = plan.peakByteCount(header, format: format, context, demand: wholeDemand(of: plan))
    let pixelCount = header.storedSize.pixelCount
    guard plan.cut == nil && pixelCount > limits.pixelCount || price > limits.decodedByteCount,
      // Its time is ten times that of a reduced JPEG, which may have twice as many. Tiles may share their bytes.
      pixelCount / 2 <= limits.pixelCount,
      grid.byteCount(of: PixelRectangle(grid.size)) <= limits.encodedByteCount
    else { return nil }
    let parts = grid.bands(of: plan.cut ?? PixelRectangle(grid.size))
    guard parts.allSatisfy({ $0.size.pixelCount <= limits.pixelCount }) else { return nil }
    let scratch = scratchByteCount
    let byteCounts = parts.map { part in
      // The bytes of the band's file, and those of the excerpt of it that the library reads.
      self.scratch(scratch, perColumn: 0, of: part).saturatingSum(part.size.bitmapByteCount(as: .bgra8))
        .saturatingSum(grid.byteCount(of: part).saturatingProduct(2))
    }
    return LibraryBands(
      parts: parts,
      demand: DecodingDemand(byteCount: byteCounts.max() ?? 0, deliversRows: true, isPiecewise: true))
  }

  /// The pixels of a band as the library returns them.
  fileprivate func decode(band: PixelRectangle, _ context: DecodingContext) throws(DecodingError) -> Bitmap {
    guard let bytes = grid?.file(of: band, in: data) else {
      throw .corrupt(header.type, stage: "header", reason: "it has no part at \(band)")
    }
    let file = try LibraryFile(bytes, library: library, limits: context.limits, cut: nil, partOf: header)
    let plan = DecodePlan(of: file, resize: nil, context: context)
    return try file.decode(plan, context: context).converted(to: .bgra8, pool: context.pool)
  }
}

/// The rows of a picture that is decoded in bands. It stays on the thread that decodes.
final class LibraryBandRows: PixelRowReading {
  let size: PixelSize
  let isOpaque: Bool
  let colorSpace: ColorSpaceTag
  private let file: LibraryFile
  private var context: DecodingContext
  private var parts: ArraySlice<PixelRectangle>
  private var band: Bitmap?
  /// The number of rows of the band that were read.
  private var rowCount = 0

  init(_ bands: LibraryBands, of file: LibraryFile, size: PixelSize, context: DecodingContext) {
    parts = bands.parts[...]
    self.file = file
    self.size = size
    self.context = context
    isOpaque = !file.header.hasAlpha
    colorSpace = file.header.storedColorSpace
  }

  func readRow(into row: inout MutableSpan<UInt8>) throws(DecodingError) {
    if rowCount == band?.size.height ?? 0 { try readBand() }
    guard let band else { return }
    let (start, width) = (rowCount * band.bytesPerRow, size.width * 4)
    rowCount += 1
    row.withUnsafeMutableBytes { row in
      // The band is as wide as the picture, as was checked, and has this row.
      band.withUnsafeBytes {
        row.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + width]))
      }
    }
  }

  private func readBand() throws(DecodingError) {
    // The memory of a band is free before the next one is decoded.
    band = nil
    rowCount = 0
    try context.checkpoint()
    guard let part = parts.popFirst() else {
      throw .corrupt(file.header.type, stage: LibrarySession.imageStage, reason: "it has too few rows")
    }
    // libheif 1.15 decodes HEVC on a thread of its own.
    let decoding = context
    let next = try context.countingOtherThreads { () throws(DecodingError) in
      try file.decode(band: part, decoding)
    }
    guard next.size.width == size.width, next.size.pixelCount == part.size.pixelCount else {
      throw .corrupt(
        file.header.type, stage: LibrarySession.imageStage, reason: "a part of \(next.size) for \(part.size)")
    }
    band = next
  }
}
