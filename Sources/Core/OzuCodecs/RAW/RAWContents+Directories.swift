import OzuBase
import OzuImaging

/// Camera RAW files with the structure of TIFF: those of all makers except Fujifilm, and of Canon's CR3.
extension RAWContents {
  private enum Tag {
    static let (width, height, compression, stripOffsets, stripByteCounts) = (256, 257, 259, 273, 279)
    static let (tileOffsets, tileByteCounts, sharedTables) = (324, 325, 347)
    static let (orientation, jpegOffset, jpegByteCount) = (274, 513, 514)
    static let (xmp, makerNote) = (700, 37500)
    /// Of Panasonic: the edges of the picture on the sensor, and two JPEGs.
    static let (top, left, bottom, right, jpegs) = (4, 5, 6, 7, [0x2E, 0x127])
    /// Of Panasonic: the sensitivity by ISO, which its EXIF directory lacks.
    static let sensitivity = 0x17
  }

  /// The values of Compression that say JPEG (TIFF 6.0 §22, and its supplement).
  private static let jpegCompressions = [6, 7]

  mutating func readDirectories(_ data: Data, type: ImageType) {
    guard let file = TIFFStructure(data), let first = file.directory(at: file.first) else {
      isCut = true
      return
    }
    isCut = file.lacksDirectories
    let details = file.positions(of: EXIFTag.details, in: first).first.flatMap(file.directory)
    let place = file.positions(of: EXIFTag.place, in: first).first.flatMap(file.directory)
    for directory in file.directories() {
      if file.isSensor(directory) {
        let own = file.size(directory, Tag.width, Tag.height)
        if let own, own.pixelCount > size?.pixelCount ?? 0 { size = own }
        continue
      }
      // The first and the second directory have thumbnails. In CR2, the first has the picture.
      let isThumbnail =
        directory.position == first.next || directory.position == first.position && type != .cr2
      addJPEGs(of: directory, in: file, isForThumbnail: isThumbnail)
    }
    if type == .rw2 { readPanasonic(first, in: file) }
    if let note = details?[Tag.makerNote] {
      // The places of previews in it are missing.
      if note.values.isEmpty, note.count > 0 { isCut = true }
      for pair in RAWMakerNote.jpegs(in: note.values, of: file, type: type) {
        add(pair.offset, byteCount: pair.byteCount, in: data)
      }
    }
    let detailed = details.flatMap { file.size($0, EXIFTag.width, EXIFTag.height) }
    // Old files of Olympus and Pentax do not say that their pixels are those of a sensor.
    let plain = [.orf, .pef].contains(type) ? file.size(first, Tag.width, Tag.height) : nil
    size = size ?? plain ?? detailed
    orientation = file.number(of: Tag.orientation, in: first).flatMap(Orientation.init(rawValue:))
    xmp = first[Tag.xmp]?.values
    exif =
      EXIFBlock(
        picture: (file, first), details: details.map { (file, $0) }, place: place.map { (file, $0) },
        sensitivityTag: type == .rw2 ? Tag.sensitivity : nil
      ).dataUnlessEmpty
  }

  private mutating func addJPEGs(
    of directory: TIFFStructure.Directory, in file: TIFFStructure, isForThumbnail: Bool
  ) {
    if let offset = file.positions(of: Tag.jpegOffset, in: directory).first,
      let byteCount = file.number(of: Tag.jpegByteCount, in: directory)
    {
      add(offset, byteCount: byteCount, in: file.data, isForThumbnail: isForThumbnail)
    }
    guard let compression = file.number(of: Tag.compression, in: directory),
      Self.jpegCompressions.contains(compression), directory[Tag.sharedTables] == nil
    else { return }
    // A picture in several strips or tiles is not one JPEG.
    for (offsets, byteCounts) in [
      (Tag.stripOffsets, Tag.stripByteCounts), (Tag.tileOffsets, Tag.tileByteCounts),
    ] where directory[offsets]?.count == 1 {
      guard let offset = file.positions(of: offsets, in: directory).first,
        let byteCount = file.number(of: byteCounts, in: directory)
      else { continue }
      add(offset, byteCount: byteCount, in: file.data, isForThumbnail: isForThumbnail)
    }
  }

