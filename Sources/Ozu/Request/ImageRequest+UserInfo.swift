extension ImageRequest {
  /// Names a value that the app attaches to its requests.
  ///
  /// ```swift
  /// extension ImageRequest.UserInfoKey { static let screen: Self = "screen" }
  /// request.userInfo[.screen] = "gallery"
  /// ```
  public struct UserInfoKey: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Makes a key of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a key of a name.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// What the app wants to find again in tasks and responses. The pipeline does not look at it, nor do keys.
  public var userInfo: [UserInfoKey: any Sendable] {
    get { fields.userInfo }
    set { change { $0.userInfo = newValue } }
  }
}
