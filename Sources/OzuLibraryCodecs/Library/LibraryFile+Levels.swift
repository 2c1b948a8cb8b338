import CCodecs
import OzuImaging

/// A smaller rendition of the picture in the same file.
struct LibraryLevel: Hashable, Sendable {
  let size: PixelSize
  /// Where the file describes it.
  let place: UInt64

  /// How pixels are stored, as far as a level has it in common with its picture.
  struct Storage: Hashable, Sendable {
    private let bits: Int32
    private let flags: [Bool]

    init(_ info: OzuPictureInfo) {
      bits = info.bits
      flags = [info.has_alpha, info.is_gray, info.is_cmyk, info.is_deep, info.is_premultiplied]
    }
  }

  /// Those that a library has found, the smallest first.
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
  /// The file is trusted that what it calls a reduced image shows the same picture, and that its colours are those of the whole,
  /// whose profile and orientation count. It is not trusted with more: a level must have the proportions of the picture and
  /// fewer pixels (`DecodePlan.mayBegin(at:of:)`), its own header must say the same size once more, and its pixels must be stored
  /// with the same bits, colours and alpha. One that fails is passed over, for the next larger and at last the whole.
  func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)? {
    guard let open = library.level else { return nil }
    for level in levels where plan.mayBegin(at: level.size, of: header.storedSize) {
      var library = LibraryDecoder(type: library.type, alpha: library.alpha) { open($0, $1, $2, level.place) }
      library.inspect = self.library.inspect
      let opened = Result { () throws(DecodingError) -> LibraryFile in
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
  /// That of a level of this picture, of which the library says another size, and how rows and parts are had.
  func level(_ own: ImageHeader) -> ImageHeader {
    var level = self
    level.storedSize = own.storedSize
    level.regionUnit = own.regionUnit
    level.hasParts = own.hasParts
    level.planeLayout = own.planeLayout
    return level
  }
}
