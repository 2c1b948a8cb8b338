import OzuBase
import OzuImaging

/// A file that has its pixels from a file inside it. Errors about that one name the outer file.
protocol EnclosingFile: ImageFile {
  var picture: any ImageFile { get }
  /// What the inner file is to the outer one: `preview`.
  var part: String { get }
}

extension EnclosingFile {
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    picture.demand(of: plan, context: context)
  }

  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    do throws(ImageDecodingError) { return try picture.withRows(plan, context: context, body) } catch {
      throw error.named(header.type, part: part)
    }
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    do throws(ImageDecodingError) { return try picture.decode(plan, context: context) } catch {
      throw error.named(header.type, part: part)
    }
  }
}

/// A file whose picture is a file of another format, such as a PNG in an icon.
final class EnclosedFile: EnclosingFile {
  let picture: any ImageFile
  let part = "picture"
  let header: ImageHeader

  /// Opens a file inside another one with the first decoder that takes it.
  ///
  /// - Throws: `unsupportedType` of the outer file if no decoder does; the errors of the decoder.
  init(
    opening content: Data, in type: ImageType, with decoders: [any ImageDecoding], limits: DecodingLimits,
    notes: [String]
  ) throws(ImageDecodingError) {
    guard case .image(let inner) = ContentKind(sniffing: content) else {
      throw .corrupt(type, stage: "directory", reason: "a picture in no known format")
    }
    guard let decoder = decoders.first(where: { $0.accepts(content, as: inner) }) else {
      throw .unsupportedType(type, reason: "its picture is \(inner.displayName)")
    }
    picture = try decoder.open(content, limits: limits)
    var header = picture.header
    header.type = type
    header.frameCount = 1
    header.notes += notes
    // Its place is in the enclosed file.
    (header.gainMap, header.missingBytes) = (nil, nil)
    // Only the pixels of the enclosed file are asked for, whole.
    header.planeLayout = nil
    header.regionUnit = nil
    header.hasParts = false
    self.header = header
  }

  func readMetadata() -> ImageMetadata { picture.readMetadata() }
}

extension ImageDecodingError {
  /// The reason why a file is not supported, without its format; another error as it is.
  var reasonAlone: String {
    if case .unsupportedType(_, let reason) = self { return reason }
    return "\(self)"
  }

  /// The error about a file inside another one, as an error about the outer file.
  ///
  /// - Parameters:
  ///   - type: the format of the outer file. Its own errors stay as they are.
  ///   - part: what the inner file is to the outer one: `preview`.
  func named(_ type: ImageType, part: String) -> ImageDecodingError {
    switch self {
    case .corrupt(let inner, let stage, let reason) where inner != type:
      .corrupt(type, stage: "\(part), \(stage)", reason: reason)
    case .truncated(let inner, _) where inner != type: .truncated(type, stage: part)
    case .unsupportedType(let inner, let reason) where inner != type:
      .unsupportedType(type, reason: "its \(part): \(reason)")
    default: self
    }
  }
}

extension Data {
  /// A part of the data, without a copy; positions count from the start, whatever the indices of the data are.
  func part(_ range: Range<Int>) -> Data {
    self[startIndex + range.lowerBound..<startIndex + range.upperBound]
  }
}

extension ImageHeader {
  /// The header of a level of this picture: with the level's size, and with its facts about rows and parts.
  package func level(_ own: ImageHeader) -> ImageHeader {
    var level = self
    level.storedSize = own.storedSize
    level.regionUnit = own.regionUnit
    level.hasParts = own.hasParts
    level.planeLayout = own.planeLayout
    return level
  }
}
