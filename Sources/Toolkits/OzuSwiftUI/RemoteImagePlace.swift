#if canImport(SwiftUI)
  import Foundation
  import Ozu
  import SwiftUI

  /// A remote image whose size is known: it requests the picture and shows its states.
  struct RemoteImagePlace<Content: View>: View {
    let settings: RemoteImageSettings
    let size: DisplaySize
    let scale: Double
    let pipeline: ImagePipeline
    let content: (DisplayState) -> Content
    /// Called with the ratio of width to height of each picture.
    let onRatio: (Double) -> Void
    @State private var model = RemoteImageModel()
    @Environment(\.accessibilityPlayAnimatedImages) private var playsAnimations
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    /// A change of these values loads another picture.
    private struct Inputs: Equatable {
      let key: ImageKey?
      let format: String?
      let pipeline: ObjectIdentifier
    }

    /// A change of these values resizes the same picture.
    private struct Layout: Equatable {
      let size: DisplaySize
      let scale: Double
      let mode: ScaleMode
    }

    private var inputs: Inputs {
      Inputs(
        key: settings.completeRequest?.key, format: settings.format?.name,
        pipeline: ObjectIdentifier(pipeline))
    }

    private var layout: Layout { Layout(size: size, scale: scale, mode: settings.mode) }

    var body: some View {
      // Once: it may be looked up in memory.
      let state = state
      return content(state)
        .background {
          if let rate = model.frameRate, playsAnimations, !reducesMotion {
            TimelineView(.animation(minimumInterval: rate.interval)) { context in
              Color.clear.onChange(of: context.date) { _, date in model.advance(to: date) }
            }
          }
        }
        .onChange(of: layout) { model.layout(size, scale: scale, mode: settings.mode) }
        .onChange(of: inputs) { load() }
        .onAppear {
          model.layout(size, scale: scale, mode: settings.mode)
          if !model.hasState(of: settings.completeRequest?.key) { load() }
          model.appear()
        }
        .onDisappear { model.disappear(isInMemory: cached != nil) }
        .onChange(of: state.ratio, initial: true) { _, ratio in
          if let ratio { onRatio(ratio) }
        }
    }

    /// The state to show: that of the model, if it belongs to the current picture. Otherwise it is made from the memory cache, so
    /// that the first frame shows a cached picture, and does not lose the one that the source has already.
    private var state: DisplayState {
      if model.hasState(of: settings.completeRequest?.key) { return model.state }
      guard let request = settings.completeRequest else { return .empty }
      if let cached { return .success(cached) }
      return model.hasPicture(ofSourceOf: request.key)
        ? model.state : DisplayState(placeholder: settings.options.placeholder, in: size)
    }

    private var cached: Picture? {
      guard let request = settings.completeRequest else { return nil }
      return pipeline.cachedImage(
        for: request, in: size, scale: scale, mode: settings.mode, cacheFormat: settings.format,
        automaticFormat: settings.options.automaticFormat)
    }

    private func load() {
      model.layout(size, scale: scale, mode: settings.mode)
      model.load(settings, through: pipeline)
    }
  }
#endif
