import Foundation
import OzuBase
import OzuCodecs

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
      // Only their owner may use them.
      try OutputFile.makeFolder(OutputFile.folder(of: path), 0o700)
      try FileReplacement(path: path, old: nil, isDurable: false, permissions: 0o600).write(png)
    } catch {
      throw OutputError(path, code: error.code, writing: png.count)
    }
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

/// Texts that a PNG carries (`tEXt`): a key and a value each.
enum PNGTexts {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The signature, and the chunk that must be the first (IHDR).
  private static let headByteCount = 33

  /// A PNG with texts after its first chunk.
  ///
  /// - Parameter texts: in Latin-1, as the format requires; other characters become `?`. Keys have 79 characters at most.
  /// - Precondition: `png` is a PNG.
  static func adding(_ texts: [(key: String, value: String)], to png: Data) -> Data {
    precondition(png.starts(with: signature) && png.count >= headByteCount, "texts are added to a PNG")
    var result = Data(png.prefix(headByteCount))
    for text in texts {
      result.append(contentsOf: PNGChunk.bytes("tEXt", latin(text.key) + [0] + latin(text.value)))
    }
    return result + png.dropFirst(headByteCount)
  }

  /// The texts of a PNG that are before its pixels. A truncated file has those before its end, a file of another format none.
  static func texts(of png: Data) -> [String: String] {
    let bytes = [UInt8](png)
    guard bytes.starts(with: signature) else { return [:] }
    var texts: [String: String] = [:]
    var position = signature.count
    while position + 8 <= bytes.count {
      let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let kind = bytes[position + 4..<position + 8]
      let end = position + 8 + length
      guard end + 4 <= bytes.count, !kind.elementsEqual("IDAT".utf8) else { break }
      let content = bytes[position + 8..<end]
      if kind.elementsEqual("tEXt".utf8), let zero = content.firstIndex(of: 0) {
        texts[text(content[..<zero])] = text(content[(zero + 1)...])
      }
      position = end + 4
    }
    return texts
  }

  private static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { $0.value > 0 && $0.value < 256 ? UInt8($0.value) : UInt8(ascii: "?") }
  }

  private static func text(_ latin: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(latin.map { Unicode.Scalar($0) }))
  }
}
