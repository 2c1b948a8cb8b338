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
    /// Loads the remote images of this view through a pipeline. Pipelines of remote images are told about events of the app
    /// (`ApplicationObserver` of OzuUIKit and OzuAppKit).
    public func imagePipeline(_ pipeline: ImagePipeline) -> some View {
      environment(\.imagePipeline, pipeline)
    }
  }
#endif
