import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// A PNG that is decoded while it is downloaded: row by row, or in the seven passes of an interlaced file, of which
/// the first shows blocks of eight by eight pixels.
///
/// libpng reads a file that arrives in pieces with other functions than a whole file, and those take a damaged row
/// for a missing one. So whole files are read by `PNGSession`.
///
/// The library receives only the chunks that make pixels: it would collect the others until they are complete,
/// whatever length they declare.
///
/// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
final class PNGFeed: @unchecked Sendable {
  /// The bytes between two checkpoints: they inflate to at most four megabytes.
  private static let stepByteCount = 4096
  /// Palettes and transparency have at most 768 bytes.
  private static let longestTable = 4096

  private let feed: OpaquePointer
  private let header: ImageHeader
  private let alpha: Alpha
  private let pixels: IncrementalPixels
  /// The end of the part of the file that the library has received or that was skipped.
  private var position = 0
  /// The end of the chunk of which the library has received the beginning.
  private var chunkEnd = 0
  private var isWhole = false
  private var shownProgress: UInt64 = 0

  init(header: ImageHeader, alpha: Alpha) throws(ImageDecodingError) {
    let size = header.storedSize
    let pixels = IncrementalPixels(size: size)
    guard let feed = ozu_png_feed_new(pixels.rows)
    else { throw .corrupt(.png, stage: PNGHeader.stage, reason: "out of memory") }
    self.feed = feed
    self.header = header
    self.alpha = alpha
    self.pixels = pixels
  }

  deinit {
    ozu_png_feed_free(feed)
  }

  /// Decodes the bytes that are there; `nil` if there is nothing new to show.
  func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
    try read(data, context)
    let progress = ozu_png_feed_progress(feed)
    guard progress > shownProgress else { return nil }
    shownProgress = progress
    let hasAlpha = ozu_png_feed_has_alpha(feed)
    let multipliesAlpha = hasAlpha && alpha == .premultiplied
    return pixels.copy(
      rows: Int(ozu_png_feed_rows(feed)), isOpaque: !hasAlpha, colorSpace: header.storedColorSpace,
      pool: context.pool
    ) { row, width in
      if multipliesAlpha { Premultiplication.apply(to: row, width: width) }
    }
  }

  private func read(_ data: Data, _ context: DecodingContext) throws(ImageDecodingError) {
    if position == 0, data.count >= PNGChunk.firstOffset {
      try give(data, 0..<PNGChunk.firstOffset)
      chunkEnd = position
    }
    while !isWhole, position < data.count {
      try context.checkpoint()
      if position < chunkEnd {
        try give(data, position..<min(position + Self.stepByteCount, chunkEnd, data.count))
        continue
      }
      guard let chunk = PNGChunk(data.span, at: position) else { return }
      chunkEnd = chunk.end
      if !chunk.makesPixels {
        position = chunkEnd
      } else if !chunk.isImageData, chunk.byteCount > Self.longestTable {
        throw .corrupt(.png, stage: PNGHeader.stage, reason: "a palette of \(chunk.byteCount) bytes")
      }
    }
  }

  private func give(_ data: Data, _ range: Range<Int>) throws(ImageDecodingError) {
    let status = data.withBytes { bytes in
      let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
      return ozu_png_feed_give(feed, piece.bindMemory(to: UInt8.self).baseAddress, piece.count)
    }
    position = range.upperBound
    switch status {
    case .done: isWhole = true
    case .more, .truncated: break
    case .failed:
      throw .corrupt(.png, stage: PNGFile.imageStage, reason: String(cString: ozu_png_feed_message(feed)))
    }
  }
}
