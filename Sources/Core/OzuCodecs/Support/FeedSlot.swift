import OzuBase
import OzuImaging

/// The state of decoding a file while it is downloaded, made at the first call of `feed`.
///
/// Calls come one at a time; the lock makes sure of it.
package final class FeedSlot<Feed: Sendable>: Sendable {
  private let slot = Mutex<Feed?>(nil)

  package init() {}

  /// Makes the state if there is none, and passes it to the closure.
  package func feed(
    making make: () throws(ImageDecodingError) -> Feed,
    preview: (Feed) throws(ImageDecodingError) -> Bitmap?
  ) throws(ImageDecodingError) -> Bitmap? {
    let result = slot.withLock { slot in
      Result { () throws(ImageDecodingError) -> Bitmap? in
        let feed: Feed = if let made = slot { made } else { try make() }
        slot = feed
        return try preview(feed)
      }
    }
    return try result.get()
  }
}
