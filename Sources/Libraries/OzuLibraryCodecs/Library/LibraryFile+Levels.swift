import CCodecs
import OzuImaging

/// A smaller rendition of the picture in the same file.
struct LibraryLevel: Hashable, Sendable {
  let size: PixelSize
  /// The place in the file that describes it.
  let place: UInt64

  /// How pixels are stored: the properties that a level must share with its picture.
  struct Storage: Hashable, Sendable {
    private let bits: Int32
    private let flags: [Bool]

    init(_ info: OzuPictureInfo) {
      bits = info.bits
      flags = [info.has_alpha, info.is_gray, info.is_cmyk, info.is_deep, info.is_premultiplied]
    }
  }

  /// The levels that a library has found, the smallest first.
  static func all(of info: OzuPictureInfo) -> [LibraryLevel] {
    withUnsafePointer(to: info) { info in
      (0..<info.pointee.level_count).map { index in
        let level = ozu_picture_level(info, index)
        return LibraryLevel(size: PixelSize(Int(level.width), Int(level.height)), place: level.place)
      }
    }.sorted { $0.size.width < $1.size.width }
  }
}

extension LibraryFile {
  /// The smallest level of a pyramid from which a result may be made.
  ///
  /// It assumes that the reduced images of the file show the same picture in the same colours, and uses the profile
  /// and the orientation of the whole. Everything else is checked: a level must have the proportions of the picture and fewer
  /// pixels (`DecodePlan.mayBegin(at:of:)`), its own header must declare the same size again, and its pixels must
  /// be stored with the same bits, colours and alpha. If a level fails, the next larger one is tried, and at last
  /// the whole.
  func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)? {
    guard let open = library.level else { return nil }
    for level in levels where plan.mayBegin(at: level.size, of: header.storedSize) {
      var library = LibraryDecoder(type: library.type, alpha: library.alpha) { open($0, $1, $2, level.place) }
      library.inspect = self.library.inspect
      let opened = Result { () throws(ImageDecodingError) -> LibraryFile in
        try LibraryFile(data, library: library, limits: limits, cut: nil, partOf: header, isLevel: true)
      }
      guard case .success(let file) = opened, file.header.storedSize == level.size, file.storage == storage
      else { continue }
      return file
    }
    return nil
  }
}

extension ImageHeader {
  /// The header of a level of this picture: with the level's size, and with its facts about rows and parts.
  func level(_ own: ImageHeader) -> ImageHeader {
    var level = self
    level.storedSize = own.storedSize
    level.regionUnit = own.regionUnit
    level.hasParts = own.hasParts
    level.planeLayout = own.planeLayout
    return level
  }
}
