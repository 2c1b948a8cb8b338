import Foundation
import Ozu

/// Is told of pictures as they come from the web: JMImageCache's delegate. In Ozu an `ImagePipelineObserving` is told of this and of
/// all else.
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
    get { (downloadListener as? DelegateListener)?.delegate }
    set { downloadListener = newValue.map { DelegateListener(delegate: $0, pipeline: self) } }
  }
}

/// Passes downloads on to a delegate. Both references are weak: the pipeline has the listener.
private struct DelegateListener: DownloadListening {
  weak var delegate: (any ImageDownloadDelegate)?
  weak var pipeline: ImagePipeline?

  func didDownload(_ picture: Picture, from url: URL, key: String) {
    guard let delegate, let pipeline else { return }
    delegate.pipeline(pipeline, didDownload: picture, from: url, key: key)
  }
}
