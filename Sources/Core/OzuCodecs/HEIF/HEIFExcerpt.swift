import OzuBase
import OzuImaging

/// The file that a library reads instead of a HEIF or AVIF file: the picture with its tiles, its alpha, its EXIF data
/// and its XMP, as the tables `ipma`, `iref` and `iloc` of the file bind them together, and nothing else.
///
/// So a library meets none of what else is in the file: thumbnails, gain maps, depth, mattes, groups and items that only
/// their maker knows. libheif before 1.18 refuses files in which metadata or an auxiliary picture refers to two
/// items, as those of iPhones have since iOS 18; libavif 0.11 binds such an item to the last of them; and both
/// depend on the order of tables and properties (see `HEIFExcerptWriter`).
package struct HEIFExcerpt {
  /// Grids of grids and the like have no more levels than these.
  private static let deepest = 8
  /// The most bytes of EXIF data or XMP: the limit of `ImageMetadata`.
  private static let largestBlock = 4 << 20

  private let file: Data
  private let type: ImageType
  private let items: HEIFItems
  private let primary: Int
  private let kinds: [Int: HEIFItems.Item]
  /// The items that each refers to, and those that refer to each, by the kind of the reference.
  private let sources: [Int: [[Int]]]
  private let referring: [BoxName: [Int: [Int]]]
  /// Whether a video is behind the picture: a motion photo, or the tracks of a live one.
  private let hasVideo: Bool
  private var writer: HEIFExcerptWriter

  /// The file with the picture; `nil` if its tables do not describe all of it. The library then gets the whole file,
  /// and says what is wrong with it.
  ///
  /// - Parameter boxes: properties that the picture gets too. Readers may ignore them.
  package func picture(adding boxes: [(name: BoxName, content: [UInt8])] = []) -> Data? {
    var excerpt = self
    return excerpt.file(of: primary, adding: boxes)
  }

  package var hasThumbnail: Bool { thumbnailItem != nil }

  /// The other contents of the file, which are not shown, in words. `nil` if there are none.
  package var remainder: String? {
    var contents = OtherContents()
    for item in referring("auxl", to: primary) {
      if let purpose = purpose(of: item) { contents.add(purpose: purpose) }
    }
    if hasVideo { contents.add("a video") }
    // Pictures that nothing refers to, and that are not hidden.
    var bound: Set<Int> = [primary]
    for parts in sources.values.joined() { bound.formUnion(parts) }
    for kind in ["auxl", "thmb"] as [BoxName] {
      for items in (referring[kind] ?? [:]).values { bound.formUnion(items) }
    }
    for item in items.items where Self.pictures.contains(item.kind) && !bound.contains(item.id) {
      if (file.span.byte(at: item.flagsOffset) ?? 0) & 1 == 0 { contents.pictureCount += 1 }
    }
    return contents.note
  }

  private static let pictures: Set<BoxName> = ["hvc1", "av01", "grid", "iovl", "iden", "jpeg", "unci"]

  private func purpose(of item: Int) -> String? {
    items.properties(of: item).first { $0.name == "auxC" }.map { box in
      let content = box.fullContent
      return String(
        decoding: file.span.copy(from: content.lowerBound, byteCount: min(content.count, 256)), as: UTF8.self)
    }
  }

  /// The file with the first thumbnail as its picture; `nil` if there is none, or one that shows something else than
  /// the picture, because it is turned or cropped in another way.
  package func thumbnail() -> Data? {
    guard let item = thumbnailItem,
      items.area(of: item, file.span).isClose(to: items.area(of: primary, file.span))
    else { return nil }
    var excerpt = self
    return excerpt.file(of: item)
  }

  /// The thumbnail that libheif takes: that with the lowest number.
  private var thumbnailItem: Int? {
    referring("thmb", to: primary).filter { kinds[$0] != nil && $0 != primary }.min()
  }

  /// Reads the tables; `nil` if readers could differ in what they say.
  package init?(_ file: Data, type: ImageType) {
    let bytes = file.span
    let list = HEIFBoxList(bytes, in: 0..<bytes.count)
    guard let brands = list.first("ftyp"), let meta = list.first("meta") else { return nil }
    // libavif plays the tracks; libheif reads the picture alone.
    if type == .avif, list.first("moov") != nil { return nil }
    let boxes = HEIFBoxList(bytes, in: meta.fullContent)
    guard let handler = boxes.first("hdlr"), bytes.hasBytes("pict", at: handler.content.lowerBound + 8) else {
      return nil
    }
    let items = HEIFItems(bytes, meta: boxes)
    guard let primary = items.primary?.id else { return nil }
    kinds = Dictionary(items.items.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    // Libraries differ in which of two items of one number they take.
    guard kinds.count == items.items.count else { return nil }
    var sources: [Int: [[Int]]] = [:]
    var referring: [BoxName: [Int: [Int]]] = [:]
    for reference in items.references(bytes) {
      if reference.kind == "dimg" {
        sources[reference.from, default: []].append(reference.to)
      } else {
        for item in reference.to {
          referring[reference.kind, default: [:]][item, default: []].append(reference.from)
        }
      }
    }
    self.file = file
    self.type = type
    hasVideo = list.first("mpvd") != nil || list.first("moov") != nil
    self.items = items
    self.primary = primary
    self.sources = sources
    self.referring = referring
    writer = HEIFExcerptWriter(file, type: brands.content)
  }

  private func referring(_ kind: BoxName, to item: Int) -> [Int] { referring[kind]?[item] ?? [] }

  private mutating func file(
    of primary: Int, adding boxes: [(name: BoxName, content: [UInt8])] = []
  ) -> Data? {
    guard let picture = add(primary, depth: 0) else { return nil }
    for box in boxes { writer.add(property: box.name, box.content, to: picture) }
    addMetadata(of: primary, to: picture)
    // Parts that overlap could make it much longer than the file.
    guard writer.contentCount <= file.count.saturatingSum(1 << 16) else { return nil }
    return writer.file(primary: picture)
  }

  /// Adds a picture with what it is made of, and returns its number; `nil` if that is not possible.
  private mutating func add(_ id: Int, depth: Int, isAlpha: Bool = false) -> Int? {
    guard depth < Self.deepest, writer.itemCount < HEIFTables.mostEntries, let item = kinds[id],
      let content = content(of: id)
    else { return nil }
    let isDerived = ["grid", "iovl", "iden"].contains(item.kind)
    let sources = sources[id] ?? []
    guard sources.count == (isDerived ? 1 : 0) else { return nil }
    var parts: [Int] = []
    for source in sources.first ?? [] {
      guard let part = add(source, depth: depth + 1) else { return nil }
      parts.append(part)
    }
    guard let properties = properties(of: id) else { return nil }
    let number = writer.add(kind: item.kind, content: content, properties: properties, isHidden: depth > 0)
    if isDerived { writer.refer("dimg", from: number, to: parts) }
    for other in isAlpha ? [] : referring("auxl", to: id) where items.isAlpha(file.span, other) {
      guard let alpha = add(other, depth: depth + 1, isAlpha: true) else { return nil }
      writer.refer("auxl", from: alpha, to: [number])
      if referring("prem", to: other).contains(id) { writer.refer("prem", from: number, to: [alpha]) }
    }
    return number
  }

  /// The bytes of an item; `nil` if readers could differ in where they are.
  private func content(of id: Int) -> HEIFExcerptWriter.Content? {
    switch items.location(of: id) {
    case .parts(let parts): .parts(parts)
    case .absent: HEIFExcerptWriter.Content.none
    // libavif reads the header of a file that is cut off, if it finds the beginning of the picture.
    case .beyond: type == .avif ? nil : .beyond
    case .invalid: nil
    }
  }

  /// The properties of a picture; `nil` if the library has to judge them.
  private func properties(of id: Int) -> [HEIFItems.Property]? {
    let properties = items.bindings(of: id)
    guard type == .avif else { return properties }
    // A crop that readers may leave out makes two pictures of one file. The standard requires it to be essential
    // (ISO/IEC 23000-22 §7.3.9), and libavif refuses the file, and with it avifdec and Chrome.
    if properties.contains(where: { $0.box.name == "clap" && !$0.isEssential }) { return nil }
    // The order in which AVIF is cropped and turned is fixed (ISO/IEC 23000-22 §7.3.6.7).
    return ["clap", "irot", "imir"].reduce(properties.filter { !HEIFItems.transforms.contains($0.box.name) })
    {
      (ordered: [HEIFItems.Property], name: BoxName) in
      ordered + properties.filter { $0.box.name == name }
    }
  }

  /// Adds the first block of EXIF data and the first of XMP.
  private mutating func addMetadata(of id: Int, to picture: Int) {
    let blocks = referring("cdsc", to: id).sorted().compactMap { kinds[$0] }
    let exif = blocks.first { $0.kind == "Exif" }
    let xmp = blocks.first { $0.kind == "mime" && isXMP($0) }
    for block in [exif, xmp] {
      guard let block, let content = content(of: block.id), content != .none,
        content.byteCount <= Self.largestBlock
      else { continue }
      let number = writer.add(
        kind: block.kind, names: block.names, content: content, properties: [], isHidden: true)
      writer.refer("cdsc", from: number, to: [picture])
    }
  }

  /// Whether a block of the kind `mime` is XMP: its name ends with a zero, and then comes the type of its content.
  private func isXMP(_ item: HEIFItems.Item) -> Bool {
    let names = file.span.copy(from: item.names.lowerBound, byteCount: min(item.names.count, 1024))
    guard let end = names.firstIndex(of: 0) else { return false }
    return names.dropFirst(end + 1).starts(with: Array("application/rdf+xml".utf8))
  }
}
