#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  // So that `import OzuAppKit` is enough for the pipeline and the views.
  @_exported import Ozu
#endif
