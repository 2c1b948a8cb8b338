#if canImport(UIKit)
  // So that `import OzuUIKit` is enough for the pipeline and the views.
  @_exported import Ozu
#endif
