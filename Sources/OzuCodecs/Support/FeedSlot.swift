import OzuImaging
import OzuSynchronization

/// What decodes a file while it comes, made when the file is first fed.
///
/// Calls come one at a time; the lock makes sure of it.
package final class FeedSlot<Feed: Sendable>: Sendable {
  private let slot = Mutex<Feed?>(nil)

  /// Makes a slot without a feed.
  package init() {}

  /// Makes the feed if there is none, and has it show what is there.
  package func feed(
    making make: () throws(DecodingError) -> Feed,
    preview: (Feed) throws(DecodingError) -> Bitmap?
  ) throws(DecodingError) -> Bitmap? {
    let result = slot.withLock { slot in
      Result { () throws(DecodingError) -> Bitmap? in
        let feed: Feed = if let made = slot { made } else { try make() }
        slot = feed
        return try preview(feed)
      }
    }
    return try result.get()
  }
}
