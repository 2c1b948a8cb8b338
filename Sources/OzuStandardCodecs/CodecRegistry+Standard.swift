import OzuImaging

#if canImport(ImageIO)
  import OzuImageIOCodecs
#else
  import OzuLibraryCodecs
#endif

extension CodecRegistry {
  /// All codecs that this build of Ozu has, with the reason for each known format it has none for.
  ///
  /// On Apple platforms `imageIO`, elsewhere `libraries`.
  public static var standard: CodecRegistry {
    #if canImport(ImageIO)
      .imageIO
    #else
      .libraries
    #endif
  }

  /// The same with SVG, where there is a decoder for it: for a process that may crash.
  package static var standardWithDrawings: CodecRegistry {
    #if canImport(ImageIO)
      .imageIO
    #else
      libraries.withDrawings(alpha: .premultiplied)
    #endif
  }

  /// The same for a process that decodes for others.
  ///
  /// - Parameter hasDeepStack: whether the stack of who calls is deep enough for drawings, so that they need no threads.
  package static func helper(hasDeepStack: Bool) -> CodecRegistry {
    #if canImport(ImageIO)
      .imageIO
    #else
      libraries.withDrawings(alpha: .premultiplied, hasDeepStack: hasDeepStack)
    #endif
  }
}
