import Foundation
import Testing

@testable import OzuImaging

/// A reader of an app that returns arbitrary values.
private struct ForeignFrames: AnimationFrameReading {
  let canvas: PixelSize
  let frames: [AnimationFrame]
  var loopCount = 0
  /// Makes the bitmap that is returned instead of the frame's.
  var bitmap: @Sendable (AnimationFrame) -> Bitmap = { Bitmap.flat(.opaqueRed, size: $0.size) }

  func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    bitmap(frames[index])
  }
}

/// A decoder of an app with such a reader.
private struct ForeignDecoder: ImageDecoding {
  let reader: ForeignFrames

  var types: [ImageType] { [.png] }

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    ForeignFile(reader)
  }
}

private final class ForeignFile: ImageFile {
  let header = ImageHeader(type: .png, storedSize: PixelSize(64, 64), frameCount: 2)
  private let reader: ForeignFrames

  init(_ reader: ForeignFrames) { self.reader = reader }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    .flat(.opaqueRed, size: plan.decodedSize)
  }

  func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? { reader }
}

@Suite("Frames of a decoder of an app's own")
struct ForeignFramesTests {
  private static let canvas = PixelSize(64, 64)
  private static let whole = AnimationFrame(size: canvas, delay: .zero)

  private static func frame(
    _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ disposal: AnimationFrame.Disposal = .keep
  ) -> AnimationFrame {
    AnimationFrame(x: x, y: y, size: PixelSize(width, height), delay: .zero, disposal: disposal)
  }

  static let outside: [AnimationFrame] = [
    frame(0, 62, 8, 8), frame(62, 0, 8, 8), frame(0, 4_000_000, 8, 8), frame(4_000_000, 0, 8, 8),
    frame(-1, 0, 8, 8), frame(0, -1, 8, 8), frame(0, 0, 65, 64), frame(0, 0, 64, 65),
    frame(.max, .max, 8, 8), frame(.min, .min, 8, 8), frame(0, 0, .max, .max), frame(8, 8, .max, .max),
    frame(0, 0, 0, 8), frame(0, 0, 8, -8), frame(0, 62, 8, 8, .clear), frame(.max, 0, 1, 1, .clear),
  ]

  @Test("that lie outside the canvas are not shown, and a note says so", arguments: outside)
  func registry(frame: AnimationFrame) throws {
    for frames in [[Self.whole, frame], [frame, Self.whole]] {
      var codecs = CodecRegistry()
      codecs.register(decoder: ForeignDecoder(reader: ForeignFrames(canvas: Self.canvas, frames: frames)))
      let picture = try codecs.picture(from: Signature.png)
      #expect(picture.size == Self.canvas)
      #expect(picture.animation == nil)
      #expect(picture.notes.count == 1)
      #expect(picture.notes.first?.hasPrefix("shown without its animation: frame ") == true)
    }
  }

