import OzuBase
import OzuImaging

/// The values in the marker segments of a JPEG (ITU-T T.81 Annex B), read without libjpeg.
///
/// Reading stops at the first scan. If a file has several scans, they are counted by stepping over their data from marker to
/// marker: hundreds of scans in a small file are an attack on the decoder's time.
package struct JPEGHeader: Sendable {
  package enum Process: Sendable {
    /// One pass over the blocks (SOF0, SOF1, SOF9).
    case sequential
    /// Several passes that refine all blocks (SOF2, SOF10).
    case progressive
    /// Another process of the standard, in words: `it is coded without loss (SOF3)`.
    case other(String)
  }

  package struct Component: Sendable {
    /// The name by which scans refer to it.
    package var identifier: UInt8
    package var quantizationSlot: Int
    package var horizontalSampling: Int
    package var verticalSampling: Int
  }

  package private(set) var size = PixelSize(0, 0)
  package private(set) var bitsPerComponent = 8
  package private(set) var process = Process.sequential
  /// Whether the coefficients are coded arithmetically, not by Huffman codes.
  package private(set) var isArithmeticCoded = false
  package private(set) var components: [Component] = []
  /// Whether there is a JFIF segment: then three components are YCbCr.
  package private(set) var hasJFIF = false
  /// The colour transform of the Adobe segment; `nil` without one.
  package private(set) var adobeTransform: Int?
  package private(set) var orientation: Orientation?
  package private(set) var metadata: PictureMetadata?
  package private(set) var profile: ICCProfile?
  /// Whether there are pieces of a profile, but not each of them once.
  private(set) var hasIncompleteProfile = false
  /// The offset of the byte-order mark of the index of further pictures.
  private(set) var pictureIndex: Int?
  private(set) var xmp: Range<Int>?
  /// Whether XMP, or the segment of ISO 21496-1, says that there is a gain map.
  private(set) var announcesGainMap = false
  /// The resolution from the JFIF segment, or else from EXIF data.
  package private(set) var dotsPerInch: Double?
  /// The segments of tables before the first scan, for the decoder that reads them: quantization, Huffman codes, and the
  /// restart interval.
  private(set) var tables: [(marker: UInt8, content: Range<Int>)] = []
  package private(set) var scanOffset = 0
  package private(set) var firstScanComponentCount = 0

  /// Reads the segments before the first scan.
  ///
  /// - Throws: `corrupt` or `truncated`, in the stage `header`.
  package init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard bytes.byte(at: 0) == 0xFF, bytes.byte(at: 1) == JPEGMarker.startOfImage else {
      throw Self.corrupt("it does not begin with a start-of-image marker")
    }
    var profile = JPEGProfileChunks()
    var hasEXIF = false
    var position = 2
    while let (marker, offset) = JPEGMarker.next(in: bytes, from: position) {
      position = offset + 2
      if JPEGMarker.standsAlone(marker) { continue }
      if marker == JPEGMarker.endOfImage { throw Self.corrupt("it has no scan") }
      guard let declared = bytes.bigEndian(at: position, bytes: 2) else { break }
      // Lengths of 0 and 1 are invalid; like libjpeg, continue after the length field.
      let length = max(2, declared)
      guard position + length <= bytes.count else { break }
      let segment = bytes.extracting(position + 2..<position + length)
      switch marker {
      case JPEGMarker.startOfScan:
        guard !components.isEmpty else { throw Self.corrupt("a scan before the frame header") }
        scanOffset = offset
        firstScanComponentCount = segment.byte(at: 0).map(Int.init) ?? 0
        self.profile = profile.profile(in: bytes)
        hasIncompleteProfile = self.profile == nil && !profile.isEmpty
        return
      case 0xE0 where segment.hasBytes("JFIF\0", at: 0):
        hasJFIF = true
        dotsPerInch = JPEGMetadata.density(segment)?.horizontal ?? dotsPerInch
      case 0xE1 where !hasEXIF && segment.hasBytes("Exif\0", at: 0):
        hasEXIF = true
        orientation = EXIFOrientation.find(in: segment)
        metadata = EXIFMetadata.find(in: segment)
        // The resolution of JFIF, which mostly comes first, is preferred.
        dotsPerInch = dotsPerInch ?? EXIFMetadata.dotsPerInch(in: segment)
      case 0xE1 where segment.hasBytes("http://ns.adobe.com/xap/1.0/\0", at: 0):
        xmp = xmp ?? position + 2..<position + length
        announcesGainMap = announcesGainMap || JPEGGainMap.isAnnounced(in: segment)
      case 0xE2 where segment.hasBytes(JPEGGainMap.isoName, at: 0):
        // A picture has two versions alone. The numbers follow them in a map, which may be a file of its own.
        announcesGainMap =
          announcesGainMap || segment.count <= JPEGGainMap.isoName.utf8CodeUnitCount + 4
      case 0xE2 where segment.hasBytes("MPF\0", at: 0):
        pictureIndex = position + 6
      case 0xE2:
        profile.add(segment, at: position + 2)
      case JPEGMarker.quantization, JPEGMarker.huffman, JPEGMarker.restartInterval:
        tables.append((marker, position + 2..<position + length))
      case 0xEE where segment.hasBytes("Adobe", at: 0):
        adobeTransform = segment.byte(at: 11).map(Int.init)
      case _ where JPEGMarker.isFrameHeader(marker):
        guard components.isEmpty else { throw Self.corrupt("two frame headers") }
        try readFrame(segment, marker: marker)
      default: break
      }
      position += length
    }
    throw .truncated(.jpeg, stage: Self.stage)
  }

  package static let stage = "header"

  /// The largest side that libjpeg supports; that of the format is 65,535.
  private static let largestSide = 65_500

  /// Whether the picture comes in several scans, all of which must be read before a pixel can be shown.
  package var hasSeveralScans: Bool { isProgressive || firstScanComponentCount < components.count }

  package var isProgressive: Bool {
    if case .progressive = process { true } else { false }
  }

  /// The reason why libjpeg cannot decode this valid JPEG; `nil` if it can.
  package var unsupportedReason: String? {
    if case .other(let reason) = process { return reason }
    if max(size.width, size.height) > Self.largestSide {
      return "it has a side of more than \(Self.largestSide) pixels"
    }
    if bitsPerComponent != 8 { return "it has \(bitsPerComponent) bits a component" }
    if ![1, 3, 4].contains(components.count) { return "it has \(components.count) colour components" }
    return nil
  }

  /// The eighths at which libjpeg keeps the colours: each pixel has a sample of each component, or the component all the
  /// samples of the file.
  ///
  /// In place of samples that a component lacks, libjpeg decodes more eighths of it, but only if that suits rows and
  /// columns alike (`jpeg_core_output_dimensions`). Of 4:1:1 in an eighth it makes one sample of colour for four pixels.
  package var scalesOfFullColor: [Int] {
    let horizontal = components.map(\.horizontalSampling).max() ?? 1
    let vertical = components.map(\.verticalSampling).max() ?? 1
    return [1, 2, 4, 8].filter { eighths in
      components.allSatisfy { component in
        let (h, v) = (component.horizontalSampling, component.verticalSampling)
        var own = eighths
        while own < 8, horizontal * eighths % (h * own * 2) == 0, vertical * eighths % (v * own * 2) == 0 {
          own *= 2
        }
        return own == 8 || h * own >= horizontal * eighths && v * own >= vertical * eighths
      }
    }
  }

  /// The bytes that the coefficients of the whole picture take: two each, in blocks of 64, padded to whole
  /// groups of blocks.
  package var coefficientByteCount: Int {
    let horizontal = components.map(\.horizontalSampling).max() ?? 1
    let vertical = components.map(\.verticalSampling).max() ?? 1
    let groups =
      ((size.width + 8 * horizontal - 1) / (8 * horizontal))
      * ((size.height + 8 * vertical - 1) / (8 * vertical))
    let blocks = components.reduce(0) { $0 + $1.horizontalSampling * $1.verticalSampling }
    return groups * blocks * 128
  }

  package struct Scans {
    /// The number of scans, but at most one more than the limit.
    package var count = 0
    /// The end of the bytes for libjpeg: the beginning of a segment that the end of the file cuts off, or else the end
    /// of the file. libjpeg must not see such a piece: it would take it for garbage and discard everything it has decoded.
    package var end = 0
  }

  /// Steps from marker to marker, until it has counted more than `limit` scans.
  ///
  /// - Complexity: O(bytes), at the speed of `memchr`.
  package func scans(in bytes: Span<UInt8>, limit: Int = .max) -> Scans {
    var scans = Scans(end: bytes.count)
    var position = scanOffset
    while scans.count <= limit, let (marker, offset) = JPEGMarker.nextAfterScanData(in: bytes, from: position)
    {
      if marker == JPEGMarker.endOfImage { break }
      if marker == JPEGMarker.startOfScan { scans.count += 1 }
      position = offset + 2
      if JPEGMarker.standsAlone(marker) { continue }
      guard let length = bytes.bigEndian(at: position, bytes: 2), position + length <= bytes.count else {
        scans.end = offset
        break
      }
      position += length
    }
    return scans
  }

  private mutating func readFrame(_ segment: Span<UInt8>, marker: UInt8) throws(ImageDecodingError) {
    guard let precision = segment.byte(at: 0),
      let height = segment.bigEndian(at: 1, bytes: 2),
      let width = segment.bigEndian(at: 3, bytes: 2),
      let count = segment.byte(at: 5),
      segment.count >= 6 + 3 * Int(count)
    else { throw Self.corrupt("a frame header that is too short") }
    // A height of zero means that a DNL segment after the first scan has it (T.81 §B.2.5), which no encoder writes.
    guard height > 0 else { throw Self.corrupt("it does not declare its height before its pixels") }
    guard width > 0 else { throw Self.corrupt("its width is 0") }
    guard count > 0 else { throw Self.corrupt("a frame without components") }
    size = PixelSize(width, height)
    bitsPerComponent = Int(precision)
    process = JPEGMarker.process(ofFrame: marker)
    isArithmeticCoded = 0xC9...0xCF ~= marker
    for index in 0..<Int(count) {
      let sampling = Int(segment[6 + 3 * index + 1])
      guard 1...4 ~= sampling >> 4, 1...4 ~= sampling & 15 else {
        throw Self.corrupt("sampling factors \(sampling >> 4) and \(sampling & 15)")
      }
      components.append(
        Component(
          identifier: segment[6 + 3 * index], quantizationSlot: Int(segment[6 + 3 * index + 2]),
          horizontalSampling: sampling >> 4, verticalSampling: sampling & 15))
    }
  }

  private static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.jpeg, stage: stage, reason: reason)
  }
}

