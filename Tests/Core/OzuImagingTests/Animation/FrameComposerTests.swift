import OzuBase
import Testing

@testable import OzuImaging

/// Frames of one colour each.
private final class FakeFrames: AnimationFrameReading {
  let canvas = PixelSize(2, 1)
  let frames: [AnimationFrame]
  let loopCount = 0
  private let colors: [Pixel]
  private let log = Mutex<[Int]>([])

  init(_ frames: [(AnimationFrame, Pixel)]) {
    self.frames = frames.map(\.0)
    colors = frames.map(\.1)
  }

  var decoded: [Int] { log.withLock { $0 } }

  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    log.withLock { $0.append(index) }
    let color = colors[index]
    return Bitmap(size: frames[index].size, isOpaque: color.alpha == 255) { _, _ in color }
  }
}

@Suite("Frame composer")
struct FrameComposerTests {
  private static let red = Pixel(red: 255, green: 0, blue: 0)
  private static let green = Pixel(red: 0, green: 255, blue: 0)
  private static let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
  private static let half = Pixel(red: 0, green: 0, blue: 128, alpha: 128)

  private func frame(
    _ x: Int, _ width: Int, _ disposal: AnimationFrame.Disposal = .keep,
    _ blend: AnimationFrame.Blend = .source
  ) -> AnimationFrame {
    AnimationFrame(x: x, size: PixelSize(width, 1), delay: .zero, disposal: disposal, blend: blend)
  }

  private func pixels(_ reader: FakeFrames) throws -> [[Pixel]] {
    var composer = try FrameComposer(reader, of: reader.canvas)
    return try reader.frames.indices.map { index in
      let bitmap = try composer.compose(index, context: DecodingContext())
      return [bitmap[0, 0], bitmap[1, 0]]
    }
  }

  @Test("keeps, clears or restores what a frame has painted")
  func disposal() throws {
    for (disposal, left) in [
      (AnimationFrame.Disposal.keep, Self.green), (.clear, Self.clear), (.restore, Self.red),
    ] {
      let reader = FakeFrames([
        (frame(0, 2), Self.red), (frame(0, 1, disposal), Self.green), (frame(1, 1), Self.green),
      ])
      #expect(try pixels(reader) == [[Self.red, Self.red], [Self.green, Self.red], [left, Self.green]])
    }
  }

  @Test("replaces the pixels of the canvas, or blends over them")
  func blend() throws {
    let over = FakeFrames([(frame(0, 2), Self.red), (frame(0, 1, .keep, .over), Self.half)])
    #expect(try pixels(over)[1] == [Pixel(red: 127, green: 0, blue: 128), Self.red])
    let source = FakeFrames([(frame(0, 2), Self.red), (frame(0, 1), Self.half)])
    #expect(try pixels(source)[1] == [Self.half, Self.red])
  }

  @Test("starts again at the last frame that does not depend on earlier ones")
  func independent() throws {
    let reader = FakeFrames([
      (frame(0, 2), Self.red), (frame(0, 1), Self.green), (frame(0, 2), Self.green), (frame(1, 1), Self.red),
    ])
    var composer = try FrameComposer(reader, of: reader.canvas)
    _ = try composer.compose(3, context: DecodingContext())
    #expect(reader.decoded == [2, 3])
    _ = try composer.compose(1, context: DecodingContext())
    #expect(reader.decoded == [2, 3, 0, 1])
  }
}
