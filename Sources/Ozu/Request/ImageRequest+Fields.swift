import Foundation
import OzuHTTP

extension ImageRequest {
  /// The storage that copies share. Immutable.
  final class Shared: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  /// The fields of a request.
  struct Fields: Sendable {
    var source: ImageSource
    var sourceKey: String
    var hasOwnKey: Bool
    var recipe: Recipe
    var scale = 1.0
    var deadline: Duration?
    var httpPolicy: HTTPCachePolicy?
    var storagePolicy: StoragePolicy?
    var acceptance: ImageAcceptance?
    var alternatives: [ImageSource] = []
    var lowDataSource: ImageSource? { didSet { hasLowDataSource = lowDataSource != nil } }
    /// Stored separately, because reading a source copies it.
    private(set) var hasLowDataSource = false
    var userInfo: [UserInfoKey: any Sendable] = [:]

    var key: ImageKey { recipe.key(of: source.cacheKey(for: sourceKey)) }

    var needsNoAdjustment: Bool { recipe.format == nil && scale == 1 && !source.isLocalFile }

    var isOnWeb: Bool {
      switch source {
      case .url(let url): url.isPlainWebAddress
      case .request(let request): request.url.isPlainWebAddress
      default: false
      }
    }
  }
}

extension URL {
  /// Whether it is an HTTP URL with only a host before its path: no user, no port. Parsed from the text, because
  /// asking a `URL` for its parts costs as much as starting a load.
  fileprivate var isPlainWebAddress: Bool {
    var text = absoluteString
    return text.withUTF8 { bytes in
      guard let slashes = bytes.firstIndex(of: UInt8(ascii: "/")), slashes + 2 < bytes.count,
        bytes[..<slashes].elementsEqual("https:".utf8) || bytes[..<slashes].elementsEqual("http:".utf8),
        bytes[slashes + 1] == UInt8(ascii: "/")
      else { return false }
      var byteCount = 0
      for byte in bytes[(slashes + 2)...] {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
          UInt8(ascii: "."):
          byteCount += 1
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return byteCount > 0
        default: return false
        }
      }
      return byteCount > 0
    }
  }
}
