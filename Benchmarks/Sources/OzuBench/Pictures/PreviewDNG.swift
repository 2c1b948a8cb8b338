import Foundation
import Ozu

/// A DNG whose preview is a given JPEG: what a camera writes, without the pixels of the sensor, which nobody reads.
enum PreviewDNG {
  static func file(_ jpeg: Data, _ size: PixelSize) -> Data {
    let (byte, text, short, long) = (1, 2, 3, 4)
    let places = 8 + byteCount(ofDirectory: 5), sensor = places + 8,
      preview = sensor + byteCount(ofDirectory: 6)
    let start = preview + byteCount(ofDirectory: 7)
    var file = Data("II*\0".utf8) + little(8, 4)
    file += directory([
      (254, long, 1, 1), (271, text, 4, 0x75_7A4F), (274, short, 1, 1), (330, long, 2, places),
      (50_706, byte, 4, 0x0401),
    ])
    file += little(sensor, 4) + little(preview, 4)
    file += directory([
      (254, long, 1, 0), (256, long, 1, size.width * 2), (257, long, 1, size.height * 2),
      (262, short, 1, 32_803),
      (273, long, 1, start), (279, long, 1, jpeg.count),
    ])
    file += directory([
      (254, long, 1, 1), (256, long, 1, size.width), (257, long, 1, size.height), (259, short, 1, 7),
      (262, short, 1, 6), (273, long, 1, start), (279, long, 1, jpeg.count),
    ])
    return file + jpeg
  }

  private static func byteCount(ofDirectory entryCount: Int) -> Int { 2 + entryCount * 12 + 4 }

  private static func directory(_ entries: [(tag: Int, type: Int, count: Int, value: Int)]) -> Data {
    entries.reduce(little(entries.count, 2)) {
      $0 + little($1.tag, 2) + little($1.type, 2) + little($1.count, 4) + little($1.value, 4)
    } + little(0, 4)
  }

  private static func little(_ value: Int, _ byteCount: Int) -> Data {
    Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
  }
}
