import OzuImaging
import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension GIFDecoder: IncrementalDecoding {
  /// Begins a picture whose first frame is shown as soon as it is all there, however many follow.
  public func incrementalSession(
    of data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> (any IncrementalSession)? {
    GIFIncrementalSession()
  }
}

/// A GIF of which the first frame is waited for.
private final class GIFIncrementalSession: IncrementalSession {
  private let hasShown = Mutex(false)

  func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap? {
    guard !hasShown.withLock({ $0 }) else { return nil }
    let file = try GIFFile(data.span, frameLimit: 1)
    guard file.images.first?.isWhole == true else { return nil }
    let bitmap = try GIFFrames.firstPicture(of: file, data, context)
    hasShown.withLock { $0 = true }
    return bitmap
  }
}
