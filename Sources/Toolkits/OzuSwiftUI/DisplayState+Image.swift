#if canImport(SwiftUI)
  import Ozu
  import SwiftUI

  extension DisplayState {
    /// The picture to draw, in its own size: `image?.resizable()` fills the place.
    public var image: Image? { picture.flatMap { Image($0) } }

    /// The part that has arrived, 0 to 1; `nil` when it is not known or nothing is loading.
    public var progress: Double? {
      if case .loading(let progress, _) = self { progress?.fraction } else { nil }
    }
  }

  extension Image {
    /// A picture for SwiftUI, which uses the same pixels without a copy. It is decorative: describe it with
    /// `accessibilityLabel`. `nil` when Core Graphics cannot show the pixels.
    ///
    /// - Complexity: O(1).
    public nonisolated init?(_ picture: Picture) {
      guard let image = picture.cgImage else { return nil }
      self.init(decorative: image, scale: CGFloat(picture.scale), orientation: .up)
    }
  }

  /// The content of a `RemoteImage` without a closure: the picture, its placeholder or its failure picture, in the view's mode.
  public struct RemoteImageContent: View {
    let state: DisplayState
    let settings: RemoteImageSettings
    @Environment(\.displayScale) private var displayScale

    /// The picture in its mode, cut off at the edges of the view.
    public var body: some View {
      // An overlay leaves the size as it is. A stack would be as large as the picture, and the edges of the view would cut off nothing.
      Color.clear.overlay {
        ZStack {
          if let image {
            // With one identity a placeholder would turn into its picture at once: only a view that comes or goes has a transition.
            resized(image).id(state.isFinal).transition(.opacity)
          } else if let image = state.error == nil ? settings.waitingImage : settings.failedImage {
            image.transition(.opacity)
          }
        }
      }
      .clipped()
      // The part that is cut off takes no touches of its neighbours.
      .contentShape(Rectangle())
    }

    /// In its own size a picture takes a pixel of the screen for each of its own, as in UIKit, unless its request has a scale.
    private var image: Image? {
      // What came of a picture stays after a failure, unless there is an image for that.
      if state.error != nil, settings.failedImage != nil, state.picture?.isPreview == true { return nil }
      guard settings.mode == .none, let picture = state.picture, picture.scale == 1 else {
        return state.image
      }
      return Image(picture.withScale(Double(displayScale)))
    }

    @ViewBuilder
    private func resized(_ image: Image) -> some View {
      switch settings.mode {
      case .none: image
      case .fill: image.resizable()
      case .aspectFit: image.resizable().aspectRatio(contentMode: .fit)
      case .aspectFill: image.resizable().aspectRatio(contentMode: .fill)
      }
    }
  }
#endif
