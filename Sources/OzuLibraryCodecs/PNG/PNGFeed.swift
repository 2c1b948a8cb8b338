import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A PNG that is decoded while it comes: row by row, or in the seven passes of an interlaced one, the first of which shows
/// blocks of eight by eight pixels.
///
/// libpng reads a file that is coming by other functions than a whole one, and those take a damaged row for a missing one:
/// so whole files are read by `PNGSession`.
///
/// The library is given only the chunks that make pixels: it would collect the others until they are whole, however
/// long they say they are.
///
/// `@unchecked Sendable`: `FeedSlot` lets one thread at a time call it.
final class PNGFeed: @unchecked Sendable {
  /// So many bytes are given between two questions whether to go on: they inflate to four megabytes at most.
  private static let stepByteCount = 4096
  /// Palettes and transparency have 768 bytes at most.
  private static let longestTable = 4096

  private let feed: OpaquePointer
  private let header: ImageHeader
  private let alpha: Alpha
  private let pixels: IncrementalPixels
  /// Up to where the file was given to the library or stepped over.
  private var position = 0
  /// Where the chunk ends whose beginning was given.
  private var chunkEnd = 0
  private var isWhole = false
  private var shownProgress: UInt64 = 0

  init(header: ImageHeader, alpha: Alpha) throws(DecodingError) {
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

  /// Decodes on, as far as the bytes reach; `nil` when that shows nothing new.
  func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap? {
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

  private func read(_ data: Data, _ context: DecodingContext) throws(DecodingError) {
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

  private func give(_ data: Data, _ range: Range<Int>) throws(DecodingError) {
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
