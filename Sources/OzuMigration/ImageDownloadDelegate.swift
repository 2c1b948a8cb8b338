import Foundation
import Ozu

/// Receives each picture that was downloaded: JMImageCache's delegate. In Ozu an `ImagePipelineObserving` receives these events and
/// all others.
public protocol ImageDownloadDelegate: AnyObject, Sendable {
  /// Receives a picture that was downloaded and decoded. Called once for each download, on any thread, before the callers
  /// receive the picture.
  ///
  /// - Parameters:
  ///   - picture: the picture of the first request.
  ///   - url: the address of the download.
  ///   - key: the key of the request, or else the URL as text.
  func pipeline(_ pipeline: ImagePipeline, didDownload picture: Picture, from url: URL, key: String)
}

extension ImagePipeline {
  /// Receives each download. The reference is weak.
  public var downloadDelegate: (any ImageDownloadDelegate)? {
    get { (downloadListener as? DelegateListener)?.delegate }
    set { downloadListener = newValue.map { DelegateListener(delegate: $0, pipeline: self) } }
  }
}

/// Passes downloads to a delegate. Both references are weak, because the pipeline holds the listener.
private struct DelegateListener: DownloadListening {
  weak var delegate: (any ImageDownloadDelegate)?
  weak var pipeline: ImagePipeline?

  func didDownload(_ picture: Picture, from url: URL, key: String) {
    guard let delegate, let pipeline else { return }
    delegate.pipeline(pipeline, didDownload: picture, from: url, key: key)
  }
}
