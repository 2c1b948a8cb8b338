import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Animations of files")
struct AnimationTests {
  static let files: [(file: String, reference: String, tolerance: Int)] = [
    ("anim.gif", "anim-gif-", 0), ("anim.png", "anim-", 0), ("anim-lossless.webp", "anim-", 0),
    ("anim-lossy.webp", "anim-", 120), ("anim.avif", "anim-", 90), ("anim.jxl", "anim-", 0),
  ].filter { isDecodable($0.0) }

  @Test("have their frames, delays and loops", arguments: files)
  func frames(file: String, reference: String, tolerance: Int) throws {
    let animation = try #require(try picture("matrix/\(file)").animation)
    #expect(
      animation.delays == [.milliseconds(100), .milliseconds(200), .milliseconds(50), .milliseconds(400)])
    // libavif 0.11 does not report the loop count. All other files declare 3, which in GIF are repetitions.
    #expect(animation.loopCount == (file.hasSuffix("avif") ? 0 : file.hasSuffix("gif") ? 4 : 3))
    for index in 0..<animation.frameCount {
      let expected = try picture("matrix/ref/\(reference)\(index).png").bitmap
      let frame = try animation.frame(at: index)
      #expect(frame.largestDifference(from: expected) <= tolerance)
      #expect(frame.meanDifference(from: expected) < 10)
    }
  }

  @Test("that are cut off give the frames that are there, and a note", arguments: files)
  func cut(file: String, reference: String, tolerance: Int) throws {
    let data = try fixture("matrix/\(file)")
    let whole = try #require(try CodecRegistry.standard.picture(from: data).animation)
    var counts: Set<Int> = []
    for percent in 8..<100 {
      let picture: Picture
      do throws(ImageDecodingError) {
        picture = try CodecRegistry.standard.picture(from: data.prefix(data.count * percent / 100))
      } catch {
        // Not even the first frame is there.
        guard case .truncated = error else {
          Issue.record("\(percent) %: \(error)")
          continue
        }
        continue
      }
      let count = picture.animation?.frameCount ?? 1
      counts.insert(count)
      if count < whole.frameCount {
        let note = "the file is cut off: \(count) of "
        #expect(picture.notes.contains { $0.hasPrefix(note) }, "\(percent) %: \(picture.notes)")
        #expect(picture.header?.notes.contains { $0.hasPrefix(note) } ?? false)
      }
      for index in 0..<count {
        // libjxl does not tell whether the last frame is wholly there before it decodes it.
        if file.hasSuffix("jxl"), index == whole.frameCount - 1 { continue }
        #expect(throws: Never.self, "\(percent) %, frame \(index)") {
          let frame = try picture.animation?.frame(at: index) ?? picture.bitmap
          #expect(try frame == whole.frame(at: index), "\(percent) %, frame \(index)")
        }
      }
    }
    // The last frames of the AVIF have a few bytes. Of a JPEG XL that ends in its last frame, that one counts.
    #expect(counts.isSuperset(of: file.hasSuffix("avif") || file.hasSuffix("jxl") ? [1, 2] : [1, 2, 3]))
  }

  @Test("have the size that was asked for", arguments: files)
  func resized(file: String, reference: String, tolerance: Int) throws {
    let small = try picture("matrix/\(file)", resize: Resize(PixelSize(16, 12)))
    let whole = try #require(try picture("matrix/\(file)").animation)
    let frame = try #require(small.animation).frame(at: 2)
    #expect(frame == Picture(try whole.frame(at: 2)).resized(Resize(PixelSize(16, 12))).bitmap)
  }

  @Test("are the same in any order", arguments: files)
  func order(file: String, reference: String, tolerance: Int) throws {
    let limits = DecodingLimits(animationByteCount: 0)
    let data = try fixture("matrix/\(file)")
    let context = DecodingContext(limits: limits)
    let forgetful = try #require(try CodecRegistry.standard.picture(from: data, context: context).animation)
    let other = try #require(try CodecRegistry.standard.picture(from: data).animation)
    let inOrder = try (0..<4).map { try other.frame(at: $0) }
    for index in [3, 0, 2, 1, 1, 3] { #expect(try forgetful.frame(at: index) == inOrder[index]) }
  }

  /// 500 frames on a canvas, each a stripe over the one before.
  private func longGIF(side: Int) -> Data {
    let frames = (0..<500).map { index in
      GIFWriter.Frame(
        x: 0, y: index % side, width: side, height: 1,
        indices: [UInt8](repeating: UInt8(index % 4), count: side), disposal: index % 7 == 0 ? 3 : 1)
    }
    return GIFWriter(width: side, height: side, loopCount: 0, frames: frames).data
  }

  @Test("of 500 frames are played within their budget, and show the first before decoding others")
  func budget() throws {
    let side = 256
    let canvasByteCount = side * side * 4
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let budget = 8 * canvasByteCount
    let context = DecodingContext(limits: DecodingLimits(animationByteCount: budget), pool: pool)
    let picture = try CodecRegistry.standard.picture(from: longGIF(side: side), context: context)
    #expect(pool.statistics.peakLentByteCount == canvasByteCount)
    let animation = try #require(picture.animation)
    #expect(animation.frameCount == 500)
    pool.resetPeak()
    for round in 0..<2 {
      for index in 0..<animation.frameCount {
        #expect(try animation.frame(at: index).size == picture.size, "\(round)")
      }
    }
    // The picture itself is not part of the animation.
    #expect(pool.statistics.peakLentByteCount <= budget + canvasByteCount)
    animation.releaseFrames()
    #expect(pool.statistics.lentByteCount == canvasByteCount)
  }

  @Test("block no thread of the cooperative pool, and stop when the task is cancelled")
  func asynchronous() async throws {
    let animation = try #require(try picture("matrix/anim.gif").animation)
    let awaited = try await animation.frame(at: 3)
    #expect(try awaited == { try animation.frame(at: 3) }())
    let long = try #require(try CodecRegistry.standard.picture(from: longGIF(side: 64)).animation)
    let task = Task { () async throws(ImageDecodingError) -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await long.frame(at: 499)
    }
    await #expect(throws: ImageDecodingError.cancelled) { try await task.value }
  }

  @Test("of a PNG have the colours that its chunks declare, as the picture has")
  func colors() throws {
    var data = try fixture("matrix/anim.png")
    // A gamma of 1, behind the image header.
    data.insert(contentsOf: PNGFile.chunk("gAMA", PNGFile.big(100_000)), at: data.startIndex + 33)
    let linear = try CodecRegistry.standard.picture(from: data)
    let frames = try #require(linear.animation)
    #expect(try frames.frame(at: 0) == linear.bitmap)
    // The last frame is a small one.
    let plain = try #require(try picture("matrix/anim.png").animation)
    #expect(try frames.frame(at: 3) != plain.frame(at: 3))
  }

  @Test("that are broken leave the picture, with a note")
  func broken() throws {
    var data = try fixture("matrix/anim.png")
    let control = try #require(data.range(of: Data("fcTL".utf8), options: .backwards)).upperBound
    // The left edge of the last frame, far outside.
    data[control + 12] = 0x7F
    let picture = try CodecRegistry.standard.picture(from: data)
    #expect(picture.animation == nil)
    #expect(picture.notes.count == 1)
  }
}
