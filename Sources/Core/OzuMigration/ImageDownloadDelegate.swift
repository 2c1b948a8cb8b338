import Foundation
import Ozu

/// Receives each picture that was downloaded: JMImageCache's delegate. In Ozu an `ImagePipelineObserving` receives these events and
/// all others.
public protocol ImageDownloadDelegate: AnyObject, Sendable {
  /// Receives a picture that was downloaded and decoded. Called on any thread, before the callers receive the picture: for the first of
  /// equal requests that share a download, unless that is cancelled, and for each size of them.
  ///
  /// - Parameters:
  ///   - picture: the picture of the first request.
  ///   - url: the address of the download.
  ///   - key: the key of the request, or else the URL as text.
  func didDownload(_ picture: Picture, from url: URL, key: String)
}

extension ImagePipeline.Configuration {
  /// Receives each download of the pipelines made from this configuration. The reference is weak.
  public var downloadDelegate: (any ImageDownloadDelegate)? {
    get { observers.lazy.compactMap { ($0 as? DelegateObserver)?.delegate }.first }
    set {
      observers.removeAll { $0 is DelegateObserver }
      if let newValue { observers.append(DelegateObserver(delegate: newValue)) }
    }
  }
}

private struct DelegateObserver: ImagePipelineObserving {
  weak var delegate: (any ImageDownloadDelegate)?

  func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    guard case .picture(let response) = outcome, response.source == .network, !response.isCoalesced,
      let url = response.request.source.webURL
    else { return }
    delegate?.didDownload(response.picture, from: url, key: response.request.plainKey)
  }
}