  @Test("that lie outside the canvas make no composer, so that nothing is written", arguments: outside)
  func composer(frame: AnimationFrame) {
    let small = Bitmap.flat(.opaqueRed, size: PixelSize(8, 8))
    let reader = ForeignFrames(canvas: Self.canvas, frames: [Self.whole, frame]) {
      $0.size == Self.canvas ? .flat(.opaqueRed, size: Self.canvas) : small
    }
    #expect(throws: AnimationTrack.Flaw.self) {
      try FrameComposer(reader, of: Self.canvas)
    }
  }

  static let oddities: [(PixelSize, Int, String)] = [
    (PixelSize(63, 64), 2, "its frames are for a canvas of 63x64"),
    (PixelSize(.max, .max), 2, "its frames are for a canvas of \(Int.max)x\(Int.max)"),
    (PixelSize(64, 64), 1, "it has 1 frames"), (PixelSize(64, 64), 0, "it has 0 frames"),
  ]

  @Test("of another canvas, or too few, are not shown", arguments: oddities)
  func odd(canvas: PixelSize, count: Int, words: String) throws {
    let frames = [AnimationFrame](repeating: AnimationFrame(size: canvas, delay: .zero), count: count)
    var codecs = CodecRegistry()
    codecs.register(decoder: ForeignDecoder(reader: ForeignFrames(canvas: canvas, frames: frames)))
    let picture = try codecs.picture(from: Signature.png)
    #expect(picture.animation == nil)
    #expect(picture.notes == ["shown without its animation: \(words)"])
  }

  static let times: [(Duration, Int, String)] = [
    (.milliseconds(-1), 0, "frame 1 has a delay of -0.001 seconds"),
    (.seconds((1 << 32) + 1), 0, "frame 1 has a delay of 4294967297.0 seconds"),
    (.seconds(Int64.max), 0, "frame 1 has a delay of 9.223372036854776e+18 seconds"),
    (.zero, -3, "its loop count is -3"),
  ]

  @Test("with an impossible delay or loop count are not shown", arguments: times)
  func absurdTime(delay: Duration, loopCount: Int, words: String) throws {
    var late = Self.whole
    late.delay = delay
    var codecs = CodecRegistry()
    let frames = ForeignFrames(canvas: Self.canvas, frames: [Self.whole, late], loopCount: loopCount)
    codecs.register(decoder: ForeignDecoder(reader: frames))
    let picture = try codecs.picture(from: Signature.png)
    #expect(picture.animation == nil)
    #expect(picture.notes == ["shown without its animation: \(words)"])
  }

  @Test("with the longest delay that a format can store are played")
  func longest() throws {
    var long = Self.whole
    long.delay = AnimationTrack.longestDelay
    var codecs = CodecRegistry()
    let frames = ForeignFrames(canvas: Self.canvas, frames: [AnimationFrame](repeating: long, count: 5))
    codecs.register(decoder: ForeignDecoder(reader: frames))
    let animation = try #require(try codecs.picture(from: Signature.png).animation)
    #expect(animation.duration == .seconds(5 << 32))
  }

  @Test(
    "whose bitmaps have another size are errors",
    arguments: [PixelSize(7, 8), PixelSize(8, 7), PixelSize(1, 1), PixelSize(64, 64)], PixelFormat.allCases)
  func sizes(size: PixelSize, format: PixelFormat) throws {
    let reader = ForeignFrames(
      canvas: Self.canvas, frames: [Self.frame(0, 0, 8, 8), Self.frame(56, 56, 8, 8)]
    ) { _ in Bitmap.flat(.opaqueRed, size: size).converted(to: format) }
    var codecs = CodecRegistry()
    codecs.register(decoder: ForeignDecoder(reader: reader))
    let animation = try #require(try codecs.picture(from: Signature.png).animation)
    for index in 0..<2 {
      #expect(throws: ImageDecodingError.self) { try animation.frame(at: index) }
    }
  }

  @Test("may come in any format", arguments: PixelFormat.allCases, [8, 64])
  func formats(format: PixelFormat, side: Int) throws {
    func frames(_ format: PixelFormat) throws -> [Bitmap] {
      let noise = Bitmap.noise(size: PixelSize(side, side)).converted(to: format)
      let place = 64 - side
      let reader = ForeignFrames(
        canvas: Self.canvas,
        frames: [
          Self.frame(0, 0, side, side), Self.frame(place, place, side, side, .clear),
          Self.frame(0, 0, side, side),
        ]
      ) { _ in noise }
      var codecs = CodecRegistry()
      codecs.register(decoder: ForeignDecoder(reader: reader))
      let animation = try #require(try codecs.picture(from: Signature.png).animation)
      return try (0..<3).map { try animation.frame(at: $0) }
    }
    let shown = try frames(format)
    #expect(shown.allSatisfy { $0.format == .bgra8 && $0.size == Self.canvas })
    // The same as of pixels that were converted before.
    let converted = Bitmap.noise(size: PixelSize(side, side)).converted(to: format).converted(to: .bgra8)
    #expect(shown[0][side - 1, side - 1] == converted[side - 1, side - 1])
    #expect(shown[1][63, 63] == converted[side - 1, side - 1])
    #expect(shown[2][0, 0] == converted[0, 0])
  }
}
