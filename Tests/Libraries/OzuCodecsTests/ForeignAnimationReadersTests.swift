import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Other readers must read the written files in the same way: Pillow, ffmpeg, gifsicle and libwebp's own tools, if
/// they are installed.
@Suite("Animations in other readers")
struct ForeignAnimationReadersTests {
  private static let types = [ImageType.gif, .png, .webp].filter(
    CodecRegistry.standard.encodableAnimationTypes.contains)
  static let cases: [(type: ImageType, frames: FrameSequence)] = types.flatMap { type in
    FrameSequence.plain.map { (type, $0) }
  }

  private static let script = """
    import sys, json
    from PIL import Image, ImageSequence
    with Image.open(sys.argv[1]) as image:
        frames, delays = [], []
        for frame in ImageSequence.Iterator(image):
            pixels = frame.convert('RGBA')
            nothing = Image.new('RGBA', pixels.size, 0)
            shown = pixels.getchannel('A').point(lambda value: 255 if value else 0)
            frames.append(Image.composite(pixels, nothing, shown).tobytes())
            delays.append(frame.info.get('duration', 0))
        facts = dict(width=image.width, height=image.height, delays=delays, loop=image.info.get('loop', -1))
    sys.stdout.buffer.write(json.dumps(facts).encode() + b'\\n' + b''.join(frames))
    """

  private struct Facts: Decodable {
    var width: Int
    var height: Int
    var delays: [Double]
    var loop: Int
  }

  private static let python = "/usr/bin/python3"

  @Test(
    "have their pixels, delays and loops in Pillow",
    .enabled(if: ForeignProgram(python, "-c", "import PIL").isThere),
    // Pillow 9.4 treats a GIF as opaque to its end if its first frame is opaque.
    arguments: cases.filter {
      $0.type != .gif || $0.frames.name != "pixels that disappear beside the last change"
    })
  func pillow(type: ImageType, frames: FrameSequence) throws {
    let reader = ForeignProgram(Self.python, "-c", Self.script)
    let output = try #require(
      try reader.output(for: frames.encoded(as: type), fileExtension: type.fileExtension))
    let end = try #require(output.firstIndex(of: 10))
    let facts = try JSONDecoder().decode(Facts.self, from: output[..<end])
    let seen = frames.seen
    #expect(PixelSize(facts.width, facts.height) == frames.size)
    try #require(facts.delays.count == seen.count)
    let pixels = [UInt8](output[(end + 1)...])
    let frameByteCount = frames.size.pixelCount * 4
    for index in seen.indices {
      let wanted = seen[index].frame.packed
      // From BGRA to RGBA; no pixel is translucent.
      let swapped = wanted.indices.map { wanted[$0 % 4 == 0 ? $0 + 2 : $0 % 4 == 2 ? $0 - 2 : $0] }
      #expect(
        Array(pixels[index * frameByteCount..<(index + 1) * frameByteCount]) == swapped, "frame \(index)")
    }
    guard seen.count > 1 else { return }
    // For WebP, Pillow reports the end of a frame at the frame after it.
    for (delay, wanted) in zip(facts.delays, seen) {
      #expect(abs(delay - wanted.delay / .milliseconds(1)) <= (type == .gif ? 10 : 1))
    }
    switch type {
    case .gif: #expect(facts.loop == (frames.loopCount == 1 ? -1 : max(0, frames.loopCount - 1)))
    default: #expect(facts.loop == frames.loopCount)
    }
  }

  @Test(
    "have their size and number of frames in ffmpeg",
    .enabled(if: ForeignProgram("/usr/bin/ffprobe", "-version").isThere),
    arguments: cases.filter { $0.type != .webp })
  func ffmpeg(type: ImageType, frames: FrameSequence) throws {
    let reader = ForeignProgram(
      "/usr/bin/ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
      "stream=width,height,nb_read_frames", "-of", "csv=p=0")
    // The APNG reader depends on the file extension.
    let output = try #require(
      try reader.output(for: frames.encoded(as: type), fileExtension: type == .png ? "apng" : "gif"))
    #expect(
      String(decoding: output, as: UTF8.self).prefix { $0 != "\n" }
        == "\(frames.size.width),\(frames.size.height),\(frames.seen.count)")
  }

  @Test(
    "are valid for gifsicle", .enabled(if: ForeignProgram("/usr/bin/gifsicle", "--version").isThere),
    arguments: FrameSequence.plain)
  func gifsicle(frames: FrameSequence) throws {
    let output = try #require(
      try ForeignProgram("/usr/bin/gifsicle", "--info").output(
        for: frames.encoded(as: .gif), fileExtension: "gif"))
    let words = String(decoding: output, as: UTF8.self)
    #expect(words.contains(" \(frames.seen.count) image"))
    #expect(words.contains("logical screen \(frames.size.width)x\(frames.size.height)"))
    guard frames.seen.count > 1 else { return }
    #expect(words.contains("loop forever") == (frames.loopCount == 0))
    #expect(words.contains("loop count \(frames.loopCount - 1)") == (frames.loopCount > 1))
  }

  @Test(
    "pass libwebp's own checks",
    .enabled(if: ForeignProgram("/usr/bin/webpinfo", "-version").isThere && types.contains(.webp)),
    arguments: FrameSequence.plain)
  func webpinfo(frames: FrameSequence) throws {
    let output = try #require(
      try ForeignProgram("/usr/bin/webpinfo").output(
        for: frames.encoded(as: .webp), fileExtension: "webp"))
    let words = String(decoding: output, as: UTF8.self)
    #expect(words.contains("No error detected"))
    let count = words.components(separatedBy: "Chunk ANMF").count - 1
    #expect(count == (frames.seen.count > 1 ? frames.seen.count : 0))
  }
}
