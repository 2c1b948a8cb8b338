import Foundation
import OzuHTTP

extension JobOrigin {
  /// Scheme, host and port of a web address.
  init(_ url: URL) {
    self = (try? HTTPOrigin(of: url)).map { JobOrigin(hashing: $0) } ?? .none
  }

  /// The kind of a fetcher: its type.
  init(_ fetcher: any ImageFetching) { self.init(hashing: ObjectIdentifier(type(of: fetcher))) }
}
