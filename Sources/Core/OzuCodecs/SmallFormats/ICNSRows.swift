import OzuBase
import OzuImaging

/// Reads pixels that are stored channel by channel, run-length coded, or plainly pixel by pixel.
struct ICNSRows: SampleRowReading {
  /// Alpha, red, green and blue.
  private var channels: [[UInt8]] = []
  private let side: Int
  private var y = 0

  /// - Throws: `truncated`, `corrupt`.
  init(
    _ bytes: Span<UInt8>, _ coding: ICNSCoding, side: Int, mask: Data?
  ) throws(ImageDecodingError) {
    self.side = side
    let count = side * side
    let content = bytes.extracting(min(coding.prefix, bytes.count)..<bytes.count)
    guard coding.mask != nil else {
      channels = try Self.coded(content, channelCount: 4, count: count)
      return
    }
    let alpha = mask.map { Array($0.prefix(count)) } ?? []
    channels = [alpha.count == count ? alpha : Array(repeating: 255, count: count)]
    do throws(ImageDecodingError) {
      channels += try Self.coded(content, channelCount: 3, count: count)
    } catch {
      guard let plain = Self.plain(content, count: count) else { throw error }
      channels += plain
    }
  }

  /// The channels of run-length coded pixels: a code above 127 repeats a byte 3 to 130 times. Where plain pixels would have
  /// the same length, nothing may follow.
  private static func coded(
    _ bytes: Span<UInt8>, channelCount: Int, count: Int
  ) throws(ImageDecodingError) -> [[UInt8]] {
    var position = 0
    var channels: [[UInt8]] = []
    for _ in 0..<channelCount {
      guard let values = bytes.unpacked(from: &position, count: count, repeats: { $0 - 125 }) else {
        throw .truncated(.icns, stage: "pixels")
      }
      channels.append(values)
    }
    guard channelCount > 3 || position == bytes.count || plainWidth(bytes, count: count) == nil else {
      throw .corrupt(.icns, stage: "pixels", reason: "bytes after the picture")
    }
    return channels
  }

  /// The bytes of a plain pixel; `nil` if the pixels must be coded. Codes never take a third more bytes than pixels.
  private static func plainWidth(_ bytes: Span<UInt8>, count: Int) -> Int? {
    bytes.count == 3 * count ? 3 : bytes.count >= 4 * count ? 4 : nil
  }

  /// The red, green and blue of plain pixels, as some programs write them: three bytes, or four of which the first is empty.
  private static func plain(_ bytes: Span<UInt8>, count: Int) -> [[UInt8]]? {
    guard let width = plainWidth(bytes, count: count) else { return nil }
    return (width - 3..<width).map { channel in (0..<count).map { bytes[$0 * width + channel] } }
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    for x in row.indices {
      let index = y * side + x
      row[x] = SIMD4(
        red: channels[1][index], green: channels[2][index], blue: channels[3][index],
        alpha: channels[0][index])
    }
    y += 1
    return true
  }
}
