import Foundation
import OzuBase

/// The cache of thumbnails that programs of a desktop share (freedesktop.org, Thumbnail Managing Standard): PNG files named
/// by the digest of their picture's address, readable only for their owner.
struct ThumbnailCache: Sendable {
  /// A file that the cache may have thumbnails of.
  struct Original: Hashable, Sendable {
    /// The address of the file, from `FileAddress`.
    let address: String
    /// When the file was changed, in whole seconds since 1970.
    let modified: Int
    let byteCount: Int
  }

  /// The folder `thumbnails`.
  let folder: String
  /// The name and the version of the program, for the folder of its failures.
  let program: String

  /// The folder of the user: `thumbnails` in `$XDG_CACHE_HOME`, else in `.cache` of the home folder.
  static func standardFolder(_ environment: [String: String]) -> String {
    if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache + "/thumbnails" }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (home ?? NSHomeDirectory()) + "/.cache/thumbnails"
  }

  /// Where the thumbnail of an original is.
  func path(of original: Original, _ size: ThumbnailSize) -> String {
    "\(folder)/\(size.rawValue)/\(Self.name(of: original))"
  }

  private func failurePath(of original: Original) -> String {
    "\(folder)/fail/\(program)/\(Self.name(of: original))"
  }

  private static func name(of original: Original) -> String {
    MD5.hexadecimal(original.address.utf8) + ".png"
  }

  /// Whether the thumbnail is there and the original has not changed since.
  func hasThumbnail(of original: Original, _ size: ThumbnailSize) -> Bool {
    isValid(path(of: original, size), original)
  }

  /// Whether this version has failed to make a thumbnail of the original as it is.
  func hasFailed(_ original: Original) -> Bool { isValid(failurePath(of: original), original) }

  private func isValid(_ path: String, _ original: Original) -> Bool {
    guard let data = FileManager.default.contents(atPath: path) else { return false }
    let texts = PNGTexts.texts(of: data)
    return texts["Thumb::URI"] == original.address && texts["Thumb::MTime"] == "\(original.modified)"
  }

  /// The texts that identify the original in its thumbnail.
  static func texts(of original: Original) -> [(key: String, value: String)] {
    [
      ("Thumb::URI", original.address), ("Thumb::MTime", "\(original.modified)"),
      ("Thumb::Size", "\(original.byteCount)"), ("Software", "Ozu \(Version.current)"),
    ]
  }

  /// Stores a thumbnail, completely or not at all.
  ///
  /// - Parameter png: with its texts.
  func store(_ png: Data, of original: Original, _ size: ThumbnailSize) throws(OutputError) {
    try write(png, to: path(of: original, size))
  }

  /// Remembers that no thumbnail can be made of the original.
  func storeFailure(of original: Original) throws(OutputError) {
    let png = PNGTexts.adding(Self.texts(of: original), to: Self.emptyPicture)
    try write(png, to: failurePath(of: original))
  }

  private func write(_ png: Data, to path: String) throws(OutputError) {
    do throws(SystemError) {
      try Self.makeFolder(OutputFile.folder(of: path))
      try FileReplacement(path: path, old: nil, isDurable: false, permissions: 0o600).write(png)
    } catch {
      throw OutputError(path, code: error.code, writing: png.count)
    }
  }

  /// Makes a folder that only its owner may use, and the missing folders above it.
  private static func makeFolder(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/" else { throw SystemError(code: errno) }
    try makeFolder(OutputFile.folder(of: path))
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw SystemError(code: errno) }
  }

  /// A PNG of one transparent pixel: the record of a failure needs only its texts.
  private static let emptyPicture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==")!
}

/// A size of the shared cache of thumbnails, named as its folder.
enum ThumbnailSize: String, CaseIterable, Sendable {
  case normal
  case large
  case extraLarge = "x-large"
  case twiceExtraLarge = "xx-large"

  /// The longest side, in pixels.
  var side: Int {
    switch self {
    case .normal: 128
    case .large: 256
    case .extraLarge: 512
    case .twiceExtraLarge: 1024
    }
  }
}
