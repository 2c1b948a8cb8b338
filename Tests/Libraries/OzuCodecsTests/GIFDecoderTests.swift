import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("GIF decoder")
struct GIFDecoderTests {
  private let red = Pixel(red: 255, green: 0, blue: 0)
  private let green = Pixel(red: 0, green: 255, blue: 0)
  private let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)

  @Test("shows the rows of an interlaced picture in their order")
  func interlaced() throws {
    // Rows are stored as 0, 8, 4, 2, 6, 1, 3, 5, 7.
    let order: [UInt8] = [0, 0, 1, 2, 2, 3, 3, 3, 3]
    let file = GIFWriter(
      width: 1, height: 9, frames: [.init(width: 1, height: 9, indices: order, isInterlaced: true)])
    let bitmap = try CodecRegistry.standard.picture(from: file.data).bitmap
    let white = Pixel(red: 255, green: 255, blue: 255)
    let blue = Pixel(red: 0, green: 0, blue: 255)
    let column = (0..<9).map { bitmap[0, $0] }
    #expect(column == [red, white, blue, white, green, white, blue, white, red])
  }

  @Test("leaves pixels transparent that a first frame with transparency does not paint")
  func transparent() throws {
    let frame = GIFWriter.Frame(x: 1, y: 0, width: 1, height: 2, indices: [1, 3], transparent: 3)
    let file = GIFWriter(width: 3, height: 2, frames: [frame])
    let bitmap = try CodecRegistry.standard.picture(from: file.data).bitmap
    #expect(!bitmap.isOpaque)
    #expect(bitmap[1, 0] == green)
    #expect([bitmap[0, 0], bitmap[1, 1], bitmap[2, 1]] == [clear, clear, clear])
  }

  @Test("leaves pixels transparent that an opaque first frame does not cover, as browsers do")
  func uncovered() throws {
    let file = GIFWriter(
      width: 2, height: 1,
      frames: [.init(width: 1, height: 1, indices: [1]), .init(width: 1, height: 1, indices: [0])])
    let picture = try CodecRegistry.standard.picture(from: file.data)
    #expect(!picture.bitmap.isOpaque && picture.header?.hasAlpha == true)
    #expect([picture.bitmap[0, 0], picture.bitmap[1, 0]] == [green, clear])
    let second = try #require(picture.animation).frame(at: 1)
    #expect([second[0, 0], second[1, 0]] == [red, clear])
    let covered = GIFWriter(width: 1, height: 1, frames: [.init(width: 1, height: 1, indices: [1])])
    #expect(try CodecRegistry.standard.header(of: covered.data).hasAlpha == false)
  }

  @Test(
    "reads a minimum code size that is larger than the specification allows", arguments: [2, 8, 9, 10, 11])
  func longCodes(minimum: Int) throws {
    let frame = GIFWriter.Frame(width: 3, height: 2, indices: [0, 1, 2, 3, 2, 1], minimumCodeSize: minimum)
    let bitmap = try CodecRegistry.standard.picture(
      from: GIFWriter(width: 3, height: 2, frames: [frame]).data
    ).bitmap
    let plain = GIFWriter.Frame(width: 3, height: 2, indices: [0, 1, 2, 3, 2, 1])
    #expect(
      try bitmap
        == CodecRegistry.standard.picture(from: GIFWriter(width: 3, height: 2, frames: [plain]).data).bitmap)
  }

  @Test("refuses first codes of more than 12 bits, or of none", arguments: [0, 12, 255])
  func impossibleCodes(minimum: Int) throws {
    var file = GIFWriter(width: 1, height: 1, frames: [.init(width: 1, height: 1, indices: [1])]).data
    let place = try #require(file.range(of: Data([0, 0, 0, 0, 1, 0, 1, 0, 0, 2]))).upperBound - 1
    file[place] = UInt8(minimum)
    #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.picture(from: file) }
  }

  @Test("grows a screen that is smaller than the first frame, and clips later ones")
  func extent() throws {
    let file = GIFWriter(
      width: 1, height: 1,
      frames: [
        .init(width: 2, height: 2, indices: [0, 0, 0, 0]),
        .init(x: 1, y: 1, width: 2, height: 2, indices: [1, 1, 1, 1]),
      ])
    let picture = try CodecRegistry.standard.picture(from: file.data)
    #expect(picture.size == PixelSize(2, 2))
    let second = try #require(picture.animation).frame(at: 1)
    #expect([second[0, 0], second[1, 1]] == [red, green])
  }

  @Test(
    "shows no pixel of a frame outside the screen, for its whole delay, and clears none behind it",
    arguments: 0...3)
  func outside(disposal: Int) throws {
    let file = GIFWriter(
      width: 2, height: 1,
      frames: [
        .init(width: 2, height: 1, indices: [0, 0]),
        .init(x: 5, y: 5, width: 1, height: 1, indices: [1], disposal: disposal, hundredths: 50),
        .init(x: 1, width: 1, height: 1, indices: [1]),
      ])
    let animation = try #require(try CodecRegistry.standard.picture(from: file.data).animation)
    #expect(animation.delays[1] == .milliseconds(500))
    #expect(try animation.frame(at: 1)[0, 0] == red)
    let third = try animation.frame(at: 2)
    #expect([third[0, 0], third[1, 0]] == [red, green])
  }

  @Test("reports that codes are missing, or returns the rows that exist")
  func truncated() throws {
    let data = try fixture("matrix/gif-palette.gif")
    let cut = data.prefix(data.count / 2)
    #expect(throws: ImageDecodingError.truncated(.gif, stage: "image data")) {
      try CodecRegistry.standard.picture(from: cut)
    }
    let part = try CodecRegistry.standard.picture(from: cut, context: .init(allowsTruncation: true)).bitmap
    let whole = try CodecRegistry.standard.picture(from: data).bitmap
    #expect(part[0, 0] == whole[0, 0])
    #expect(part[63, 47] == Pixel(red: 128, green: 128, blue: 128))
  }

  @Test("refuses an undefined code")
  func badCode() {
    var file = GIFWriter(width: 2, height: 2, frames: [.init(width: 2, height: 2, indices: [0, 0, 0, 0])])
      .data
    // The codes begin after the last header: clear, then a code that is not defined yet.
    let codes = file.count - 5
    file[codes] = 0b0011_1100
    let error = #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.picture(from: file) }
    guard case .corrupt(.gif, "image data", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("refuses a file without a picture")
  func refused() {
    let empty = GIFWriter(width: 2, height: 2, frames: []).data
    let error = ImageDecodingError.corrupt(.gif, stage: "header", reason: "it contains no picture")
    #expect(throws: error) { try CodecRegistry.standard.picture(from: empty) }
  }
}
