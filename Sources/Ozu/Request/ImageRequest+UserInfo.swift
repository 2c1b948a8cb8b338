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
