#if canImport(AppKit)
  // So that `import OzuAppKit` is enough for the pipeline and the views.
  @_exported import Ozu
#endif
