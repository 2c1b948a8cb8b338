import Ozu

/// The formats that this build can write, with their names.
enum OutputFormats {
  /// All formats except Ozu's own, which is only for its disk cache.
  private static let types = CodecRegistry.standard.encodableTypes.filter { $0 != .ozuDelta }

  /// Names and endings, grouped by format.
  static let names: [(String, ImageType)] = types.flatMap { type in
    ([type.rawValue] + (aliases[type] ?? [])).map { ($0, type) }
  }

  private static let aliases: [ImageType: [String]] = [.jpeg: ["jpg", "jpe", "jfif"]]

  /// `jpeg, png or webp`.
  static var list: String {
    let names = types.map(\.rawValue)
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// The longest ending that a result can have.
  static let longestEnding = types.map(\.fileExtension).max { $0.utf8.count < $1.utf8.count } ?? ""

  /// The format of an ending in lower case, if it can be written.
  static func type(ofEnding ending: String) -> ImageType? {
    names.first { $0.0 == ending }?.1
  }

  /// The format of an ending in lower case, if it can be written or read.
  static func promisedType(ofEnding ending: String) -> ImageType? {
    type(ofEnding: ending) ?? readableEndings[ending]
  }

  private static let readableEndings: [String: ImageType] = [
    "gif": .gif, "heic": .heic, "heif": .heic, "tiff": .tiff, "tif": .tiff, "bmp": .bmp, "ico": .ico,
    "svg": .svg,
  ].merging(ImageType.cameraRAW.map { ($0.fileExtension, $0) }) { first, _ in first }
}
