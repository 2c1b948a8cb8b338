#if canImport(UIKit)
  // One import is enough: the pipeline comes with the views.
  @_exported import Ozu
#endif
