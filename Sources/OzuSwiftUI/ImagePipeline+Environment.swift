#if canImport(SwiftUI)
  import Ozu
  import SwiftUI

  private struct ImagePipelineKey: EnvironmentKey {
    static var defaultValue: ImagePipeline { .shared }
  }

  extension EnvironmentValues {
    /// The pipeline that loads remote images; the shared pipeline by default.
    public var imagePipeline: ImagePipeline {
      get { self[ImagePipelineKey.self] }
      set { self[ImagePipelineKey.self] = newValue }
    }
  }

  extension View {
    /// Loads the remote images of this view through a pipeline, and tells it when the app goes to the background and
    /// returns. Use it on the root view of a scene.
    public func imagePipeline(_ pipeline: ImagePipeline) -> some View {
      modifier(PipelineModifier(pipeline: pipeline))
    }
  }

  private struct PipelineModifier: ViewModifier {
    let pipeline: ImagePipeline
    @Environment(\.scenePhase) private var phase

    func body(content: Content) -> some View {
      content
        .environment(\.imagePipeline, pipeline)
        .onChange(of: phase) { old, new in
          let event: ApplicationEvent
          switch (old, new) {
          case (_, .background): event = .background
          case (.background, _): event = .foreground
          default: return
          }
          Task { await pipeline.handle(event) }
        }
    }
  }
#endif
