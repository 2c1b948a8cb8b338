import OzuBase
import OzuImaging

/// The gain map of a HEIF or AVIF file: the second picture of a `tmap` item (ISO 21496-1 in ISO/IEC 23008-12), or
/// Apple's auxiliary picture `urn:com:apple:photo:2020:aux:hdrgainmap`.
///
/// The gain map's own file is the picture's file with another number in the `pitm` box, so that the same library
/// decodes it.
package enum HEIFGainMap {
  private static let appleName: StaticString = "urn:com:apple:photo:2020:aux:hdrgainmap"

  /// The result of the search: a usable gain map, or why there is none.
  package enum Finding {
    case none
    case map(GainMap)
    case flaw(String)
  }

  /// - Parameter turnsPictures: whether the library returns pictures already cropped and turned by their
  ///   properties.
  package static func find(in file: Span<UInt8>, turnsPictures: Bool) -> Finding {
    guard let meta = HEIFBoxList(file, in: 0..<file.count).first("meta") else { return .none }
    let content = file.extracting(meta.content)
    // Nearly all files have neither and end the search here.
    guard content.find("tmap", from: 0) != nil || content.find(appleName, from: 0) != nil else {
      return .none
    }
    let items = HEIFItems(file, meta: HEIFBoxList(file, in: meta.fullContent))
    guard let primary = items.primary else { return .none }
    let references = items.references(file)
    for reference in references where reference.kind == "dimg" && reference.to.first == primary.id {
      guard reference.to.count == 2,
        items.items.contains(where: { $0.id == reference.from && $0.kind == "tmap" })
      else { continue }
      guard var map = items.bytes(file, of: reference.from, atMost: 1024).flatMap(standard) else {
        return .flaw("its numbers cannot be read")
      }
      return place(&map, reference.to[1], items, primary.place, file, turnsPictures)
    }
    for reference in references where reference.kind == "auxl" && reference.to.contains(primary.id) {
      guard
        items.properties(of: reference.from).contains(where: {
          $0.name == "auxC" && file.hasBytes(appleName, at: $0.fullContent.lowerBound)
        })
      else { continue }
      guard let stops = appleStops(file, items, references, map: reference.from, picture: primary.id)
      else { return .flaw("its headroom is not stated") }
      var map = GainMap(
        size: PixelSize(0, 0), bytes: 0..<0,
        channels: [GainMap.Channel(minimum: 0, maximum: stops, baseOffset: 0, alternateOffset: 0)],
        alternateHeadroom: stops)
      map.coding = .light
      return place(&map, reference.from, items, primary.place, file, turnsPictures)
    }
    return .none
  }

  /// The content of a `tmap`: a version, then the same data as in a JPEG.
  private static func standard(_ content: [UInt8]) -> GainMap? {
    content.first == 0 ? JPEGGainMap.standard(ContiguousArray(content.dropFirst()).span) : nil
  }

  private static func place(
    _ map: inout GainMap, _ number: Int, _ items: HEIFItems, _ primary: Range<Int>, _ file: Span<UInt8>,
    _ turnsPictures: Bool
  ) -> Finding {
    guard let item = items.items.first(where: { $0.id == number }), number < 1 << (8 * primary.count) else {
      return .flaw("its picture is missing")
    }
    map.size =
      turnsPictures
      ? items.area(of: number, file).size : items.storedSize(of: number, file) ?? PixelSize(0, 0)
    map.bytes = 0..<file.count
    map.edits = [
      GainMap.Edit(offset: primary.lowerBound, bytes: number.bigEndianBytes(primary.count)),
      // A hidden picture cannot be the primary one.
      GainMap.Edit(offset: item.flagsOffset, bytes: [(file.byte(at: item.flagsOffset) ?? 0) & ~1]),
    ]
    return .map(map)
  }

  // MARK: Apple's

  /// The headroom of Apple's maps, in stops: from the XMP of the map, or else from two numbers in the camera's
  /// maker note.
  private static func appleStops(
    _ file: Span<UInt8>, _ items: HEIFItems, _ references: [HEIFItems.Reference], map: Int, picture: Int
  ) -> Double? {
    func blocks(_ kind: BoxName, of number: Int) -> [[UInt8]] {
      let own = references.filter { $0.kind == "cdsc" && $0.to.contains(number) }.map(\.from)
      var found: [[UInt8]] = []
      for item in items.items where item.kind == kind && own.contains(item.id) && found.count < 4 {
        if let block = items.bytes(file, of: item.id, atMost: 1 << 18) { found.append(block) }
      }
      return found
    }
    for packet in blocks("mime", of: map) {
      let headroom = XMPProperties([Data(packet)]).number("HDRGainMap:HDRGainMapHeadroom")
      if let headroom, headroom > 1 { return log2(headroom) }
    }
    for exif in blocks("Exif", of: picture) {
      if let stops = appleStops(ofNote: ContiguousArray(exif).span) { return stops }
    }
    return nil
  }

  /// From the numbers 33 and 48 of the maker note, by Apple's "Applying Apple HDR effect to your photos".
  private static func appleStops(ofNote exif: Span<UInt8>) -> Double? {
    guard let note = exif.find("Apple iOS\0", from: 0), let count = exif.bigEndian(at: note + 14, bytes: 2)
    else {
      return nil
    }
    var numbers: [Int: Double] = [:]
    for entry in 0..<min(count, 256) {
      let place = note + 16 + entry * 12
      guard let tag = exif.bigEndian(at: place, bytes: 2), tag == 33 || tag == 48,
        exif.bigEndian(at: place + 2, bytes: 2) == 10, let offset = exif.bigEndian(at: place + 8, bytes: 4),
        let above = exif.bigEndian(at: note + offset, bytes: 4),
        let below = exif.bigEndian(at: note + offset + 4, bytes: 4), below != 0
      else { continue }
      numbers[tag] = Double(Int32(truncatingIfNeeded: above)) / Double(Int32(truncatingIfNeeded: below))
    }
    guard let brightness = numbers[33], let gain = numbers[48] else { return nil }
    let stops =
      brightness < 1
      ? (gain <= 0.01 ? -20 * gain + 1.8 : -0.101 * gain + 1.601)
      : (gain <= 0.01 ? -70 * gain + 3 : -0.303 * gain + 2.303)
    return stops > 0 ? stops : nil
  }
}
