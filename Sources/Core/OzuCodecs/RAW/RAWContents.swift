import OzuBase
import OzuImaging

/// The contents of a camera RAW file besides the pixels of its sensor: the places where JPEGs may be, and facts about the
/// picture. No JPEG has been looked at, so a place may be wrong.
struct RAWContents {
  /// A place where the file says that there is a JPEG.
  struct Candidate: Hashable {
    /// In the file, cut at its end.
    let range: Range<Int>
    let isWhole: Bool
    /// Whether it is where files have thumbnails, which may have bars or show another part of the picture.
    let isForThumbnail: Bool
  }

  private(set) var candidates: [Candidate] = []
  /// Whether the file ends before a JPEG begins, or before it can say where.
  var isCut = false
  /// The size of the sensor's pixels, as stored.
  var size: PixelSize?
  var orientation: Orientation?
  /// EXIF data with the values of the whole file; `nil` if it has none.
  var exif: Data?
  var xmp: Range<Int>?

  init(_ data: Data, type: ImageType) {
    switch type {
    case .raf: readFujifilm(data)
    case .cr3: readBoxes(data)
    default: readDirectories(data, type: type)
    }
  }

  /// Adds a place, unless it is known or one too many.
  mutating func add(_ start: Int, byteCount: Int, in data: Data, isForThumbnail: Bool = false) {
    guard start >= 0, byteCount > 0, candidates.count < 2 * CameraRAW.mostPreviews else { return }
    guard start < data.count else {
      isCut = true
      return
    }
    let end = min(start.saturatingSum(byteCount), data.count)
    guard !candidates.contains(where: { $0.range.lowerBound == start }) else { return }
    candidates.append(
      Candidate(
        range: start..<end, isWhole: byteCount <= data.count - start, isForThumbnail: isForThumbnail))
  }
}

extension RAWContents {
  /// The header of a Fujifilm RAF, which is the same in all versions: the place of a JPEG, and of a list of values of
  /// 16 bits.
  private mutating func readFujifilm(_ data: Data) {
    let bytes = data.span
    guard let start = bytes.bigEndian(at: 84, bytes: 4), let byteCount = bytes.bigEndian(at: 88, bytes: 4),
      let list = bytes.bigEndian(at: 92, bytes: 4)
    else {
      isCut = true
      return
    }
    add(start, byteCount: byteCount, in: data)
    // The whole sensor, and the part that is shown.
    let (whole, shown) = (0x100, 0x111)
    var sizes: [Int: PixelSize] = [:]
    var position = list + 4
    for _ in 0..<min(bytes.bigEndian(at: list, bytes: 4) ?? 0, 256) {
      guard let tag = bytes.bigEndian(at: position, bytes: 2),
        let length = bytes.bigEndian(at: position + 2, bytes: 2)
      else { break }
      if tag == whole || tag == shown, length == 4, let height = bytes.bigEndian(at: position + 4, bytes: 2),
        let width = bytes.bigEndian(at: position + 6, bytes: 2)
      {
        sizes[tag] = PixelSize(width, height)
      }
      position += 4 + length
    }
    size = sizes[shown] ?? sizes[whole]
  }
}

/// Canon's CR3, which has the boxes of an ISO base media file: EXIF data in blocks of their own, a preview beside the
/// film box, and a JPEG in full size as the sample of a track.
extension RAWContents {
  /// The identifiers of the `uuid` boxes: of the EXIF data and the thumbnail, of the preview, and of XMP.
  private enum Identifier {
    static let metadata = [0x85C0_B687, 0x820F_11E0, 0x8111_F4CE, 0x462B_6A48]
    static let preview = [0xEAF4_2B5E, 0x1C98_4B88, 0xB9FB_B7DC, 0x406E_4D16]
    static let xmp = [0xBE7A_CFCB, 0x97A9_42E8, 0x9C71_9994, 0x91E3_AFAC]
  }

  /// The bytes before the JPEG of a preview or thumbnail are fewer.
  private static let largestHead = 64
  /// Cameras write four or five tracks.
  private static let mostTracks = 16

