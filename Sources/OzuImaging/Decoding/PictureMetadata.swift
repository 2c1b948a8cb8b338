/// What a camera wrote beside the pixels.
public struct PictureMetadata: Hashable, Sendable {
  /// When the picture was taken, in the words of EXIF: `2024:05:31 18:20:00`, by the camera's own clock.
  public var captureDate: String?
  /// Maker and model of the camera.
  public var camera: String?
  /// Whether a smaller rendition is embedded.
  public var hasThumbnail: Bool

  /// Makes metadata.
  public init(captureDate: String? = nil, camera: String? = nil, hasThumbnail: Bool = false) {
    self.captureDate = captureDate
    self.camera = camera
    self.hasThumbnail = hasThumbnail
  }
}
