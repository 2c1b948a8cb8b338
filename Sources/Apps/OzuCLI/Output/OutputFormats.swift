import Foundation
import Ozu

/// The formats that this build can write, with their names.
enum OutputFormats {
  /// All formats except Ozu's own, which is only for its disk cache.
  static let types = CodecRegistry.standard.encodableTypes.filter { $0 != .ozuDelta }

  /// The type itself if it can be written.
  static func written(_ type: ImageType) -> ImageType? { types.contains(type) ? type : nil }

  /// Names and endings, grouped by format.
  static let names: [(String, ImageType)] = types.flatMap { type in
    ([type.rawValue] + ImageFormat.of(type).endings.filter { $0 != type.rawValue }).map { ($0, type) }
  }

  /// `jpeg, png or webp`.
  static var list: String {
    let names = types.map(\.rawValue)
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Throws for a format that can be read and not written, and is no misspelt name of another one.
  static func refuseReadOnly(_ name: some StringProtocol, of option: String) throws(UsageError) {
    guard let format = ImageFormat.ofEnding(name.lowercased()), written(format.type) == nil else { return }
    throw UsageError(
      "--\(option) \(name): \(format.type.displayName) can be read and not written",
      hint: "It can be \(list).")
  }

  /// The longest ending that a result can have.
  static let longestEnding = types.map(\.fileExtension).max { $0.utf8.count < $1.utf8.count } ?? ""

  /// The format of an ending, if it can be written.
  static func type(ofEnding ending: String) -> ImageType? {
    let ending = ending.lowercased()
    return names.first { $0.0 == ending }?.1
  }

  /// The format of an ending, if it can be written or read.
  static func promisedType(ofEnding ending: String) -> ImageType? {
    type(ofEnding: ending) ?? ImageFormat.ofEnding(ending.lowercased())?.type
  }

  /// The ending of a name, if it is that of another format.
  static func otherEnding(of path: String, than type: ImageType) -> String? {
    let ending = URL(fileURLWithPath: path).pathExtension
    guard let promised = promisedType(ofEnding: ending), promised != type else { return nil }
    return ending
  }
}
