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
    @State private var model = RemoteImageModel()

    /// A change of these values asks for another picture.
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
      Inputs(key: settings.asked?.key, format: settings.format?.name, pipeline: ObjectIdentifier(pipeline))
    }

    private var layout: Layout { Layout(size: size, scale: scale, mode: settings.mode) }

    var body: some View {
      content(state)
        .background {
          if model.isClockRunning {
            TimelineView(.animation) { context in
              Color.clear.onChange(of: context.date) { _, date in model.advance(to: date) }
            }
          }
        }
        .onChange(of: layout) { model.layout(size, scale: scale, mode: settings.mode) }
        .onChange(of: inputs) { ask() }
        .onAppear {
          model.layout(size, scale: scale, mode: settings.mode)
          if !model.isAbout(settings.asked?.key) { ask() }
          model.appear()
        }
        .onDisappear { model.disappear() }
    }

    /// The state of the model. Before the model has a request, it is made from the memory cache, so that the first frame shows a
    /// cached picture.
    private var state: DisplayState {
      if model.isAbout(settings.asked?.key) { return model.state }
      guard let request = settings.asked else { return .empty }
      let cached = pipeline.cachedImage(
        for: request, in: size, scale: scale, mode: settings.mode, cacheFormat: settings.format,
        automaticFormat: settings.options.automaticFormat)
      return cached.map(DisplayState.success)
        ?? DisplayState(placeholder: settings.options.placeholder, in: size)
    }

    private func ask() {
      model.layout(size, scale: scale, mode: settings.mode)
      model.ask(settings, through: pipeline)
    }
  }
#endif
