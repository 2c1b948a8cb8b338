import OzuBase
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of a camera RAW file besides the pixels of its sensor: the places where JPEGs may be, and facts about the
/// picture. No JPEG has been looked at, so a place may be wrong.
struct RAWContents {
  /// A place where the file says that there is a JPEG.
  struct Place: Hashable {
    /// In the file, cut at its end.
    let range: Range<Int>
    let isWhole: Bool
    /// Whether it is where files have thumbnails, which may have bars or show another part of the picture.
    let isForThumbnail: Bool
  }

  private(set) var places: [Place] = []
  /// Whether the file ends before a JPEG begins, or before it can say where.
  var isCut = false
  /// The size of the sensor's pixels, as stored.
  var size: PixelSize?
  var orientation: Orientation?
  /// EXIF data with the values of the whole file; `nil` if it has none.
  var exif: Data?
  /// Where an XMP packet is.
  var xmp: Range<Int>?

  /// Reads the directories or boxes of a file.
  init(_ data: Data, type: ImageType) {
    switch type {
    case .raf: readFujifilm(data)
    case .cr3: readBoxes(data)
    default: readDirectories(data, type: type)
    }
  }

  /// Adds a place, unless it is known or one too many.
  mutating func add(_ start: Int, byteCount: Int, in data: Data, isForThumbnail: Bool = false) {
    guard start >= 0, byteCount > 0, places.count < 2 * CameraRAW.mostPreviews else { return }
    guard start < data.count else {
      isCut = true
      return
    }
    let end = min(start.saturatingSum(byteCount), data.count)
    guard !places.contains(where: { $0.range.lowerBound == start }) else { return }
    places.append(
      Place(
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
