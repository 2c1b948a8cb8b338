import Foundation

/// The hook of a format as a processor.
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
  /// The resize during the decode. A hook before the resize needs the whole picture, so there is none then.
  var decodingResize: Resize? { format?.preResize == nil ? resize : nil }

  /// The steps after the decode, in order.
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

  /// The number of jobs that are shared in its cache format only (`JobKey`); zero without a format.
  var formatNumber: Int { format.map { -$0.number } ?? 0 }

  /// The same request in an equal format.
  func sharing(_ format: CacheFormat) -> ImageRequest {
    var request = self
    request.change { $0.recipe.parts.format = format }
    return request
  }

  /// The key as the app uses it: its own key, or the URL.
  package var plainKey: String {
    let mark = ImageSource.ownKey("")
    if hasOwnKey { return String(sourceKey.dropFirst(mark.count)) }
    return switch source {
    case .url(let url): url.absoluteString
    case .request(let request): request.url.absoluteString
    case .data(_, let key), .picture(_, let key): key
    case .fetcher(let fetcher): fetcher.key
    }
  }

  /// Whether a rendition can be on disk, judged by the request alone. Pictures from URLs without a recipe are stored
  /// as their originals. A picture that the app has set under a key has no original, and neither have the pixels of a
  /// fetcher.
  var mayHaveRendition: Bool {
    // There may be hundreds of parts, and each can be made from the original.
    if region != nil { return false }
    if let format { return format.diskCapacity > 0 }
    if case .fetcher = source { return true }
    return hasRecipe || hasOwnKey
  }

  /// Whether a finished picture may be stored on disk. Not an animation: a rendition would be a still picture, so it
  /// is made from its original each time. Not a picture whose colours no file can state.
  func mayKeepRendition(_ picture: Picture) -> Bool {
    if let format, format.diskCapacity == 0 || format.isRetired { return false }
    return picture.animation == nil && picture.isWritable
  }

  /// Whether a finished picture is its original, pixel for pixel, so that a rendition would only store it twice.
  func isOriginal(_ picture: Picture) -> Bool {
    decodedSteps.isEmpty && picture.header?.size == picture.size
  }
}
