// Runs the codecs of ImageIO with its stand-ins: what they ask of it, and how often. `scripts/imageio-drill` compiles this
// file together with them.

@_spi(StandIn) import CoreGraphics
import Foundation
@_spi(StandIn) import ImageIO
import OzuCodecs
import OzuImaging

var failures = 0
@MainActor func check(_ claim: Bool, _ what: String) {
  print("\(claim ? "ok    " : "FAILED") \(what)")
  if !claim { failures += 1 }
}

/// A file with these pictures, whose bytes are their number.
func file(_ pictures: [[CFString: Any]]) -> Data {
  let named = pictures.map { picture in
    Dictionary(uniqueKeysWithValues: picture.map { (String($0), $1) })
  }
  StandIn.pictures = { _ in named }
  return Data([UInt8(pictures.count)])
}

func picture(_ width: Int, _ height: Int, hasAlpha: Bool = false, depth: Int = 8) -> [CFString: Any] {
  [
    kCGImagePropertyPixelWidth: width, kCGImagePropertyPixelHeight: height,
    kCGImagePropertyHasAlpha: hasAlpha, kCGImagePropertyDepth: depth,
  ]
}

// An animation keeps one source: a new one composes every frame from the first one on.
for (type, dictionary, delay) in [
  (ImageType.webp, kCGImagePropertyWebPDictionary, kCGImagePropertyWebPDelayTime),
  (.heic, kCGImagePropertyHEICSDictionary, kCGImagePropertyHEICSDelayTime),
  (.avif, kCGImagePropertyAVISDictionary, kCGImagePropertyHEICSDelayTime),
  (.png, kCGImagePropertyPNGDictionary, kCGImagePropertyAPNGDelayTime),
] {
  let frame = picture(40, 30).merging([dictionary: [String(delay): 0.1]]) { $1 }
  let opened = try ImageIODecoder(type).open(file(Array(repeating: frame, count: 60)), limits: .default)
  check(opened.header.frameCount == 60, "\(type): 60 frames")
  let frames = try opened.frames(limits: .default)
  (StandIn.sourceCount, StandIn.fullCount) = (0, 0)
  for index in [0, 59, 3] + Array(0..<60) {
    let bitmap = try frames?.decodeFrame(at: index, context: DecodingContext())
    if bitmap?.size != PixelSize(40, 30) { check(false, "\(type): frame \(index)") }
  }
  check(frames?.frames.last?.delay == .milliseconds(100), "\(type): a tenth of a second")
  check(StandIn.sourceCount == 0, "\(type): no source for 63 frames but that of the animation")
  check(StandIn.fullCount == 63, "\(type): each frame is asked for once")
}

/// Renders a still picture into a side.
func render(
  _ type: ImageType, _ size: PixelSize, side: Int, hasAlpha: Bool = false, depth: Int = 8
) throws -> Bitmap {
  let data = file([picture(size.width, size.height, hasAlpha: hasAlpha, depth: depth)])
  (StandIn.sourceCount, StandIn.fullCount, StandIn.thumbnailSides) = (0, 0, [])
  let opened = try ImageIODecoder(type).open(data, limits: .default)
  let context = DecodingContext()
  return try opened.render(
    DecodePlan(of: opened, resize: Resize(PixelSize(side, side)), context: context), context: context)
}

// The system reduces every format, by the source that has read its header.
for type: ImageType in [.jpeg, .heic, .avif, .png, .tiff, .webp] {
  _ = try render(type, PixelSize(4000, 3000), side: 200)
  check(StandIn.thumbnailSides == [500] && StandIn.fullCount == 0, "\(type): reduced to an eighth")
  check(StandIn.sourceCount == 1, "\(type): one source")
}
_ = try render(.heic, PixelSize(400, 300), side: 300)
check(StandIn.thumbnailSides.isEmpty && StandIn.fullCount == 1, "a small HEIC is decoded once, as it is")
_ = try render(.png, PixelSize(4000, 3000), side: 200, depth: 16)
check(StandIn.thumbnailSides.isEmpty && StandIn.fullCount == 1, "16 bits are decoded at full size")
_ = try render(.heic, PixelSize(16_000, 12_000), side: 200)
check(StandIn.thumbnailSides == [2000] && StandIn.fullCount == 0, "a HEIC over the limits is reduced")

// Opaque pictures are opaque to Core Animation and to encoders.
for (hasAlpha, expected) in [(false, CGImageAlphaInfo.noneSkipFirst), (true, .premultipliedFirst)] {
  let bitmap = try render(.heic, PixelSize(400, 300), side: 100, hasAlpha: hasAlpha)
  check(
    bitmap.cgImage?.alphaInfo == expected, "the layer of a picture \(hasAlpha ? "with" : "without") alpha")
  StandIn.encodedAlpha = []
  _ = try ImageIOEncoder(.heic).encode(bitmap, options: EncodingOptions())
  check(StandIn.encodedAlpha == [expected], "the file that is written of it")
}
exit(failures == 0 ? 0 : 1)
