import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Animations that are written")
struct AnimationWritingTests {
  private static let types = [ImageType.gif, .png, .webp].filter(
    CodecRegistry.standard.encodableAnimationTypes.contains)

  /// Each format with the frames that it keeps exactly.
  static let cases: [(type: ImageType, frames: FrameSequence)] = types.flatMap { type in
    (FrameSequence.plain + (type == .gif ? [] : FrameSequence.translucent)).map { (type, $0) }
  }

  @Test("are read again with their pixels, delays and loops", arguments: cases)
  func roundTrip(type: ImageType, frames: FrameSequence) throws {
    let picture = try CodecRegistry.standard.picture(from: frames.encoded(as: type))
    #expect(picture.notes.isEmpty)
    #expect(picture.size == frames.size)
    #expect(picture.header?.type == type)
    let seen = frames.seen
    #expect(picture.bitmap == seen[0].frame)
    guard seen.count > 1 else {
      #expect(picture.animation == nil)
      return
    }
    let animation = try #require(picture.animation)
    #expect(animation.loopCount == frames.loopCount)
    try #require(animation.frameCount == seen.count)
    let unit = Duration.milliseconds(type == .gif ? 10 : 1)
    for index in seen.indices {
      #expect(try animation.frame(at: index) == seen[index].frame, "frame \(index)")
      let difference = animation.delays[index] - seen[index].delay
      #expect((.zero - unit...unit).contains(difference))
    }
    #expect(animation.duration == seen.reduce(.zero) { $0 + $1.delay })
  }

  @Test("store only the area that changes", arguments: types)
  func changes(type: ImageType) throws {
    func byteCount(_ count: Int) throws -> Int {
      try FrameSequence("", 200, 150, count: count) { x, y, index in
        x == index && y == 75 ? FrameSequence.red : FrameSequence.speckle(x, y, 0, colorCount: 90)
      }.encoded(as: type).count
    }
    // A still PNG may have a palette, which animations have not.
    let (two, ten) = (try byteCount(2), try byteCount(10))
    #expect(two > 10_000)
    #expect(ten < two + two / 10 + 8 * 120)
  }

  @Test("store the loop count in the way of each format", arguments: types, [0, 1, 2, 65_535])
  func loops(type: ImageType, loopCount: Int) throws {
    let frames = FrameSequence("", 2, 2, count: 2, loopCount: loopCount) { _, _, index in
      index == 0 ? FrameSequence.red : FrameSequence.blue
    }
    let data = try frames.encoded(as: type)
    #expect(try CodecRegistry.standard.picture(from: data).animation?.loopCount == loopCount)
    guard type == .gif else { return }
    // GIF counts repetitions.
    let name = data.range(of: Data("NETSCAPE2.0".utf8))
    #expect((name == nil) == (loopCount == 1))
    guard let end = name?.upperBound else { return }
    #expect(Int(data[end + 2]) | Int(data[end + 3]) << 8 == max(0, loopCount - 1))
  }

  /// Milliseconds, and the hundredths of a second in GIF.
  static let delays: [(milliseconds: [Int], hundredths: [Int])] = [
    ([25, 25, 25, 25], [3, 2, 3, 2]), ([33, 33, 34, 33, 33, 34], [3, 4, 3, 3, 4, 3]),
    // Players show a frame of one hundredth for ten hundredths, so no frame is shortened to one to correct the sum.
    ([16, 16, 16, 16], [2, 2, 2, 2]), ([10, 10, 10], [1, 1, 1]), ([0, 0, 4], [0, 0, 0]),
    ([12, 13, 12], [2, 2, 2]), ([700_000, 40, 40], [65_535, 4, 4]),
  ]

