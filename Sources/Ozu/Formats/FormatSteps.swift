import Foundation

/// A hook of a format, as a step on pixels.
struct FormatHookStep: ImageProcessing {
  let identifier: String
  let key: String
  let hook: CacheFormat.Hook

  func process(_ bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap {
    let result: Picture?
    do {
      result = try hook(key, Picture(bitmap))
    } catch {
      throw .failed(identifier, reason: "\(error)")
    }
    guard let result else { throw .failed(identifier, reason: "the hook returned no picture") }
    return result.bitmap
  }
}

extension ImageRequest {
  /// What is done while decoding. A hook that comes before the resize wants the whole picture.
  var decodingResize: Resize? { format?.preResize == nil ? resize : nil }

  /// What is done after decoding, in order.
  var decodedSteps: [any ImageProcessing] {
    guard let format, format.preResize != nil || format.postResize != nil else { return processors }
    func step(_ name: String, _ hook: CacheFormat.Hook?) -> [any ImageProcessing] {
      hook.map { [FormatHookStep(identifier: "format(\(format.name)).\(name)", key: hookKey, hook: $0)] }
        ?? []
    }
    var steps = step("preResize", format.preResize)
    if !steps.isEmpty, let resize { steps.append(resize) }
    return steps + processors + step("postResize", format.postResize)
  }

  /// What hooks are told the source is called.
  private var hookKey: String {
    switch source {
    case .url(let url): url.absoluteString
    case .data(_, let key): key
    case .fetcher(let fetcher): fetcher.key
    }
  }

  /// Whether a finished picture is worth a place on disk of its own. One that is the original, pixel for pixel,
  /// would only take its place twice, but for pixels of a fetcher, which have no original. An animation is made from
  /// its original each time: a rendition would stop it.
  func deservesRendition(_ picture: Picture) -> Bool {
    if let format, format.diskCapacity == 0 || format.isRetired { return false }
    let isOriginal = decodedSteps.isEmpty && picture.header?.size == picture.size
    return picture.animation == nil && !isOriginal
  }

  /// A picture as it is kept on disk: JPEG when it is opaque, lossless otherwise.
  func encodedRendition(
    of picture: Picture, codecs: CodecRegistry, quality: Double
  ) throws(EncodingError) -> Data {
    let type: ImageType = picture.bitmap.isOpaque ? .jpeg : .png
    let quality = format?.compressionQuality ?? quality
    return try codecs.encode(
      picture.bitmap, as: type, options: EncodingOptions(compressionQuality: quality))
  }
}
