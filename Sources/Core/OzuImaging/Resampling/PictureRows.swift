/// The rows of a picture in the order in which the resampler reads them: from top to bottom, two at a time.
///
/// They are the rows of a bitmap, or those of a decoder that delivers each row once; then only two rows are in
/// memory. An error of the decoder is kept in `failure` and thrown at the next checkpoint, so that the loops of the
/// filters need no error handling; the rows after it have undefined pixels.
///
/// A class, because reading a row changes it; it stays on the thread that decodes. Unsafe pointers: a row always
/// has `size.width` pixels of four bytes, at the place in the bitmap that `Bitmap` documents, or in one of two
/// slots that `init` allocates.
final class PictureRows {
  private enum Source {
    case bitmap(Bitmap)
    case reader(any PixelRowReading)
  }

  /// The number of rows that stay valid: the last one that was read, and the one above it.
  static let window = 2

  let size: PixelSize
  let isOpaque: Bool
  let colorSpace: ColorSpaceTag
  private let source: Source
  private let start: UnsafeMutableRawPointer
  private let bytesPerRow: Int
  private let block: UnsafeMutableRawBufferPointer?
  private let pool: PixelBufferPool
  /// The number of rows that the reader has delivered.
  private var readCount = 0
  /// The error that ended the reading.
  private(set) var failure: ImageDecodingError?

  /// Reads the rows of a bitmap.
  ///
  /// - Parameter bitmap: in `bgra8`.
  init(_ bitmap: Bitmap, pool: PixelBufferPool) {
    precondition(bitmap.format == .bgra8, "rows of four bytes a pixel")
    source = .bitmap(bitmap)
    (size, isOpaque, colorSpace) = (bitmap.size, bitmap.isOpaque, bitmap.colorSpace)
    // Only read: a bitmap does not change. It lives as long as this object.
    start = bitmap.buffer.memory.baseAddress!
    bytesPerRow = bitmap.bytesPerRow
    block = nil
    self.pool = pool
  }

  /// Reads the rows of a decoder.
  init(_ reader: any PixelRowReading, pool: PixelBufferPool) {
    precondition(!reader.size.isEmpty, "a picture has pixels")
    source = .reader(reader)
    (size, isOpaque, colorSpace) = (reader.size, reader.isOpaque, reader.colorSpace)
    let block = pool.takeBlock(byteCount: Self.byteCount(width: reader.size.width))
    block.initializeMemory(as: UInt8.self, repeating: 0)
    start = block.baseAddress!
    bytesPerRow = Bitmap.bytesPerRow(width: reader.size.width, format: .bgra8)
    self.block = block
    self.pool = pool
  }

  deinit {
    if let block { pool.giveBack(block) }
  }

  /// The bytes that rows from a decoder take.
  static func byteCount(width: Int) -> Int {
    PixelSize(width, window).bitmapByteCount(as: .bgra8)
  }

  /// The pixels of a row. Rows of a decoder that are skipped are read and dropped. The pointer is valid until the
  /// second row below is read.
  ///
  /// - Precondition: a decoder's row is the last one that was read, the one above it, or one below them.
  func row(_ index: Int) -> UnsafeRawPointer {
    precondition(index >= 0 && index < size.height, "row outside the picture")
    guard case .reader(let reader) = source else { return UnsafeRawPointer(start + index * bytesPerRow) }
    precondition(index >= readCount - Self.window, "a row that was dropped")
    while readCount <= index { readRow(of: reader) }
    return UnsafeRawPointer(start + index % Self.window * bytesPerRow)
  }

  /// Reads the other rows, because a decoder also finds missing data below the part that is shown.
  ///
  /// - Throws: the error that ended the reading.
  func finish() throws(ImageDecodingError) {
    if case .reader(let reader) = source {
      while readCount < size.height, failure == nil { readRow(of: reader) }
    }
    try check()
  }

  /// - Throws: the error that ended the reading.
  func check() throws(ImageDecodingError) {
    if let failure { throw failure }
  }

  private func readRow(of reader: any PixelRowReading) {
    defer { readCount += 1 }
    guard failure == nil else { return }
    let bytes = UnsafeMutableRawBufferPointer(
      start: start + readCount % Self.window * bytesPerRow, count: size.width * 4
    ).bindMemory(to: UInt8.self)
    var row = bytes.mutableSpan
    do throws(ImageDecodingError) {
      try reader.readRow(into: &row)
    } catch {
      failure = error
    }
  }
}
