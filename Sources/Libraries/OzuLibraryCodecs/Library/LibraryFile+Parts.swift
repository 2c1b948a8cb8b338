import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

extension LibraryFile {
  func decode(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    guard let file = try part(cut, of: plan, context) else {
      throw .corrupt(header.type, stage: "header", reason: "it has no part at \(cut)")
    }
    return try file.decode(plan.onCut, context: context)
  }

  /// The file of a part: the same bytes, from which the library decodes only the part, or the tiles of a grid in a
  /// file of their own. `nil` if the plan was made for another file.
  func part(
    _ cut: PixelRectangle, of plan: DecodePlan, _ context: DecodingContext
  ) throws(ImageDecodingError) -> LibraryFile? {
    guard let grid else {
      return try LibraryFile(data, library: library, limits: context.limits, cut: cut, partOf: header)
    }
    let byteCount = plan.byteCount.saturatingSum(grid.byteCount(of: cut))
    try context.limits.checkDecodedByteCount(byteCount)
    try context.reserve(atLeast: byteCount)
    guard let bytes = grid.file(of: cut, in: data) else { return nil }
    return try LibraryFile(bytes, library: library, limits: context.limits, partOf: header)
  }

  /// The library's own memory for a part, computed from the memory for the whole: in proportion to the pixels, or
  /// to the columns.
  func scratch(_ whole: Int, perColumn: Int, of cut: PixelRectangle) -> Int {
    guard let grid else {
      return whole - perColumn.saturatingProduct(header.storedSize.width - cut.size.width)
    }
    // The tiles, and the picture that they are copied into, which may have fewer pixels than the tiles.
    let unit = grid.tileSize
    let tiles = PixelSize(
      (cut.size.width + unit.width - 1) / unit.width * unit.width,
      (cut.size.height + unit.height - 1) / unit.height * unit.height)
    return (whole / max(1, header.storedSize.pixelCount))
      .saturatingProduct(cut.size.pixelCount.saturatingSum(tiles.pixelCount))
  }
}

extension HEIFGrid {
  /// The grid of a header's file; `nil` if the library crops the picture.
  init?(_ file: Span<UInt8>, of header: ImageHeader) {
    self.init(file, turnsPictures: header.type == .heic)
    guard turnedSize == header.storedSize else { return nil }
  }
}

extension ImageHeader {
  func part(of size: PixelSize) -> ImageHeader {
    var part = self
    part.storedSize = size
    part.regionUnit = nil
    part.hasParts = false
    part.planeLayout = nil
    return part
  }
}

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
      var library = LibraryDecoder(type: library.type) { open($0, $1, $2, level.place) }
      library.inspect = self.library.inspect
      let opened = Result { () throws(ImageDecodingError) -> LibraryFile in
        try LibraryFile(data, library: library, limits: limits, partOf: header, isLevel: true)
      }
      guard case .success(let file) = opened, file.header.storedSize == level.size, file.storage == storage
      else { continue }
      return file
    }
    return nil
  }
}
