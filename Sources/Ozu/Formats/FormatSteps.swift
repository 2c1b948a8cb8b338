import Foundation

/// A hook of a format, as a step on pixels.
struct FormatHookStep: ImageProcessing {
  let identifier: String
  let key: String
  let hook: CacheFormat.Hook

  func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let result: Picture?
    do {
      result = try hook(key, Picture(bitmap.bitmap))
    } catch {
      throw .failed(identifier, reason: error.oneLine)
    }
    guard let result else { throw .failed(identifier, reason: "the hook returned no picture") }
    return BGRABitmap(result.bitmap, pool: context.pool)
  }
}

extension ImageRequest {
  /// What is done while decoding. A hook that comes before the resize wants the whole picture.
  var decodingResize: Resize? { format?.preResize == nil ? resize : nil }

  /// What is done after decoding, in order.
  var decodedSteps: [any ImageProcessing] {
    guard let format, format.preResize != nil || format.postResize != nil else { return processors }
    func step(_ name: String, _ hook: CacheFormat.Hook?) -> [any ImageProcessing] {
      hook.map { [FormatHookStep(identifier: "format(\(format.name)).\(name)", key: plainKey, hook: $0)] }
        ?? []
    }
    var steps = step("preResize", format.preResize)
    if !steps.isEmpty, let resize { steps.append(resize) }
    return steps + processors + step("postResize", format.postResize)
  }

  /// The key as the app knows it: its own, or the URL.
  var plainKey: String {
    let mark = ImageSource.ownKey("")
    if hasOwnKey { return String(sourceKey.dropFirst(mark.count)) }
    return switch source {
    case .url(let url): url.absoluteString
    case .request(let request): request.url.absoluteString
    case .data(_, let key), .picture(_, let key): key
    case .fetcher(let fetcher): fetcher.key
    }
  }

  /// Whether there may be a finished picture on disk, as far as the request tells. Whole pictures from URLs are kept
  /// as their originals, but what an app has put under a key has none, and neither have the pixels of a fetcher.
  var mayHaveRendition: Bool {
    // Parts come by the hundred, and the original makes them as well.
    if region != nil { return false }
    if let format { return format.diskCapacity > 0 }
    if case .fetcher = source { return true }
    return hasRecipe || hasOwnKey
  }

  /// Whether a finished picture may have a place on disk. An animation is made from its original each time: a
  /// rendition would stop it. So is one whose colours no file can say.
  func mayKeepRendition(_ picture: Picture) -> Bool {
    if let format, format.diskCapacity == 0 || format.isRetired { return false }
    return picture.animation == nil && picture.isWritable
  }

  /// Whether a finished picture is its original, pixel for pixel, and would only take its place twice.
  func isOriginal(_ picture: Picture) -> Bool {
    decodedSteps.isEmpty && picture.header?.size == picture.size
  }
}
