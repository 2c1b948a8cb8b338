import OzuBase
import OzuImaging

/// Decodes a file while it is downloaded. One thread at a time calls it.
package protocol PictureFeed: AnyObject, Sendable {
  /// Decodes the bytes that are there; `nil` if there is nothing new to show.
  func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap?
}

/// The state of decoding a file while it is downloaded, made at the first call of `preview`.
///
/// Calls come one at a time; the lock makes sure of it.
package final class FeedSlot: Sendable {
  private let slot = Mutex<(any PictureFeed)?>(nil)

  package init() {}

  /// Makes the state if there is none, and lets it decode the bytes that are there.
  package func preview(
    of data: Data, context: DecodingContext, making make: () throws(ImageDecodingError) -> any PictureFeed
  ) throws(ImageDecodingError) -> Bitmap? {
    let result = slot.withLock { slot in
      Result { () throws(ImageDecodingError) -> Bitmap? in
        let feed: any PictureFeed = if let made = slot { made } else { try make() }
        slot = feed
        return try feed.preview(of: data, context: context)
      }
    }
    return try result.get()
  }
}
