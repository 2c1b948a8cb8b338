import OzuBase

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

extension ImageType {
  /// The values of PhotometricInterpretation for the pixels of a sensor (DNG 1.7): a colour filter array, and colours
  /// before they are developed.
  package static let sensorPhotometries = [32803, 34892]

  private static let makers: [(name: String, type: ImageType)] = [
    ("NIKON", .nef), ("SONY", .arw), ("PENTAX", .pef), ("RICOH", .pef), ("SAMSUNG", .srw), ("OLYMPUS", .orf),
    ("OM DIGITAL", .orf), ("PANASONIC", .rw2), ("LEICA", .rw2),
  ]

  /// The type of a camera RAW file that begins like a TIFF; `nil` for an ordinary TIFF.
  ///
  /// Files of Nikon, Sony, Pentax and Samsung begin like any TIFF. They name a maker and have a directory with the
  /// pixels of a sensor. Editors write the maker into ordinary TIFFs too, so the maker alone proves nothing.
  ///
  /// - Complexity: O(fields of the first directory) for a file without a maker, else O(fields), which are limited.
  init?(rawWithStructureOfTIFF data: Data) {
    guard let file = TIFFStructure(data), let first = file.directory(at: file.first) else { return nil }
    if first[TIFFStructure.Tag.dngVersion] != nil {
      self = .dng
      return
    }
    // The mark of Phase One and Leaf.
    if [0x4949_4949, 0x4D4D_4D4D].contains(file.number(at: 8, byteCount: 4)) {
      self = .raw
      return
    }
    let make = file.text(of: TIFFStructure.Tag.make, in: first)?.uppercased()
    guard make != nil || file.isSensor(first) else { return nil }
    guard file.directories().contains(where: file.isSensor) || file.lacksItsPicture(first) else { return nil }
    self = Self.makers.first { make?.hasPrefix($0.name) ?? false }?.type ?? .raw
  }
}

extension TIFFStructure {
  /// Whether a directory describes the pixels of a sensor.
  package func isSensor(_ directory: Directory) -> Bool {
    number(of: Tag.photometry, in: directory).map(ImageType.sensorPhotometries.contains) ?? false
  }

  /// Whether the first directory says that it is a smaller form of another picture, and the file ends before the
  /// directory of that one. A camera RAW file that was cut off must not be read as its thumbnail.
  fileprivate func lacksItsPicture(_ first: Directory) -> Bool {
    guard let kind = number(of: Tag.kind, in: first), kind & 1 == 1, let field = first[Tag.subdirectories]
    else { return false }
    let places = positions(of: Tag.subdirectories, in: first)
    return places.count < field.count || places.contains { directory(at: $0) == nil }
  }
}
