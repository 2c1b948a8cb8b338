import Foundation

/// What stands beside a finished picture on disk: the header of its source, and what tells whether the source is
/// still the same.
///
/// JSON, so that a person can read what a cache holds. A record of an unknown version is a miss.
struct RenditionRecord: Codable {
  static let currentVersion = 2

  private var version = currentVersion
  private let source: Source?
  let stamp: FileStamp?
  let validity: OriginalValidity?

  /// An `ImageHeader` in a form that stays the same when that type grows.
  private struct Source: Codable {
    let type: String
    let storedWidth: Int
    let storedHeight: Int
    let orientation: Int
    let bitsPerComponent: Int
    let colorModel: String
    let hasAlpha: Bool
    let colorProfileName: String?
    let frameCount: Int
    let isProgressive: Bool
  }

  init(header: ImageHeader?, stamp: FileStamp?, validity: OriginalValidity?) {
    source = header.map {
      Source(
        type: $0.type.rawValue, storedWidth: $0.storedSize.width, storedHeight: $0.storedSize.height,
        orientation: $0.orientation.rawValue, bitsPerComponent: $0.bitsPerComponent,
        colorModel: $0.colorModel.rawValue, hasAlpha: $0.hasAlpha, colorProfileName: $0.colorProfileName,
        frameCount: $0.frameCount, isProgressive: $0.isProgressive)
    }
    self.stamp = stamp
    self.validity = validity
  }

  /// Reads a record; `nil` when it is damaged or of another version.
  init?(_ data: Data) {
    guard let record = try? JSONDecoder().decode(RenditionRecord.self, from: data),
      record.version == Self.currentVersion
    else { return nil }
    self = record
  }

  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }

  /// The header of the source the picture was made from; `nil` when that were pixels.
  var header: ImageHeader? {
    source.map {
      ImageHeader(
        type: ImageType(rawValue: $0.type), storedSize: PixelSize($0.storedWidth, $0.storedHeight),
        orientation: Orientation(rawValue: $0.orientation) ?? .up, bitsPerComponent: $0.bitsPerComponent,
        colorModel: ImageHeader.ColorModel(rawValue: $0.colorModel) ?? .rgb, hasAlpha: $0.hasAlpha,
        colorProfileName: $0.colorProfileName, frameCount: $0.frameCount, isProgressive: $0.isProgressive)
    }
  }
}
