import Foundation
import OzuSynchronization

/// Is told of downloads, for the delegate of `OzuMigration`.
package protocol DownloadListening: Sendable {
  /// Called for each download, on any thread, before the tasks that wait for it have the picture.
  func didDownload(_ picture: Picture, from url: URL, key: String)
}

extension ImagePipeline {
  /// Is told of each download.
  package var downloadListener: (any DownloadListening)? {
    get { downloads.listener }
    set { downloads.listener = newValue }
  }
}

/// Tells the listener of downloads. One lock guards which listener that is.
final class DownloadReports: Sendable {
  private let current = Mutex<(any DownloadListening)?>(nil)

  var listener: (any DownloadListening)? {
    get { current.withLock { $0 } }
    set {
      // The former one is released outside of the lock.
      let former = current.withLock { listener in
        defer { listener = newValue }
        return listener
      }
      withExtendedLifetime(former) {}
    }
  }

  func report(_ picture: Picture, _ request: ImageRequest) {
    guard let listener, let url = request.source.webURL else { return }
    listener.didDownload(picture, from: url, key: request.plainKey)
  }
}
