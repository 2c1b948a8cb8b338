#if canImport(SwiftUI)
  // One import is enough: the pipeline comes with the views.
  @_exported import Ozu
#endif
