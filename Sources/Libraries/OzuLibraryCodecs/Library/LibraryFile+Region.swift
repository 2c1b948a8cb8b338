import OzuBase
import OzuCodecs
import OzuImaging

extension LibraryFile {
  /// Makes the result from a part of the file, or from the whole file if no part can be cut out.
  func render(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    if let file = try part(cut, of: plan, context) { return try file.render(plan.onCut, context: context) }
    return try renderUncut(plan, context: context)
  }

  /// The pixels of a part.
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
    return try LibraryFile(bytes, library: library, limits: context.limits, cut: nil, partOf: header)
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
  /// The header of a part of the picture.
  func part(of size: PixelSize) -> ImageHeader {
    var part = self
    part.storedSize = size
    part.regionUnit = nil
    part.hasParts = false
    part.planeLayout = nil
    return part
  }
}
