import OzuImaging

/// Finds the previews that Nikon, Olympus, Pentax and Samsung put into their maker notes.
///
/// Maker notes are directories behind a mark of the maker. Models differ in the place from which their offsets count,
/// so each is tried from the note and from the file; the caller keeps those at which a JPEG is.
enum RAWMakerNote {
  /// A JPEG that a note refers to.
  struct Reference: Hashable {
    let offset: Int
    let byteCount: Int
  }

  private struct Layout {
    let mark: StaticString
    /// Where the two letters of the byte order are; `nil` for that of the file.
    let order: Int?
    /// Where offsets count from, in the note; `nil` for the start of the file.
    let start: Int?
    let directory: Int
    /// The tags of the offset and the length of a JPEG.
    var jpeg: (offset: Int, byteCount: Int)?
    /// The tag of a sub-directory, and the tags of a JPEG in it.
    var inner: (tag: Int, offset: Int, byteCount: Int)?
  }

  private static let layouts = [
    Layout(mark: "Nikon\0\u{2}", order: 10, start: 10, directory: 18, inner: (0x11, 0x201, 0x202)),
    Layout(
      mark: "OLYMPUS\0", order: 8, start: 0, directory: 12, jpeg: (0x1036, 0x1037),
      inner: (0x2020, 0x101, 0x102)),
    Layout(mark: "OM SYSTEM\0", order: 12, start: 0, directory: 16, inner: (0x2020, 0x101, 0x102)),
    Layout(
      mark: "OLYMP\0", order: nil, start: nil, directory: 8, jpeg: (0x88, 0x89), inner: (0x2020, 0x101, 0x102)
    ),
    Layout(mark: "AOC\0", order: 4, start: nil, directory: 6, jpeg: (4, 3)),
    Layout(mark: "PENTAX \0", order: 8, start: 0, directory: 10, jpeg: (4, 3)),
  ]
  /// Samsung's note has no mark.
  private static let samsung = Layout(
    mark: "", order: nil, start: 0, directory: 0, inner: (0x35, 0x201, 0x202))

  /// The places that may have a JPEG.
  ///
  /// - Parameter note: where the note is in the data of the file.
  static func jpegs(in note: Range<Int>, of file: TIFFStructure, type: ImageType) -> [Reference] {
    let bytes = file.data.span
    let known = layouts.first { bytes.hasBytes($0.mark, at: note.lowerBound) }
    guard !note.isEmpty, let layout = known ?? (type == .srw ? samsung : nil) else { return [] }
    var isLittleEndian = file.isLittleEndian
    if let order = layout.order {
      if bytes.hasBytes("II", at: note.lowerBound + order) { isLittleEndian = true }
      if bytes.hasBytes("MM", at: note.lowerBound + order) { isLittleEndian = false }
    }
    let starts = Set([file.start, layout.start.map { note.lowerBound + $0 } ?? file.start]).sorted()
    return starts.flatMap { start in
      let maker = TIFFStructure(
        file.data,
        TIFFLayout(
          start: start, first: note.lowerBound + layout.directory, isLittleEndian: isLittleEndian))
      guard let directory = maker.directory(at: maker.first) else { return [Reference]() }
      var found = layout.jpeg.map { references($0, directory, maker, starts) } ?? []
      guard let inner = layout.inner, let field = directory[inner.tag] else { return found }
      // Older notes contain the sub-directory as bytes.
      let places = field.type == 7 ? [field.values.lowerBound] : maker.positions(of: inner.tag, in: directory)
      for place in places.prefix(1) {
        guard let directory = maker.directory(at: place) else { continue }
        found += references((inner.offset, inner.byteCount), directory, maker, starts)
      }
      return found
    }
  }

  private static func references(
    _ tags: (offset: Int, byteCount: Int), _ directory: TIFFStructure.Directory, _ maker: TIFFStructure,
    _ starts: [Int]
  ) -> [Reference] {
    guard let offset = maker.number(of: tags.offset, in: directory),
      let byteCount = maker.number(of: tags.byteCount, in: directory)
    else { return [] }
    let bytes = maker.data.span
    return starts.compactMap { start in
      let position = start.addingReportingOverflow(offset)
      // The start of an image.
      guard !position.overflow, bytes.bigEndian(at: position.partialValue, bytes: 2) == 0xFFD8 else {
        return nil
      }
      return Reference(offset: position.partialValue, byteCount: byteCount)
    }
  }
}
