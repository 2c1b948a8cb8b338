import Foundation
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs

/// Small pictures, so that the time is spent in decoders and not on pixels.
let fuzzLimits = DecodingLimits(
  pixelCount: 1 << 20, decodedByteCount: 64 << 20, frameCount: 64, cpuTime: .seconds(20),
  animationByteCount: 8 << 20)

/// With drawings, which a registry only has on request.
let fuzzCodecs = {
  #if SVG
    var codecs = CodecRegistry.standard
    codecs.register(decoder: SVGDecoder())
    return codecs
  #else
    return CodecRegistry.standard
  #endif
}()

/// Decodes the file in every way that the public API has. For any file, each ends with an error or with a picture
/// of the right size.
func fuzzPictures(of file: Data) {
  let codecs = fuzzCodecs
  guard let header = try? codecs.header(of: file, limits: fuzzLimits) else { return }
  let thumbnail = Resize(PixelSize(20, 20))
  for (resize, allowsTruncation) in [(nil, false), (nil, true), (thumbnail, true)] as [(Resize?, Bool)] {
    let context = DecodingContext(limits: fuzzLimits, allowsTruncation: allowsTruncation)
    guard let picture = try? codecs.picture(from: file, resize: resize, context: context) else { continue }
    if resize == nil {
      precondition(picture.size == header.size, "a picture of the wrong size")
    } else {
      precondition(picture.size.width <= 20 && picture.size.height <= 20, "a picture of the wrong size")
    }
    guard let animation = picture.animation else { continue }
    // Backwards too: the composer then starts again at other frames.
    for index in Array(0..<min(animation.frameCount, 6)) + [1, 0, animation.frameCount - 1] {
      guard let frame = try? animation.frame(at: index) else { continue }
      precondition(frame.size == picture.size, "a frame of the wrong size")
    }
  }
}

/// Appends the file in pieces and asks for a preview after each.
func fuzzPreviews(of file: Data) {
  let decoder = IncrementalDecoder(codecs: fuzzCodecs)
  let header = try? fuzzCodecs.header(of: file, limits: fuzzLimits)
  // The size of the pieces is computed from the file.
  let step = max(1, file.count / (1 + Int(file.reduce(UInt8(0), &+) & 15)))
  for start in stride(from: 0, to: file.count, by: step) {
    decoder.append(file[start..<min(start + step, file.count)])
    guard let preview = try? decoder.preview(context: DecodingContext(limits: fuzzLimits)) else { continue }
    precondition(preview.size.pixelCount <= fuzzLimits.pixelCount, "a preview of the wrong size")
    // Metadata after the pixels may still turn the picture.
    precondition(
      header == nil || [preview.size, preview.size.transposed].contains(header?.size),
      "a preview of the wrong size")
  }
}
