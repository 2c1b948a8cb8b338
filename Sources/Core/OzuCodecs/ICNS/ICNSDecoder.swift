import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes Apple icons, in Swift: the largest picture in the file that is a PNG, a JPEG, or run-length coded ARGB, or RGB
/// with its mask, run-length coded or plain. JPEG 2000 is not supported.
public struct ICNSDecoder: ImageDecoding {
  private let alpha: Alpha
  private let inner: [any ImageDecoding]

  /// Makes a decoder.
  ///
  /// - Parameter inner: the decoders of the pictures that are PNG and JPEG.
  public init(inner: [any ImageDecoding] = []) { self.init(alpha: .premultiplied, inner: inner) }

  package init(alpha: Alpha, inner: [any ImageDecoding]) {
    self.alpha = alpha
    self.inner = inner
  }

  /// ICNS.
  public var types: [ImageType] { [.icns] }

  /// Opens a file: reads the list of its pictures and the header of the largest one that can be read.
  ///
  /// - Throws: `corrupt`, `truncated`; `unsupportedType` if no picture can be read.
  /// - Complexity: O(pictures), 256 at most.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let directory = try ICNSDirectory(data.span)
    let notes = directory.isCut ? ["the file is cut off: it may have had a larger picture"] : []
    var failure: ImageDecodingError?
    for entry in directory.pictures.sorted(by: { $0.side > $1.side }) {
      do throws(ImageDecodingError) {
        if let side = entry.codedSide {
          var header = ImageHeader(type: .icns, storedSize: PixelSize(side, side), hasAlpha: true)
          header.notes = notes
          let rows = try ICNSRows(data.span, entry, directory.all, side: side)
          return SampleFile(data, header, alpha: alpha) { rows }
        }
        return try open(
          data[data.startIndex + entry.range.lowerBound..<data.startIndex + entry.range.upperBound], limits,
          notes)
      } catch {
        failure = failure ?? error.named(.icns, part: "picture")
      }
    }
    if directory.isCut { throw .truncated(.icns, stage: "directory") }
    if failure == nil, directory.hasFewBits {
      throw .unsupportedType(.icns, reason: "its pictures have 1, 4 or 8 bits")
    }
    throw failure ?? .corrupt(.icns, stage: "directory", reason: "no pictures")
  }

  private func open(
    _ content: Data, _ limits: DecodingLimits, _ notes: [String]
  ) throws(ImageDecodingError) -> any ImageFile {
    guard case .image(let type) = ContentKind(sniffing: content) else {
      throw .corrupt(.icns, stage: "directory", reason: "a picture in no known format")
    }
    guard let decoder = inner.first(where: { $0.accepts(content, as: type) }) else {
      throw .unsupportedType(.icns, reason: "its picture is \(type.displayName)")
    }
    return EnclosedFile(try decoder.open(content, limits: limits), as: .icns, notes: notes)
  }
}
