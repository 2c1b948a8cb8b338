import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// The frames of an animated PNG (W3C PNG, third edition, §11.3.6).
///
/// libpng does not support animation, but each frame is the image data of a PNG. So a frame is passed to it as a
/// file of its own: the header with the frame's size, palette and transparency, the data, the end.
struct PNGFrames: AnimationFrameReading {
  private static let stage = "animation"
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let canvas: PixelSize
  private(set) var frames: [AnimationFrame] = []
  private(set) var loopCount = 0

  private let data: Data
  private let header: ImageHeader
  /// The content of the image header, and the chunks before the pixels that define colours.
  private var imageHeader: [UInt8] = []
  private var colorChunks: [UInt8] = []
  /// The parts of each frame's data, each of which is in one chunk.
  private var contents: [[Range<Int>]] = []

  /// Reads the structure of the chunks.
  ///
  /// - Parameter frameLimit: frames beyond this number are ignored.
  /// - Throws: `corrupt`.
  init(_ data: Data, header: ImageHeader, frameLimit: Int) throws(ImageDecodingError) {
    self.data = data
    self.header = header
    canvas = header.storedSize
    let bytes = data.span
    var position = Self.signature.count
    var isAfterImage = false
    while let length = bytes.bigEndian(at: position, bytes: 4), length <= bytes.count - position - 12 {
      let type = position + 4
      let content = position + 8..<position + 8 + length
      if bytes.hasBytes("IEND", at: type) { break }
      if bytes.hasBytes("IHDR", at: type), imageHeader.isEmpty {
        imageHeader = bytes.copy(from: content.lowerBound, byteCount: length)
      } else if bytes.hasBytes("PLTE", at: type) || bytes.hasBytes("tRNS", at: type), !isAfterImage {
        colorChunks += bytes.copy(from: position, byteCount: 12 + length)
      } else if bytes.hasBytes("acTL", at: type) {
        loopCount = bytes.bigEndian(at: content.lowerBound + 4, bytes: 4) ?? 0
      } else if bytes.hasBytes("fcTL", at: type) {
        if frames.count == frameLimit { break }
        try readControl(bytes.extracting(content))
      } else if bytes.hasBytes("IDAT", at: type) {
        isAfterImage = true
        // Without a control before it, the picture is only for readers that do not support animation.
        if !contents.isEmpty { contents[contents.count - 1].append(content) }
      } else if bytes.hasBytes("fdAT", at: type), length >= 4, !contents.isEmpty {
        contents[contents.count - 1].append(content.lowerBound + 4..<content.upperBound)
      }
      position = content.upperBound + 4
    }
  }

  private mutating func readControl(_ content: Span<UInt8>) throws(ImageDecodingError) {
    func field(_ offset: Int, _ byteCount: Int) -> Int {
      content.bigEndian(at: offset, bytes: byteCount) ?? 0
    }
    guard content.count >= 26 else {
      throw .corrupt(.png, stage: Self.stage, reason: "a frame control is too short")
    }
    let size = PixelSize(field(4, 4), field(8, 4))
    let x = field(12, 4)
    let y = field(16, 4)
    guard !size.isEmpty, x + size.width <= canvas.width, y + size.height <= canvas.height else {
      throw .corrupt(.png, stage: Self.stage, reason: "a frame extends outside the canvas")
    }
    let denominator = field(22, 2) == 0 ? 100 : field(22, 2)
    // Before the first frame the canvas is empty, so restoring that state clears it.
    let disposals: [Int: AnimationFrame.Disposal] = [1: .clear, 2: frames.isEmpty ? .clear : .restore]
    frames.append(
      AnimationFrame(
        x: x, y: y, size: size, delay: .microseconds(field(20, 2) * 1_000_000 / denominator),
        disposal: disposals[field(24, 1)] ?? .keep, blend: field(25, 1) == 1 ? .over : .source))
    contents.append([])
  }

  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    var frameHeader = header
    frameHeader.storedSize = frames[index].size
    frameHeader.orientation = .up
    let plan = DecodePlan(header: frameHeader, resize: nil)
    // The file of a frame has no chunks that say what its colours mean.
    return try PNGDecoder().open(file(index), limits: context.limits)
      .decode(plan, context: context).withColorSpace(header.storedColorSpace)
  }

  /// A frame as a file of its own.
  private func file(_ index: Int) throws(ImageDecodingError) -> Data {
    let bytes = data.span
    var file = Self.signature
    var head = imageHeader
    let size = frames[index].size
    head.replaceSubrange(0..<8, with: size.width.bigEndianBytes(4) + size.height.bigEndianBytes(4))
    Self.append("IHDR", head, to: &file)
    file += colorChunks
    for part in contents[index] {
      try Self.checkChecksum(bytes, part)
      Self.append("IDAT", bytes.copy(from: part.lowerBound, byteCount: part.count), to: &file)
    }
    Self.append("IEND", [], to: &file)
    return Data(file)
  }

  /// Checks the checksum of the chunk whose content ends with a range; libpng sees only the new checksum.
  private static func checkChecksum(_ bytes: Span<UInt8>, _ part: Range<Int>) throws(ImageDecodingError) {
    // Frame data begin with a sequence number.
    let isFrameData = part.lowerBound >= 8 && bytes.hasBytes("fdAT", at: part.lowerBound - 8)
    let start = part.lowerBound - (isFrameData ? 8 : 4)
    let covered = bytes.copy(from: start, byteCount: part.upperBound - start)
    guard bytes.bigEndian(at: part.upperBound, bytes: 4) == checksum(covered) else {
      throw .corrupt(.png, stage: stage, reason: "the checksum of frame data is wrong")
    }
  }

  private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
    let body = Array(type.utf8) + content
    file += content.count.bigEndianBytes(4) + body + checksum(body).bigEndianBytes(4)
  }

  private static func checksum(_ bytes: [UInt8]) -> Int {
    // The array is valid during the call.
    bytes.withUnsafeBufferPointer { Int(ozu_crc32($0.baseAddress, $0.count)) }
  }
}
