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

    var needsNoAdjustment: Bool { recipe.parts.format == nil && scale == 1 && !source.isLocalFile }
  }
}

extension ImageRequest {
  /// The key of a value that the app attaches to its requests.
  ///
  /// ```swift
  /// extension ImageRequest.UserInfoKey { static let screen: Self = "screen" }
  /// request.userInfo[.screen] = "gallery"
  /// ```
  public struct UserInfoKey: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Makes a key from a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a key from a name.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// Values that the app finds again in tasks and responses. The pipeline does not read them, and they are not part
  /// of keys.
  public var userInfo: [UserInfoKey: any Sendable] {
    get { fields.userInfo }
    set { change { $0.userInfo = newValue } }
  }
}
