/// The facts about a camera RAW file, of which one of the previews is shown: a JPEG that the camera developed.
public struct CameraRAW: Hashable, Sendable {
  /// The size of the camera's own pixels, as stored; `nil` if the file does not declare it.
  public var size: PixelSize?
  /// The sizes of the JPEG previews, as stored, the largest first. The first is the size of the picture.
  public var previewSizes: [PixelSize]
  /// Whether the file ends before one of its previews begins, so that a larger one may be missing.
  public var isCut: Bool

  /// Makes facts.
  public init(size: PixelSize?, previewSizes: [PixelSize], isCut: Bool = false) {
    self.size = size
    self.previewSizes = previewSizes
    self.isCut = isCut
  }

  /// The most previews of a file that are counted.
  package static let mostPreviews = 32
  /// The share by which the proportions of previews may differ: 1616 x 1080 pixels beside 6000 x 4000 are usual.
  package static let largestStretch = 0.01

  /// Why the facts are impossible, in words; `nil` if they are possible.
  var flaw: String? {
    let sizes = previewSizes + [size].compactMap(\.self)
    if let size = sizes.first(where: { $0.width < 0 || $0.height < 0 }) { return "a RAW of \(size) pixels" }
    return previewSizes.count > Self.mostPreviews ? "a RAW with \(previewSizes.count) previews" : nil
  }
}

/// Camera RAW files. Their pictures are the JPEG previews that the camera put into them: the pixels of the sensor are
/// not developed.
extension ImageType {
  /// Adobe's Digital Negative, which many cameras and phones write too.
  public static let dng = ImageType(rawValue: "dng")
  /// Camera RAW of Canon, until 2018.
  public static let cr2 = ImageType(rawValue: "cr2")
  /// Camera RAW of Canon, since 2018.
  public static let cr3 = ImageType(rawValue: "cr3")
  /// Camera RAW of Nikon (also NRW).
  public static let nef = ImageType(rawValue: "nef")
  /// Camera RAW of Sony (also SR2).
  public static let arw = ImageType(rawValue: "arw")
  /// Camera RAW of Fujifilm.
  public static let raf = ImageType(rawValue: "raf")
  /// Camera RAW of Olympus and OM System.
  public static let orf = ImageType(rawValue: "orf")
  /// Camera RAW of Panasonic and Leica (also RWL).
  public static let rw2 = ImageType(rawValue: "rw2")
  /// Camera RAW of Pentax and Ricoh.
  public static let pef = ImageType(rawValue: "pef")
  /// Camera RAW of Samsung.
  public static let srw = ImageType(rawValue: "srw")
  /// Camera RAW of another maker with the structure of TIFF: Hasselblad, Epson, Kodak, Mamiya, Leaf, Phase One.
  public static let raw = ImageType(rawValue: "raw")

  /// The types of camera RAW files.
  public static let cameraRAW: [ImageType] = ImageFormat.table.filter(\.isCameraRAW).map(\.type)
}
