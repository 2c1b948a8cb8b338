#if canImport(SwiftUI)
  // So that `import OzuSwiftUI` is enough for the pipeline and the views.
  @_exported import Ozu
#endif