/// The pieces of an ICC profile in a JPEG: one APP2 segment holds at most 64 KB, so larger profiles are cut into
/// numbered chunks (ICC.1:2022 Annex B.4).
struct JPEGProfileChunks {
  private struct Chunk {
    var number: Int
    var range: Range<Int>
  }

  /// The limit for a profile; usual profiles are smaller.
  private static let longestProfile = 4 << 20

  private var chunks: [Chunk] = []
  private var declaredCount = 0

  var isEmpty: Bool { chunks.isEmpty }

  /// Records an APP2 segment if it is a chunk. `offset` is the place of the segment's data in the file.
  mutating func add(_ segment: Span<UInt8>, at offset: Int) {
    guard segment.hasBytes("ICC_PROFILE\0", at: 0),
      let number = segment.byte(at: 12), let count = segment.byte(at: 13), chunks.count < 255
    else { return }
    declaredCount = max(declaredCount, Int(count))
    chunks.append(Chunk(number: Int(number), range: offset + 14..<offset + segment.count))
  }

  /// The profile; `nil` if there is none, or if a chunk is missing or occurs twice.
  func profile(in bytes: Span<UInt8>) -> ICCProfile? {
    let ordered = chunks.sorted { $0.number < $1.number }
    guard !ordered.isEmpty, ordered.map(\.number) == Array(1...ordered.count),
      declaredCount == ordered.count
    else { return nil }
    var profile: [UInt8] = []
    for chunk in ordered where profile.count < Self.longestProfile {
      profile += bytes.copy(from: chunk.range.lowerBound, byteCount: chunk.range.count)
    }
    return ICCProfile(Data(profile))
  }
}
