import OzuBase
import OzuImaging

/// A picture of a HEIF or AVIF file that consists of tiles of one size (ISO/IEC 23008-12 §6.6.2.3), with its alpha
/// if that is such a grid too.
///
/// A part of it becomes a file of its own with the unchanged tiles that the part touches. The libraries decode a
/// whole grid at once, so they do not need to support parts.
package struct HEIFGrid: Sendable {
  package let tileSize: PixelSize
  /// The size of the picture, in pixels, before it is turned.
  package let size: PixelSize
  /// The part of the picture that is shown, and how it is turned.
  private let area: HEIFArea
  private let columnCount: Int
  private let type: Range<Int>
  /// The picture, and its alpha if there is any.
  private let layers: [Layer]

  /// One of the two pictures with equal tiles.
  private struct Layer: Sendable {
    let tiles: [Tile]
    let properties: [HEIFItems.Property]
    /// Whether it is the alpha of the first picture.
    let isAlpha: Bool
  }

  private struct Tile: Sendable {
    let kind: BoxName
    let parts: [Range<Int>]
    let properties: [HEIFItems.Property]

    var byteCount: Int { parts.reduce(0) { $0.saturatingSum($1.count) } }
  }

  /// The properties that a part shares with the whole. A file with any other property is decoded whole.
  private static let kept: Set<BoxName> = [
    "ispe", "av1C", "hvcC", "colr", "pixi", "pasp", "auxC", "clli", "mdcv", "cclv",
  ]
  private static let turns: Set<BoxName> = ["irot", "imir"]

  /// Whether the library turns the picture: parts of it then begin at another place than in the stored picture.
  package var isTurned: Bool { !area.isClose(to: HEIFArea(size)) }
  /// The size of the picture as the library returns it.
  package var turnedSize: PixelSize { area.size }

  /// Finds the grid; `nil` if the picture is not a grid, or is one that cannot be cut.
  ///
  /// - Parameter turnsPictures: whether the library returns pictures already cropped and turned by their
  ///   properties. Parts then keep these properties.
  package init?(_ file: Span<UInt8>, turnsPictures: Bool) {
    let list = HEIFBoxList(file, in: 0..<file.count)
    guard let type = list.first("ftyp"), let meta = list.first("meta") else { return nil }
    let items = HEIFItems(file, meta: HEIFBoxList(file, in: meta.fullContent))
    guard let primary = items.primary?.id else { return nil }
    let references = items.references(file)
    guard let whole = Self.canvas(file, items, primary),
      let picture = Self.layer(
        file, items, references, primary, count: whole.tileCount, turnsPictures, isAlpha: false)
    else { return nil }
    var layers = [picture]
    for reference in references where reference.kind == "auxl" && reference.to.contains(primary) {
      guard items.isAlpha(file, reference.from) else { continue }
      guard layers.count == 1, let own = Self.canvas(file, items, reference.from), own == whole,
        let alpha = Self.layer(
          file, items, references, reference.from, count: own.tileCount, turnsPictures, isAlpha: true)
      else { return nil }
      layers.append(alpha)
    }
    // Premultiplied colours are declared by another kind of reference, which a part would lack.
    if references.contains(where: { $0.kind == "prem" }) { return nil }
    guard let tileSize = Self.tileSize(file, items, references, primary) else { return nil }
    let covered = PixelSize(
      tileSize.width.saturatingProduct(whole.columns), tileSize.height.saturatingProduct(whole.rows))
    guard covered.width >= whole.size.width, covered.height >= whole.size.height,
      covered.width - tileSize.width < whole.size.width, covered.height - tileSize.height < whole.size.height
    else { return nil }
    self.type = type.content
    self.tileSize = tileSize
    self.layers = layers
    size = whole.size
    var area = HEIFArea(whole.size)
    for property in picture.properties { area.apply(property.box, file) }
    // The library decides about an alpha that is turned in another way.
    for layer in layers {
      var own = HEIFArea(whole.size)
      for property in layer.properties { own.apply(property.box, file) }
      guard own.isClose(to: area) else { return nil }
    }
    self.area = area
    columnCount = whole.columns
  }

  // MARK: Reading

  private struct Canvas: Equatable {
    var rows: Int
    var columns: Int
    var size: PixelSize

    var tileCount: Int { rows * columns }
  }

  private static func canvas(_ file: Span<UInt8>, _ items: HEIFItems, _ id: Int) -> Canvas? {
    guard items.items.first(where: { $0.id == id })?.kind == "grid",
      let bytes = items.bytes(file, of: id, atMost: 12), bytes.count >= 8, bytes[0] == 0
    else { return nil }
    let width = bytes[1] & 1 == 0 ? 2 : 4
    let content = ContiguousArray(bytes)
    var reader = HEIFReader(4..<bytes.count)
    guard let columns = reader.take(width, from: content.span),
      let rows = reader.take(width, from: content.span)
    else { return nil }
    return Canvas(rows: Int(bytes[2]) + 1, columns: Int(bytes[3]) + 1, size: PixelSize(columns, rows))
  }

  private static func layer(
    _ file: Span<UInt8>, _ items: HEIFItems, _ references: [HEIFItems.Reference], _ id: Int, count: Int,
    _ turnsPictures: Bool, isAlpha: Bool
  ) -> Layer? {
    let own = references.filter { $0.kind == "dimg" && $0.from == id }
    guard own.count == 1, own[0].to.count == count,
      let properties = properties(file, items, id, turnsPictures)
    else { return nil }
    let kinds = items.items.reduce(into: [Int: BoxName]()) { $0[$1.id] = $1.kind }
    var tiles: [Tile] = []
    for tile in own[0].to {
      guard let kind = kinds[tile], kind == "av01" || kind == "hvc1",
        case .parts(let parts) = items.location(of: tile),
        let properties = self.properties(file, items, tile, turnsPictures),
        !properties.contains(where: { turnsPictures && turns.contains($0.box.name) })
      else { return nil }
      tiles.append(Tile(kind: kind, parts: parts, properties: properties))
    }
    return Layer(tiles: tiles, properties: properties, isAlpha: isAlpha)
  }

  /// The properties of an item; `nil` if one of them is impossible for a part.
  private static func properties(
    _ file: Span<UInt8>, _ items: HEIFItems, _ id: Int, _ keepsTurns: Bool
  ) -> [HEIFItems.Property]? {
    // A library that does not turn pictures returns them as stored, and reports the orientation.
    let properties = items.bindings(of: id).filter { keepsTurns || !turns.contains($0.box.name) }
    guard properties.count <= 32,
      properties.allSatisfy({ kept.contains($0.box.name) || turns.contains($0.box.name) })
    else { return nil }
    return properties
  }

  private static func tileSize(
    _ file: Span<UInt8>, _ items: HEIFItems, _ references: [HEIFItems.Reference], _ id: Int
  ) -> PixelSize? {
    var size: PixelSize?
    for reference in references where reference.kind == "dimg" && reference.from == id {
      for tile in reference.to {
        guard let own = items.storedSize(of: tile, file), !own.isEmpty else { return nil }
        guard size == nil || size == own else { return nil }
        size = own
      }
    }
    return size
  }

  // MARK: Cutting

  /// The most tiles of a piece of a band: what the library takes beside the pixels is that of a piece. With 4 tiles of 512
  /// pixels, a thumbnail of 200 megapixels takes 80 MB, and 130 if a band is one piece.
  private static let pieceTiles = 4

  /// Pieces of the picture, or of a part of it, as they are shown: bands below each other, and pieces beside each other in
  /// each. A band is a row of tiles, or a column in a picture that the library turns by a quarter.
  package func bands(of part: PixelRectangle) -> [[PixelRectangle]] {
    func ranges(_ first: Int, _ length: Int, _ unit: Int, isReversed: Bool) -> [Range<Int>] {
      let end = first + length
      let ranges = stride(from: first, to: end, by: unit).map { $0..<min($0 + unit, end) }
      return isReversed ? ranges.reversed() : ranges
    }
    let isQuarter = area.isQuarterTurned
    let columns = ranges(
      part.x, part.size.width, tileSize.width * (isQuarter ? 1 : Self.pieceTiles),
      isReversed: isQuarter ? area.isReversedDown : area.isReversedAcross)
    let rows = ranges(
      part.y, part.size.height, tileSize.height * (isQuarter ? Self.pieceTiles : 1),
      isReversed: isQuarter ? area.isReversedAcross : area.isReversedDown)
    func piece(_ column: Range<Int>, _ row: Range<Int>) -> PixelRectangle {
      PixelRectangle(x: column.lowerBound, y: row.lowerBound, width: column.count, height: row.count)
    }
    return isQuarter
      ? columns.map { column in rows.map { piece(column, $0) } }
      : rows.map { row in columns.map { piece($0, row) } }
  }

  /// The estimated bytes of a part's file.
  package func byteCount(of cut: PixelRectangle) -> Int {
    guard let (columns, rows) = tiles(of: cut) else { return 0 }
    var byteCount = 4096
    for layer in layers {
      for row in rows {
        for column in columns {
          let tile = layer.tiles[row * columnCount + column]
          byteCount = byteCount.saturatingSum(tile.byteCount).saturatingSum(256)
        }
      }
    }
    return byteCount
  }

  /// The columns and rows of the tiles of a part whose edges are tile edges; `nil` for other parts.
  private func tiles(of cut: PixelRectangle) -> (columns: Range<Int>, rows: Range<Int>)? {
    func range(_ start: Int, _ length: Int, _ whole: Int, _ unit: Int) -> Range<Int>? {
      guard start >= 0, length > 0, start % unit == 0, length <= whole - start else { return nil }
      let end = start + length
      guard end == whole || end % unit == 0 else { return nil }
      return start / unit..<(end + unit - 1) / unit
    }
    guard let columns = range(cut.x, cut.size.width, size.width, tileSize.width),
      let rows = range(cut.y, cut.size.height, size.height, tileSize.height)
    else { return nil }
    return (columns, rows)
  }

  /// The file of a part; `nil` if its edges are not tile edges.
  package func file(of cut: PixelRectangle, in data: Data) -> Data? {
    guard let (columns, rows) = tiles(of: cut) else { return nil }
    var writer = HEIFExcerptWriter(data, type: type)
    var picture = 0
    for layer in layers {
      var tiles: [Int] = []
      for row in rows {
        for column in columns {
          let tile = layer.tiles[row * columnCount + column]
          tiles.append(
            writer.add(
              kind: tile.kind, content: .parts(tile.parts), properties: tile.properties, isHidden: true))
        }
      }
      let grid = writer.addGrid(
        rows: rows.count, columns: columns.count, size: cut.size, properties: layer.properties, tiles: tiles,
        isHidden: layer.isAlpha)
      if layer.isAlpha { writer.refer("auxl", from: grid, to: [picture]) } else { picture = grid }
    }
    return writer.file(primary: picture)
  }
}

extension HEIFItems {
  private static let alphaNames: [StaticString] = [
    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
  ]

  func isAlpha(_ file: Span<UInt8>, _ item: Int) -> Bool {
    properties(of: item).contains { property in
      property.name == "auxC"
        && Self.alphaNames.contains { file.hasBytes($0, at: property.fullContent.lowerBound) }
    }
  }
}