  @Test("have delays whose sum does not drift", arguments: delays)
  func drift(milliseconds: [Int], hundredths: [Int]) throws {
    let frames = FrameSequence("", 4, 1, count: milliseconds.count, delays: milliseconds) { x, _, index in
      x == index % 4 ? FrameSequence.red : FrameSequence.blue
    }
    let animation = try #require(
      CodecRegistry.standard.picture(from: frames.encoded(as: .gif)).animation)
    #expect(animation.delays == hundredths.map { .milliseconds($0 * 10) })
    for type in Self.types where type != .gif {
      let animation = try #require(
        CodecRegistry.standard.picture(from: frames.encoded(as: type)).animation)
      for (delay, wanted) in zip(animation.delays, milliseconds) {
        // A PNG counts delays of more than 65 seconds in hundredths.
        #expect(delay == .milliseconds(wanted))
      }
    }
  }

  @Test("show a frame for longer than one delay can store", arguments: types)
  func longFrame(type: ImageType) throws {
    let frames = FrameSequence("", 3, 3, count: 4, delays: [500_000, 500_000, 100]) { _, _, index in
      index < 3 ? FrameSequence.red : FrameSequence.blue
    }
    let animation = try #require(
      CodecRegistry.standard.picture(from: frames.encoded(as: type)).animation)
    #expect(animation.duration == .milliseconds(1_500_100))
    #expect(try animation.frame(at: 0)[2, 2] == FrameSequence.red)
    #expect(try animation.frame(at: animation.frameCount - 1)[2, 2] == FrameSequence.blue)
  }

  @Test("refuse frames of another size, frames after the end, and an end without frames", arguments: types)
  func misuse(type: ImageType) throws {
    let encoder = try CodecRegistry.standard.animationEncoder(for: type)
    let frame = Bitmap(size: PixelSize(4, 4)) { _, _ in FrameSequence.red }
    let writer = try encoder.makeWriter(canvas: frame.size, loopCount: 0, options: .init())
    #expect(throws: ImageEncodingError.failed(type, reason: "frame 0 has 4x5 pixels instead of 4x4")) {
      try writer.append(Bitmap(size: PixelSize(4, 5)) { _, _ in FrameSequence.red }, duration: .zero)
    }
    // No duration is refused, and the sum of none overflows.
    for duration in [Duration.seconds(-1), .seconds(Int64.max), .seconds(Int64.max), .seconds(Int64.min)] {
      try writer.append(frame, duration: duration)
    }
    #expect(try !writer.finish().isEmpty)
    #expect(throws: ImageEncodingError.self) { try writer.append(frame, duration: .zero) }
    #expect(throws: ImageEncodingError.self) { try writer.finish() }
    let other = try encoder.makeWriter(canvas: frame.size, loopCount: 0, options: .init())
    #expect(throws: ImageEncodingError.failed(type, reason: "an animation without frames")) {
      try other.finish()
    }
    for canvas in [PixelSize(0, 4), PixelSize(Int(Int32.max) + 1, 1)] {
      #expect(throws: ImageEncodingError.tooLarge(type, canvas)) {
        try encoder.makeWriter(canvas: canvas, loopCount: 0, options: .init())
      }
    }
  }

  @Test("are PNG without alpha if no frame has alpha and few pixels stay equal")
  func pngColors() throws {
    func colorType(_ name: String) throws -> UInt8 {
      let frames = try #require(
        (FrameSequence.plain + FrameSequence.translucent).first { $0.name == name })
      return try frames.encoded(as: .png)[25]
    }
    #expect(try colorType("colours that change all the time") == 2)
    // It is written as a still picture, whose layout may be another one.
    let alone = try #require(FrameSequence.plain.first { $0.name == "equal frames alone" })
    #expect(try alone.encoded(as: .png) == CodecRegistry.standard.encode(alone.frame(0), as: .png))
    #expect(try colorType("transparency that comes late") == 6)
    #expect(try colorType("holes in a picture") == 6)
    // Two corners change, and the pixels between them do not.
    let corners = FrameSequence("", 30, 30, count: 3) { x, y, index in
      x == y && x % 29 == 0 && index % 2 == 1 ? .white : FrameSequence.speckle(x, y, 0, colorCount: 99)
    }
    #expect(try corners.encoded(as: .png)[25] == 6)
  }

  #if os(Linux) && !OZU_ASAN && !OZU_TSAN
    /// Resident memory in bytes.
    private static func residentByteCount() throws -> Int {
      let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return try #require(Int(fields[1])) * 4096
    }

    @Test("of 100 frames of 640 x 480 take a few canvases beside the file", arguments: types)
    func memory(type: ImageType) throws {
      let size = PixelSize(640, 480)
      let writer = try CodecRegistry.standard.animationEncoder(for: type).makeWriter(
        canvas: size, loopCount: 0, options: .init(effort: .low))
      let frames = (0..<10).map { index in
        Bitmap(size: size) { x, y in
          Pixel(red: UInt8((x / 8 + index) % 256), green: UInt8(y / 8), blue: UInt8(x / 16))
        }
      }
      var first: Int?
      var least = Int.max
      for index in 0..<100 {
        try writer.append(frames[index % 10], duration: .milliseconds(40))
        // After pools and tables were allocated.
        if index == 20 { first = try Self.residentByteCount() }
        // The least, as other tests of this process take memory for a while. Forty frames more would be 49 MB.
        if index > 60 { least = min(least, try Self.residentByteCount() - writer.byteCount) }
      }
      let fileByteCount = try writer.finish().count
      // libwebp does not report the bytes that it has written.
      #expect(least - (try #require(first)) < 24 << 20 + (type == .webp ? 2 * fileByteCount : 0))
    }
  #endif
}