  mutating func readBoxes(_ data: Data) {
    let bytes = data.span
    let file = HEIFBoxList(bytes, in: 0..<bytes.count)
    guard let film = file.first("moov").map({ HEIFBoxList(bytes, in: $0.content) }) else {
      // A whole file without a film is none of Canon's, and has no previews.
      isCut = !file.rest.isEmpty
      return
    }
    for box in film.boxes where box.name == "uuid" && Self.has(Identifier.metadata, box, bytes) {
      let inner = HEIFBoxList(bytes, in: Self.content(box))
      readEXIF(inner, data)
      if let box = inner.first("THMB") { addJPEG(in: box.content, data, isForThumbnail: true) }
    }
    for box in file.boxes where box.name == "uuid" {
      if Self.has(Identifier.xmp, box, bytes) { xmp = Self.content(box) }
      guard Self.has(Identifier.preview, box, bytes) else { continue }
      // The boxes follow a version and a number.
      let content = Self.content(box)
      let inner = HEIFBoxList(bytes, in: min(content.lowerBound + 8, content.upperBound)..<content.upperBound)
      if let box = inner.first("PRVW") { addJPEG(in: box.content, data, isForThumbnail: false) }
    }
    for track in film.boxes.filter({ $0.name == "trak" }).prefix(Self.mostTracks) {
      addSample(of: track, data)
    }
  }

  private mutating func readEXIF(_ boxes: HEIFBoxList, _ data: Data) {
    func part(_ name: BoxName) -> EXIFBlock.Part? {
      guard let box = boxes.first(name) else { return nil }
      // Slices keep the indices of the whole, and offsets here count from the start of the block.
      let block = Data(data.dropFirst(box.content.lowerBound).prefix(box.content.count))
      guard let file = TIFFStructure(block), let directory = file.directory(at: file.first) else {
        return nil
      }
      return (file, directory)
    }
    guard let picture = part("CMT1") else { return }
    let details = part("CMT2")
    exif = EXIFBlock(picture: picture, details: details, place: part("CMT4")).dataUnlessEmpty
    orientation = picture.file.number(of: EXIFTag.orientation, in: picture.directory)
      .flatMap(Orientation.init(rawValue:))
    size = details.flatMap { $0.file.size($0.directory, EXIFTag.width, EXIFTag.height) }
  }

  private mutating func addJPEG(in range: Range<Int>, _ data: Data, isForThumbnail: Bool) {
    let bytes = data.span
    let head = range.prefix(Self.largestHead)
    guard let start = head.first(where: { bytes.bigEndian(at: $0, bytes: 3) == 0xFF_D8FF }) else { return }
    add(start, byteCount: range.upperBound - start, in: data, isForThumbnail: isForThumbnail)
  }

  /// The first sample of a track, if it is a JPEG.
  private mutating func addSample(of track: HEIFBox, _ data: Data) {
    let bytes = data.span
    var box = track
    for name in ["mdia", "minf", "stbl"] as [BoxName] {
      guard let next = HEIFBoxList(bytes, in: box.content).first(name) else { return }
      box = next
    }
    let table = HEIFBoxList(bytes, in: box.content)
    guard let sizes = table.first("stsz")?.content,
      let common = bytes.extracting(sizes).bigEndian(at: 4, bytes: 4),
      let byteCount = common > 0 ? common : bytes.extracting(sizes).bigEndian(at: 12, bytes: 4)
    else { return }
    var start: Int?
    if let offsets = table.first("co64")?.content, bytes.extracting(offsets).bigEndian(at: 8, bytes: 2) == 0 {
      start = bytes.extracting(offsets).bigEndian(at: 10, bytes: 6)
    } else if let offsets = table.first("stco")?.content {
      start = bytes.extracting(offsets).bigEndian(at: 8, bytes: 4)
    }
    // The samples of the other tracks are the pixels of the sensor.
    guard let start, start >= data.count || bytes.bigEndian(at: start, bytes: 3) == 0xFF_D8FF else { return }
    add(start, byteCount: byteCount, in: data)
  }

  private static func has(_ identifier: [Int], _ box: HEIFBox, _ bytes: Span<UInt8>) -> Bool {
    let content = bytes.extracting(box.content)
    return identifier.indices.allSatisfy { content.bigEndian(at: $0 * 4, bytes: 4) == identifier[$0] }
  }

  /// The content behind the identifier.
  private static func content(_ box: HEIFBox) -> Range<Int> {
    min(box.content.lowerBound + 16, box.content.upperBound)..<box.content.upperBound
  }
}
