import Foundation
import OzuBase
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Animations of files that are written in another format")
struct AnimationEncodingTests {
  private static let sources = ["anim.gif", "anim.png", "anim-lossless.webp", "anim.avif", "anim.jxl"]
    .filter(isDecodable)
  private static let types = CodecRegistry.standard.encodableAnimationTypes
  static let cases = sources.flatMap { source in types.map { (source, $0) } }

  private let codecs = CodecRegistry.standard
  private let lossless = EncodingOptions(isLossless: true)

  private func animation(_ source: String, resize: Resize? = nil) throws -> PictureAnimation {
    try #require(try picture("matrix/\(source)", resize: resize).animation)
  }

  @Test("keep frames, delays and loops", arguments: cases)
  func conversion(source: String, type: ImageType) throws {
    let before = try animation(source)
    let data = try codecs.encode(before, as: type, options: lossless)
    let after = try #require(try codecs.picture(from: data).animation)
    #expect(after.delays == before.delays)
    #expect(after.loopCount == before.loopCount)
    for index in 0..<before.frameCount {
      let (old, new) = (try before.frame(at: index), try after.frame(at: index))
      // A GIF keeps every pixel of another GIF, and approximates other pictures.
      if type == .gif, source != "anim.gif" {
        #expect(new.meanDifference(from: old) < 12)
      } else {
        #expect(new == old)
      }
    }
  }

  @Test("are written at the size of the picture, and after a transformation", arguments: types)
  func transformed(type: ImageType) throws {
    let small = try animation("anim.gif", resize: Resize(PixelSize(16, 12)))
    let data = try codecs.encode(small, as: type, options: lossless)
    #expect(try codecs.picture(from: data).size == PixelSize(16, 12))
    let tiled = try codecs.encode(
      small, as: type, options: lossless,
      transforming: { _, index in
        Bitmap(size: PixelSize(10, 5)) { x, _ in x == index ? .white : .black }
      })
    let after = try #require(try codecs.picture(from: tiled).animation)
    #expect(try after.frame(at: 2)[2, 0] == .white)
    #expect(try after.frame(at: 2)[1, 0] == .black)
    #expect(after.delays == small.delays)
  }

