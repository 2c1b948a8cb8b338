import Foundation
import OzuSynchronization

/// Receives pictures that were downloaded from the web.
public protocol ImageDownloadDelegate: AnyObject, Sendable {
  /// A picture was downloaded and made. Called once for each download, on any thread, before the requests for the
  /// picture are answered.
  ///
  /// - Parameters:
  ///   - picture: the picture of the first request.
  ///   - url: the URL of its source.
  ///   - key: the key of the request, or else the URL as text.
  func pipeline(_ pipeline: ImagePipeline, didDownload picture: Picture, from url: URL, key: String)
}

extension ImagePipeline {
  /// The delegate for downloads. Not retained.
  public var downloadDelegate: (any ImageDownloadDelegate)? {
    get { downloads.delegate }
    set { downloads.set(newValue, of: self) }
  }
}

/// The delegate of a pipeline.
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
