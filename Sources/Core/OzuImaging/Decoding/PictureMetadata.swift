/// The facts that a camera wrote beside the pixels.
public struct PictureMetadata: Hashable, Sendable {
  /// When the picture was taken, in the notation of EXIF: `2024:05:31 18:20:00`, by the camera's own clock.
  public var captureDate: String?
  /// Maker and model of the camera.
  public var camera: String?
  /// Whether a smaller rendition is embedded.
  public var hasThumbnail: Bool
  /// The model of the lens.
  public var lens: String?
  /// How long the picture was exposed, in seconds.
  public var exposureTime: Double?
  /// The f-number: the focal length divided by the width of the aperture.
  public var fNumber: Double?
  /// The sensitivity by ISO 12232, such as 100.
  public var isoSensitivity: Int?
  /// The focal length, in millimetres.
  public var focalLength: Double?
  /// Whether EXIF data say where the picture was taken. Everybody who gets the file can read it. XMP, which is not read for a
  /// header, may say it too: `MetadataValues.latitude`.
  public var hasPlace = false

  /// Makes metadata.
  public init(captureDate: String? = nil, camera: String? = nil, hasThumbnail: Bool = false) {
    self.captureDate = captureDate
    self.camera = camera
    self.hasThumbnail = hasThumbnail
  }
}
