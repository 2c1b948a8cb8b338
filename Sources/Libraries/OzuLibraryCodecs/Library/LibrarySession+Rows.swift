import CCodecs
import OzuCodecs
import OzuImaging

extension LibrarySession {
  private static let stepRows = 32

  /// Provides the rows of the picture one by one, in the form of a bitmap of `bgra8`.
  func withRows<Result>(
    header: ImageHeader, _ context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result {
    let inks = inkTransform(header, context)
    if inks != nil { ozu_picture_keep_cmyk(decoder) }
    return try body(
      LibraryRows(
        decoder, type: type, size: header.storedSize, info: info, inks: inks,
        colorSpace: inks == nil ? header.storedColorSpace : .sRGB, context: context))
  }

  /// Averages the rows of the picture: its samples if it has only colours of eight bits, else pixels.
  func averagedRows(
    header: ImageHeader, step: RowAverager.Step, _ context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture {
    let size = header.storedSize
    try check(size)
    let channels = Int(info.row_channels)
    guard channels == 1 || channels == 3 else {
      return try withRows(header: header, context) { (rows) throws(ImageDecodingError) in
        try Self.average(rows, step: step, context)
      }
    }
    let averager = RowAverager(size: size, channels: channels, step: step, pool: context.pool)
    for y in 0..<size.height {
      if y % Self.stepRows == 0 { try context.checkpoint() }
      guard let samples = ozu_picture_samples(decoder) else {
        throw Self.failure(decoder, .failed, type, stage: Self.imageStage)
      }
      // A row has the file's own width, as was checked, and `channels` bytes for each pixel.
      averager.add(bytes: UnsafeBufferPointer(start: samples, count: size.width * channels).span)
    }
    context.begin(.resize)
    let planes = averager.planes
    return channels == 1
      ? PlanarPicture(luma: planes[0]) : PlanarPicture(blue: planes[2], green: planes[1], red: planes[0])
  }

  private static func average(
    _ rows: any PixelRowReading, step: RowAverager.Step, _ context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture {
    let averager = RowAverager(size: rows.size, channels: 4, step: step, pool: context.pool)
    let memory = context.pool.takeBlock(byteCount: rows.size.width * 4)
    defer { context.pool.giveBack(memory) }
    // The memory has one row, and may be longer.
    let row = UnsafeMutableRawBufferPointer(rebasing: memory[..<(rows.size.width * 4)])
      .bindMemory(to: UInt8.self)
    for _ in 0..<rows.size.height {
      var target = row.mutableSpan
      try rows.readRow(into: &target)
      averager.add(bytes: row.span)
    }
    context.begin(.resize)
    let planes = averager.planes
    return PlanarPicture(
      blue: planes[0], green: planes[1], red: planes[2], alpha: rows.isOpaque ? nil : planes[3])
  }
}

/// The rows of a picture that a library decodes. Used only while its session exists.
private final class LibraryRows: PixelRowReading {
  private static let stepRows = 32

  let size: PixelSize
  let colorSpace: ColorSpaceTag
  private let decoder: OpaquePointer
  private let type: ImageType
  private let info: OzuPictureInfo
  private let inks: ColorTransform?
  private let context: DecodingContext
  private var rowCount = 0

  init(
    _ decoder: OpaquePointer, type: ImageType, size: PixelSize, info: OzuPictureInfo, inks: ColorTransform?,
    colorSpace: ColorSpaceTag, context: DecodingContext
  ) {
    self.decoder = decoder
    self.type = type
    self.size = size
    self.info = info
    self.inks = inks
    self.colorSpace = colorSpace
    self.context = context
  }

  var isOpaque: Bool { !info.has_alpha }

  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError) {
    if rowCount % Self.stepRows == 0 { try context.checkpoint() }
    rowCount += 1
    let width = size.width
    let status = row.withUnsafeMutableBytes { bytes in
      // `OzuRows` checks that the bytes hold the row, and C checks that it is a row of this file.
      let status = ozu_picture_row(
        decoder, OzuRows(bytes, bytesPerRow: bytes.count, size: PixelSize(width, 1)))
      if let start = bytes.baseAddress, status == .done {
        LibrarySession.finish(start, width, info, context.alpha, inks: inks)
      }
      return status
    }
    guard status == .done else {
      throw LibrarySession.failure(decoder, status, type, stage: LibrarySession.imageStage)
    }
  }
}
