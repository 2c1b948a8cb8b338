#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageType {
  private static let (makeTag, dngVersionTag) = (271, 50706)

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
    if first[Self.dngVersionTag] != nil {
      self = .dng
      return
    }
    // The mark of Phase One and Leaf.
    if [0x4949_4949, 0x4D4D_4D4D].contains(file.number(at: 8, byteCount: 4)) {
      self = .raw
      return
    }
    let make = file.text(of: Self.makeTag, in: first)?.uppercased()
    guard make != nil || file.isSensor(first) else { return nil }
    guard file.directories().contains(where: file.isSensor) || file.lacksItsPicture(first) else { return nil }
    self = Self.makers.first { make?.hasPrefix($0.name) ?? false }?.type ?? .raw
  }
}

extension TIFFStructure {
  private static let (kind, photometry, subdirectories) = (254, 262, 330)

  /// Whether a directory describes the pixels of a sensor.
  package func isSensor(_ directory: Directory) -> Bool {
    number(of: Self.photometry, in: directory).map(ImageType.sensorPhotometries.contains) ?? false
  }

  /// Whether the first directory says that it is a smaller form of another picture, and the file ends before the
  /// directory of that one. A camera RAW file that was cut off must not be read as its thumbnail.
  fileprivate func lacksItsPicture(_ first: Directory) -> Bool {
    guard let kind = number(of: Self.kind, in: first), kind & 1 == 1, let field = first[Self.subdirectories]
    else { return false }
    let places = positions(of: Self.subdirectories, in: first)
    return places.count < field.count || places.contains { directory(at: $0) == nil }
  }
}
