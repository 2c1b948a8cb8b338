import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("ICO decoder")
struct ICODecoderTests {
  private func little(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A bitmap of one colour in the form of an icon, with a mask.
  private func entry(
    side: Int, bits: Int, pixel: [UInt8], mask: UInt8 = 0, height: Int? = nil
  ) -> [UInt8] {
    let head =
      little(40, 4) + little(side, 4) + little(height ?? side * 2, 4) + little(1, 2) + little(bits, 2)
    let row = Array(repeatElement(pixel, count: side).joined())
    let padded = row + [UInt8](repeating: 0, count: (4 - row.count % 4) % 4)
    let colors = Array(repeatElement(padded, count: side).joined())
    return head + little(0, 24) + colors + Array(repeatElement([mask, 0, 0, 0], count: side).joined())
  }

  /// - Parameter side: the width and the height that the directory states.
  private func file(_ entries: [[UInt8]], kind: Int = 1, side: UInt8 = 0) -> Data {
    var directory = little(0, 2) + little(kind, 2) + little(entries.count, 2)
    var offset = 6 + 16 * entries.count
    for entry in entries {
      directory +=
        [side, side, 0, 0] + little(1, 2) + little(32, 2) + little(entry.count, 4) + little(offset, 4)
      offset += entry.count
    }
    return Data(directory + entries.joined())
  }

  @Test("uses the largest picture, wherever it is in the directory", arguments: [1, 2])
  func largest(kind: Int) throws {
    let small = entry(side: 2, bits: 32, pixel: [0, 0, 255, 255])
    let large = entry(side: 4, bits: 32, pixel: [255, 0, 0, 255])
    for entries in [[small, large], [large, small]] {
      let picture = try CodecRegistry.standard.picture(from: file(entries, kind: kind))
      #expect(picture.size == PixelSize(4, 4))
      #expect(picture.bitmap[0, 0] == Pixel(red: 0, green: 0, blue: 255))
      #expect(picture.header?.type == .ico)
    }
  }

  @Test("uses alpha if there is any, and else the mask")
  func transparency() throws {
    let hidden = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
    let masked = file([entry(side: 1, bits: 24, pixel: [9, 9, 9], mask: 0x80)])
    #expect(try CodecRegistry.standard.picture(from: masked).bitmap[0, 0] == hidden)
    let old = file([entry(side: 1, bits: 32, pixel: [9, 9, 9, 0], mask: 0)])
    #expect(try CodecRegistry.standard.picture(from: old).bitmap[0, 0] == Pixel(red: 9, green: 9, blue: 9))
    let alpha = file([entry(side: 1, bits: 32, pixel: [255, 255, 255, 51], mask: 0x80)])
    #expect(
      try CodecRegistry.standard.picture(from: alpha).bitmap[0, 0]
        == Pixel(red: 51, green: 51, blue: 51, alpha: 51))
  }

  @Test("takes the height of the directory if the picture forgets to count its mask", arguments: [24, 32])
  func heights(bits: Int) throws {
    let pixel: [UInt8] = bits == 32 ? [1, 2, 3, 255] : [1, 2, 3]
    let wrong = entry(side: 4, bits: bits, pixel: pixel, mask: 0x40, height: 4)
    let picture = try CodecRegistry.standard.picture(from: file([wrong], side: 4))
    #expect(picture.size == PixelSize(4, 4))
    #expect(picture.bitmap[0, 0] == Pixel(red: 3, green: 2, blue: 1))
    #expect(picture.bitmap[1, 0].alpha == (bits == 32 ? 255 : 0))
    // A directory that states something else means nothing.
    #expect(try CodecRegistry.standard.picture(from: file([wrong], side: 9)).size == PixelSize(4, 2))
  }

  @Test("uses a smaller picture if only that is complete")
  func cut() throws {
    let small = entry(side: 2, bits: 32, pixel: [0, 0, 255, 255])
    let large = entry(side: 8, bits: 32, pixel: [255, 0, 0, 255])
    let data = file([small, large])
    // The larger one ends too early, also in its header, or is not there at all.
    for length in [data.count - 100, 6 + 16 * 2 + small.count + 20, 6 + 16 * 2 + small.count] {
      let picture = try CodecRegistry.standard.picture(from: data.prefix(length))
      #expect(picture.size == PixelSize(2, 2))
      #expect(picture.notes == ["the file is cut off: it may have had a larger picture"])
      #expect(CodecRegistry.standard.header(ofBeginning: data.prefix(length), limits: .default).size == nil)
    }
    let beginning = file([large]).prefix(80)
    #expect(
      CodecRegistry.standard.header(ofBeginning: beginning, limits: .default).size == PixelSize(8, 8))
    #expect(try CodecRegistry.standard.picture(from: data).notes.isEmpty)
    // Or it cannot be read.
    var damaged = data
    damaged[6 + 16 * 2 + small.count] = 99
    let notes = try CodecRegistry.standard.picture(from: damaged).notes
    #expect(notes.count == 1 && notes[0].hasPrefix("a larger picture is left out: "), "\(notes)")
  }

  @Test(
    "a picture that is there is whole, though the directory states too many bytes", arguments: [false, true])
  func statedLength(isPNG: Bool) throws {
    let small = entry(side: 2, bits: 32, pixel: [0, 0, 255, 255])
    let large =
      isPNG ? [UInt8](try fixture("matrix/png-rgba8.png")) : entry(side: 8, bits: 24, pixel: [255, 0, 0])
    var data = file([small, large])
    // The highest byte of the length of the second.
    data[6 + 16 + 11] = 1
    let picture = try CodecRegistry.standard.picture(from: data)
    #expect(picture.size != PixelSize(2, 2))
    #expect(picture.notes.isEmpty)
    // Without its last byte it may be cut.
    #expect(try CodecRegistry.standard.picture(from: data.dropLast()).size == PixelSize(2, 2))
  }

  @Test("an icon that is cut off is a truncated ICO, whatever is in it")
  func truncated() throws {
    let bitmap = file([entry(side: 8, bits: 32, pixel: [255, 0, 0, 255])])
    let png = file([[UInt8](try fixture("matrix/png-rgba8.png"))])
    for data in [bitmap, png] {
      for length in 30..<data.count - 40 {
        let error = #expect(throws: ImageDecodingError.self) {
          try CodecRegistry.standard.picture(from: data.prefix(length))
        }
        guard case .truncated(.ico, _) = error else {
          Issue.record("\(length) bytes: \(String(describing: error))")
          return
        }
      }
    }
  }

  @Test("refuses a directory that claims more than there is")
  func bomb() {
    let data = Data([0, 0, 1, 0, 255, 0] + [UInt8](repeating: 0, count: 16))
    #expect(throws: ImageDecodingError.truncated(.ico, stage: "directory")) {
      try CodecRegistry.standard.picture(from: data)
    }
  }
}
