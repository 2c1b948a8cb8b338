import OzuHTTP

/// What a request tells its server of the place for the picture, so that the server can send one that fits: the client
/// hints `Width`, `DPR` and `Save-Data`.
///
/// ```swift
/// var request = ImageURLRequest(url: url)
/// request.hints = ImageClientHints(width: 640, devicePixelRatio: 2)
/// ```
///
/// They tell a server about the device and its user, so none is sent unless it is asked for.
public struct ImageClientHints: Hashable, Sendable {
  /// The width of the place in pixels; `nil` (the default) is not sent.
  public var width: Int?
  /// How many pixels make a point on the screen; `nil` (the default) is not sent.
  public var devicePixelRatio: Double?
  /// Whether the server should send fewer bytes. Off by default.
  public var savesData: Bool

  /// Makes hints.
  public init(width: Int? = nil, devicePixelRatio: Double? = nil, savesData: Bool = false) {
    self.width = width
    self.devicePixelRatio = devicePixelRatio
    self.savesData = savesData
  }

  /// The header fields.
  var fields: [(name: String, value: String)] {
    var fields: [(String, String)] = []
    if let width { fields.append(("Width", String(width))) }
    if let devicePixelRatio {
      let isWhole = devicePixelRatio == devicePixelRatio.rounded() && abs(devicePixelRatio) < 1e9
      fields.append(("DPR", isWhole ? String(Int(devicePixelRatio)) : String(devicePixelRatio)))
    }
    if savesData { fields.append(("Save-Data", "on")) }
    return fields
  }
}