  @Test("have limits on the pixels and the processor time of all frames together")
  func limits() throws {
    let animation = try animation("anim.gif", resize: Resize(PixelSize(16, 12)))
    let canvas = try picture("matrix/anim.gif").size
    let pixelCount = animation.frameCount * canvas.pixelCount
    // The frames are decoded at the size of the source.
    var limits = AnimationEncodingLimits(pixelCount: pixelCount)
    #expect(throws: Never.self) { try codecs.encode(animation, as: .gif, limits: limits) }
    limits.pixelCount -= 1
    #expect(throws: ImageEncodingError.tooManyPixels(.gif, pixelCount: pixelCount, limit: pixelCount - 1)) {
      try codecs.encode(animation, as: .gif, limits: limits)
    }
    limits = AnimationEncodingLimits(cpuTime: .nanoseconds(1))
    #expect(throws: ImageEncodingError.tooMuchTime(.gif, frameCount: 1, limit: .nanoseconds(1))) {
      try codecs.encode(animation, as: .gif, limits: limits)
    }
    limits.cpuTime = .seconds(600)
    limits.usedTime = .seconds(600)
    #expect(throws: ImageEncodingError.tooMuchTime(.gif, frameCount: 1, limit: .seconds(600))) {
      try codecs.encode(animation, as: .gif, limits: limits)
    }
  }

  @Test("leave no frame in the cache of the animation")
  func cache() throws {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let picture = try codecs.picture(
      from: fixture("matrix/anim.gif"), context: DecodingContext(pool: pool))
    let animation = try #require(picture.animation)
    let before = pool.statistics.lentByteCount
    _ = try codecs.encode(animation, as: .gif)
    // The canvas of the composer stays, for the next frame.
    #expect(pool.statistics.lentByteCount <= before + picture.bitmap.byteCount)
  }

  @Test("stop between frames when they are cancelled, and report what failed", arguments: types)
  func failures(type: ImageType) throws {
    let animation = try animation("anim.gif")
    let count = Mutex(0)
    #expect(throws: ImageEncodingError.cancelled) {
      try codecs.encode(animation, as: type, isCancelled: { count.withLock { $0 } == 2 }) { frame, _ in
        count.withLock { $0 += 1 }
        return frame
      }
    }
    #expect(count.withLock { $0 } == 2)
    #expect(throws: ImageEncodingError.cancelled) {
      try codecs.encode(animation, as: type, transforming: { _, _ in throw CancellationError() })
    }
    #expect(throws: ImageEncodingError.tooManyFrames(type, frameCount: 4, limit: 3)) {
      try codecs.encode(animation, as: type, limits: AnimationEncodingLimits(frameCount: 3))
    }
    for (options, limits) in [
      (EncodingOptions(maximumByteCount: 100), AnimationEncodingLimits()),
      (EncodingOptions(), AnimationEncodingLimits(encodedByteCount: 100)),
    ] {
      let error = #expect(throws: ImageEncodingError.self) {
        try codecs.encode(animation, as: type, options: options, limits: limits)
      }
      guard case .tooManyBytes(type, let byteCount, limit: 100) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(byteCount > 100)
    }
    #expect {
      try codecs.encode(
        animation, as: type,
        transforming: { frame, index in
          if index == 1 { throw ImageEncodingError.unsupportedType(.bmp) }
          return frame
        })
    } throws: {
      "\($0)".hasSuffix("frame 1 cannot be processed: BMP cannot be written")
    }
  }

  @Test("have a lower quality where a limit on bytes asks for it")
  func byteLimit() throws {
    guard Self.types.contains(.webp) else { return }
    let animation = try animation("anim.gif")
    func file(_ options: EncodingOptions) throws -> Data {
      try codecs.encode(animation, as: .webp, options: options)
    }
    let whole = try file(EncodingOptions(compressionQuality: 0.9))
    let least = try file(EncodingOptions(compressionQuality: 0))
    let limit = (whole.count + least.count) / 2
    let fitting = try file(EncodingOptions(compressionQuality: 0.9, maximumByteCount: limit))
    #expect(limit < whole.count && fitting.count <= limit)
    #expect(try codecs.picture(from: fitting).animation?.frameCount == animation.frameCount)
    #expect(throws: ImageEncodingError.self) {
      try file(EncodingOptions(compressionQuality: 0.9, isLossless: true, maximumByteCount: least.count / 2))
    }
  }

  @Test("fail with the number of a frame that cannot be decoded, or end before it")
  func damaged() throws {
    var data = try fixture("matrix/anim.png")
    let last = try #require(data.range(of: Data("fdAT".utf8), options: .backwards)).upperBound
    data[last + 10] ^= 0xFF
    let animation = try #require(try codecs.picture(from: data).animation)
    #expect {
      try codecs.encode(animation, as: .gif)
    } throws: {
      "\($0)".contains("frame 3 cannot be decoded")
    }
    var end: Int?
    let file = try codecs.encode(animation, as: .gif, onEnd: { index, _ in end = index })
    #expect(end == 3)
    let written = try #require(try codecs.picture(from: file).animation)
    #expect(written.delays == Array(animation.delays.prefix(3)))
  }

  @Test("are refused if the file would not say what their colours are", arguments: types)
  func coded(type: ImageType) throws {
    let animation = try animation("anim.gif")
    #expect(
      throws: ImageEncodingError.failed(type, reason: "it has no place for the colours of H.273 12/13")
    ) {
      try codecs.encode(
        animation, as: type,
        transforming: { frame, _ in frame.withColorSpace(.coded(primaries: 12, transfer: 13)) })
    }
  }

  @Test("are not written in formats without animations", arguments: [ImageType.jpeg, .avif, .bmp])
  func stills(type: ImageType) throws {
    let animation = try animation("anim.gif")
    #expect(throws: ImageEncodingError.unsupportedType(type)) { try codecs.encode(animation, as: type) }
  }
}
