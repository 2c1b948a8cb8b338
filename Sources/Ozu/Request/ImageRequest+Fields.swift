import Foundation
import OzuHTTP

extension ImageRequest {
  /// What copies share; never changed once it is shared.
  final class Shared: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  /// What a request says.
  struct Fields: Sendable {
    var source: ImageSource
    var sourceKey: String
    var hasOwnKey: Bool
    var format: CacheFormat?
    var resize: Resize?
    var processors: [any ImageProcessing]
    var scale = 1.0
    var deadline: Duration?
    var httpPolicy: HTTPCachePolicy?
    var storagePolicy: StoragePolicy?
    var acceptance: ImageAcceptance?
    var colorPolicy = ColorPolicy.convertToSRGB
    var alternatives: [ImageSource] = []
    var lowDataSource: ImageSource? { didSet { hasLowDataSource = lowDataSource != nil } }
    /// Apart, because to look at a source copies it.
    private(set) var hasLowDataSource = false
    var userInfo: [UserInfoKey: any Sendable] = [:]

    /// The identifiers of all that is done with the source, in order.
    var steps: [String] {
      [format?.step, resize?.identifier].compactMap(\.self)
        + processors.map(\.identifier) + colorStep
    }

    /// Colours that are kept make another picture.
    var colorStep: [String] { colorPolicy == .convertToSRGB ? [] : ["colors(\(colorPolicy))"] }

    var key: ImageKey { ImageKey(source: source.cacheKey(for: sourceKey), steps: steps) }

    var isPlain: Bool { format == nil && scale == 1 && !source.isLocalFile }

    var isOnWeb: Bool {
      switch source {
      case .url(let url): url.absoluteString.hasPrefix("http")
      case .request: true
      default: false
      }
    }
  }
}
