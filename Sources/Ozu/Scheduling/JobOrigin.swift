/// The server or the kind of fetcher that a job asks. A station may limit how many jobs of one origin run at once.
///
/// A hash: two origins with the same one share their places, which harms nobody.
package struct JobOrigin: Hashable, Sendable {
  private let hash: Int

  /// The origin of jobs that are not limited.
  package static let none = JobOrigin(hash: 0)

  private init(hash: Int) { self.hash = hash }

  package init(hashing identity: some Hashable) { hash = identity.hashValue }
}
