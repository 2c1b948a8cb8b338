import Foundation
import OzuSynchronization

/// Is told of pictures as they come from the web.
public protocol ImageDownloadDelegate: AnyObject, Sendable {
  /// A picture was downloaded and made. Called once for each download, on any thread, before those who asked for the
  /// picture have it.
  ///
  /// - Parameters:
  ///   - picture: as the first who asked for it wanted it.
  ///   - url: where it came from.
  ///   - key: the key of the request, or else the URL as text.
  func pipeline(_ pipeline: ImagePipeline, didDownload picture: Picture, from url: URL, key: String)
}

extension ImagePipeline {
  /// Is told of each download; not kept alive.
  public var downloadDelegate: (any ImageDownloadDelegate)? {
    get { downloads.delegate }
    set { downloads.set(newValue, of: self) }
  }
}

/// Who is told of downloads.
final class DownloadReports: Sendable {
  private struct Listener: Sendable {
    weak var delegate: (any ImageDownloadDelegate)?
    weak var pipeline: ImagePipeline?
  }

  private let listener = Mutex(Listener())

  var delegate: (any ImageDownloadDelegate)? { listener.withLock { $0.delegate } }

  func set(_ delegate: (any ImageDownloadDelegate)?, of pipeline: ImagePipeline) {
    listener.withLock { $0 = Listener(delegate: delegate, pipeline: pipeline) }
  }

  func report(_ picture: Picture, _ request: ImageRequest) {
    let (delegate, pipeline) = listener.withLock { ($0.delegate, $0.pipeline) }
    guard let delegate, let pipeline, let url = request.source.webURL else { return }
    delegate.pipeline(pipeline, didDownload: picture, from: url, key: request.plainKey)
  }
}
