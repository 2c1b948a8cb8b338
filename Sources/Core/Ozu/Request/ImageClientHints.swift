import OzuBase
import OzuHTTP

/// The client hints `Width`, `DPR` and `Save-Data` of a request, by which a server can send a picture that fits.
///
/// ```swift
/// var request = ImageURLRequest(url: url)
/// request.hints = ImageClientHints(width: 640, devicePixelRatio: 2)
/// ```
///
/// They reveal facts about the device and its user, so none is sent by default.
public struct ImageClientHints: Hashable, Sendable {
  /// The width of the view in pixels; `nil` (the default) is not sent.
  public var width: Int?
  /// The number of pixels per point on the screen; `nil` (the default) is not sent.
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
      fields.append(("DPR", isWhole ? String(Int(clamping: devicePixelRatio)) : String(devicePixelRatio)))
    }
    if savesData { fields.append(("Save-Data", "on")) }
    return fields
  }
}