  private mutating func readPanasonic(_ first: TIFFStructure.Directory, in file: TIFFStructure) {
    for field in Tag.jpegs.compactMap({ first[$0] }) {
      if field.values.isEmpty {
        isCut = true
      } else {
        add(field.values.lowerBound, byteCount: field.values.count, in: file.data)
      }
    }
    guard let top = file.number(of: Tag.top, in: first), let left = file.number(of: Tag.left, in: first),
      let bottom = file.number(of: Tag.bottom, in: first), let right = file.number(of: Tag.right, in: first),
      right > left, bottom > top
    else { return }
    size = PixelSize(right - left, bottom - top)
  }
}

extension TIFFStructure {
  func size(_ directory: Directory, _ width: Int, _ height: Int) -> PixelSize? {
    guard let width = number(of: width, in: directory), let height = number(of: height, in: directory),
      1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height
    else { return nil }
    return PixelSize(width, height)
  }
}

extension EXIFBlock {
  typealias Part = (file: TIFFStructure, directory: TIFFStructure.Directory)

  /// The most bytes of the values of each part.
  private static let largestPart = ImageMetadata.largestBlock / 3

  /// The values of a camera RAW file. A part in another byte order than the first is left out.
  ///
  /// - Parameter sensitivityTag: a tag of the maker in the first directory, for files whose details have no sensitivity by ISO.
  init(picture: Part, details: Part?, place: Part?, sensitivityTag: Int? = nil) {
    self.init(order: picture.file.isLittleEndian ? .littleEndian : .bigEndian)
    self.picture = Self.entries(picture, like: picture) { EXIFTag.picture.contains($0) }
    self.details = Self.entries(details, like: picture) { !EXIFTag.uncopiedDetails.contains($0) }
    self.place = Self.entries(place, like: picture) { _ in true }
    if !self.details.contains(where: { $0.tag == EXIFTag.sensitivity }) {
      self.details += Self.entries(picture, like: picture) { $0 == sensitivityTag }
        .map { $0.withTag(EXIFTag.sensitivity) }
    }
  }

  private init(order: EXIFByteOrder) {
    self.order = order
    (picture, details, place) = ([], [], [])
  }

  private static func entries(_ part: Part?, like picture: Part, where isWanted: (Int) -> Bool) -> [EXIFEntry]
  {
    guard let part, part.file.isLittleEndian == picture.file.isLittleEndian else { return [] }
    var seen: Set<Int> = []
    // Many fields may refer to the same bytes.
    var rest = largestPart
    return part.directory.fields.compactMap { field in
      guard isWanted(field.tag), TIFFLayout.width(ofType: field.type) != nil, !field.values.isEmpty,
        field.values.count + 12 <= rest, seen.insert(field.tag).inserted
      else { return nil }
      rest -= field.values.count + 12
      return EXIFEntry(
        tag: field.tag, type: field.type, count: field.count, bytes: part.file.bytes(field.values),
        position: field.values.count <= 4 ? nil : field.values.lowerBound - part.file.start)
    }
  }

  var dataUnlessEmpty: Data? { isEmpty ? nil : Data(serialized()) }
}

/// Finds the previews that Nikon, Olympus, Pentax and Samsung put into their maker notes.
///
/// Maker notes are directories behind a mark of the maker. Models differ in the place from which their offsets count,
/// so each is tried from the note and from the file; the caller keeps those at which a JPEG is.
enum RAWMakerNote {
  typealias Reference = (offset: Int, byteCount: Int)

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
    return starts.compactMap { start -> Reference? in
      let position = start.addingReportingOverflow(offset)
      // The start of an image.
      guard !position.overflow, bytes.bigEndian(at: position.partialValue, bytes: 2) == 0xFFD8 else {
        return nil
      }
      return (position.partialValue, byteCount)
    }
  }
}
