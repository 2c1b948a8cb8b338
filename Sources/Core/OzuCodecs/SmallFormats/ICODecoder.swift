import OzuBase
import OzuImaging

/// Decodes Windows icons and cursors: the largest picture in the file, either a bitmap with a mask or a PNG.
public struct ICODecoder: ImageDecoding {
  private let png: (any ImageDecoding)?

  /// Makes a decoder.
  ///
  /// - Parameter png: decodes pictures that are PNG; without it they throw `unsupportedType`.
  public init(png: (any ImageDecoding)? = nil) { self.png = png }

  /// ICO, and CUR, which only adds the position of the hot spot.
  public var types: [ImageType] { [.ico] }

  /// Opens a file: reads the directory and the header of the largest picture.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` for a PNG without a decoder for it.
  /// - Complexity: O(pictures), 256 at most.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    do throws(ImageDecodingError) { return try openBest(data, limits) } catch {
      throw error.named(.ico, part: "picture")
    }
  }

  private func openBest(_ data: Data, _ limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let directory = try ICODirectory(data.span)
    let entry = directory.best
    var notes = directory.isCut ? [ICNSDecoder.cutNote] : []
    if let error = directory.leftOut {
      notes.append("a larger picture is left out: \(error.named(.ico, part: "picture").reasonAlone)")
    }
    let content = data.part(entry.range)
    guard let container = entry.container else {
      let decoders = [png].compactMap(\.self)
      return try EnclosedFile(opening: content, in: .ico, with: decoders, limits: limits, notes: notes)
    }
    let header = try BMPHeader(content.span, in: container)
    return BMPFile(content, header, type: .ico, notes: notes)
  }
}

/// The directory of a Windows icon or cursor: the list of its pictures.
///
/// The sizes in it are often wrong (0 means 256, and many writers store arbitrary values), so the header of each
/// picture is read. Only where it is that header which forgets the mask, its height is taken as the directory states it.
struct ICODirectory {
  struct Entry {
    /// Its range in the file, cut at the end of the file. A bitmap may extend to the end of the file, because its
    /// declared length is often wrong.
    let range: Range<Int>
    /// Whether the file is as long as the picture declares, or all that its header announces is there.
    let isWhole: Bool
    let size: PixelSize
    let bitsPerPixel: Int
    /// How a bitmap states its height; `nil` for a PNG.
    let container: BMPHeader.Container?
  }

  static let stage = "directory"
  private static let headerByteCount = 6
  private static let entryByteCount = 16
  /// Icons have at most a dozen pictures; pictures beyond this limit are ignored.
  private static let entryLimit = 256

  /// The largest of the complete pictures, or else of all; among equal sizes, the one with the most colours.
  let best: Entry
  /// Whether the file ends before a picture that may be larger.
  let isCut: Bool
  /// Why a picture is left out that should be larger.
  let leftOut: ImageDecodingError?

  /// Reads the directory and the header of each picture.
  ///
  /// - Throws: `corrupt`, `truncated`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard let count = bytes.littleEndian(at: 4, bytes: 2) else { throw .truncated(.ico, stage: Self.stage) }
    guard count > 0 else { throw .corrupt(.ico, stage: Self.stage, reason: "no pictures") }
    guard bytes.count >= Self.headerByteCount + count * Self.entryByteCount else {
      throw .truncated(.ico, stage: Self.stage)
    }
    var found: [Entry] = []
    var failure: (size: PixelSize, error: ImageDecodingError)?
    var isBeyond = false
    for index in 0..<min(count, Self.entryLimit) {
      let at = Self.headerByteCount + index * Self.entryByteCount
      guard let byteCount = bytes.littleEndian(at: at + 8, bytes: 4),
        let offset = bytes.littleEndian(at: at + 12, bytes: 4), offset < bytes.count
      else {
        isBeyond = true
        continue
      }
      let stated = PixelSize(Self.side(bytes.byte(at: at)), Self.side(bytes.byte(at: at + 1)))
      do throws(ImageDecodingError) {
        found.append(try Self.entry(bytes, from: offset, byteCount: byteCount, stated: stated))
      } catch {
        if case .truncated = error {
          isBeyond = true
        } else if failure.map({ $0.size.pixelCount < stated.pixelCount }) ?? true {
          failure = (size: stated, error: error)
        }
      }
    }
    let best = found.max { a, b in
      (a.isWhole ? 1 : 0, a.size.pixelCount, a.bitsPerPixel) < (
        b.isWhole ? 1 : 0, b.size.pixelCount, b.bitsPerPixel
      )
    }
    guard let best else { throw failure?.error ?? .truncated(.ico, stage: Self.stage) }
    self.best = best
    leftOut = failure.flatMap { $0.size.pixelCount > best.size.pixelCount ? $0.error : nil }
    isCut = isBeyond || best.isWhole && found.contains { !$0.isWhole }
  }

  private static func side(_ byte: UInt8?) -> Int { byte.map { $0 == 0 ? 256 : Int($0) } ?? 0 }

  /// - Parameter stated: the size in the directory.
  private static func entry(
    _ bytes: Span<UInt8>, from start: Int, byteCount: Int, stated: PixelSize
  ) throws(ImageDecodingError) -> Entry {
    let isAsLong = start + byteCount <= bytes.count
    var range = start..<min(start + byteCount, bytes.count)
    var content = bytes.extracting(range)
    if content.bigEndian(at: 0, bytes: 4) == 0x8950_4E47 {
      let header = try PNGHeader(content)
      return Entry(
        range: range, isWhole: isAsLong || header.hasEnd, size: header.size,
        bitsPerPixel: header.bitDepth * header.colorType.channelCount, container: nil)
    }
    range = start..<bytes.count
    content = bytes.extracting(range)
    var header = try BMPHeader(content, in: .icon)
    var container = BMPHeader.Container.icon
    // The whole height is that of the picture, and there are bytes for as many rows of colours.
    let whole = try BMPHeader(content, in: .iconWithoutMask)
    if whole.size == stated, whole.compression == .none,
      whole.pixelOffset + BMPRows(whole).bytesPerRow * stated.height <= min(byteCount, content.count)
    {
      (header, container) = (whole, .iconWithoutMask)
    }
    let rows = BMPRows(header)
    let rowByteCount = rows.bytesPerRow + (container == .icon ? rows.maskBytesPerRow : 0)
    let end = header.pixelOffset.saturatingSum(rowByteCount.saturatingProduct(header.size.height))
    return Entry(
      range: range, isWhole: isAsLong || header.compression == .none && end <= content.count,
      size: header.size, bitsPerPixel: header.bitsPerPixel, container: container)
  }
}
