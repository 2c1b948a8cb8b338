import OzuCodecs
import OzuImaging

extension LibraryFile {
  /// Makes the result out of a part of the file, or of the whole where none can be cut out.
  func render(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    if let file = try part(cut, of: plan, context) { return try file.render(plan.onCut, context: context) }
    let plan = plan.uncut(of: self, context)
    try context.limits.checkDecodedByteCount(plan.byteCount)
    try context.reserve(atLeast: plan.byteCount)
    return try render(plan, context: context)
  }

  /// The pixels of a part.
  func decode(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    guard let file = try part(cut, of: plan, context) else {
      throw .corrupt(header.type, stage: "header", reason: "it has no part at \(cut)")
    }
    return try file.decode(plan.onCut, context: context)
  }

  /// The file of a part: the same bytes, of which the library decodes no more, or the tiles of a grid in a file of their own.
  /// `nil` where a plan was made for another file.
  func part(
    _ cut: PixelRectangle, of plan: DecodePlan, _ context: DecodingContext
  ) throws(DecodingError) -> LibraryFile? {
    guard let grid else {
      return try LibraryFile(data, library: library, limits: context.limits, cut: cut, partOf: header)
    }
    let byteCount = plan.byteCount.saturatingSum(grid.byteCount(of: cut))
    try context.limits.checkDecodedByteCount(byteCount)
    try context.reserve(atLeast: byteCount)
    guard let bytes = grid.file(of: cut, in: data) else { return nil }
    return try LibraryFile(bytes, library: library, limits: context.limits, cut: nil, partOf: header)
  }

  /// What a part takes of the library's own memory, of what the whole takes: that of each pixel, or of each column.
  func scratch(_ whole: Int, perColumn: Int, of cut: PixelRectangle) -> Int {
    guard grid != nil else {
      return whole - perColumn.saturatingProduct(header.storedSize.width - cut.size.width)
    }
    // Tiles, and the picture that they are put into, which may have fewer pixels than they.
    let tiles = header.regionUnit.map { unit in
      PixelSize(
        (cut.size.width + unit.width - 1) / unit.width * unit.width,
        (cut.size.height + unit.height - 1) / unit.height * unit.height)
    }
    return whole / max(1, header.storedSize.pixelCount)
      * (cut.size.pixelCount + (tiles?.pixelCount ?? cut.size.pixelCount))
  }
}

extension HEIFGrid {
  /// The grid that a header is of; `nil` where the library turns or cuts it.
  init?(_ file: Span<UInt8>, of header: ImageHeader) {
    self.init(file, turnsPictures: header.type == .heic)
    guard size == header.storedSize else { return nil }
  }
}

extension ImageHeader {
  /// That of a part of the picture.
  func part(of size: PixelSize) -> ImageHeader {
    var part = self
    part.storedSize = size
    part.regionUnit = nil
    part.hasParts = false
    part.planeLayout = nil
    return part
  }
}
