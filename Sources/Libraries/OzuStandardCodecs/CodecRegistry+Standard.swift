import OzuImaging

#if canImport(ImageIO)
  import OzuImageIOCodecs
#else
  import OzuLibraryCodecs
#endif

extension CodecRegistry {
  /// All codecs of this build of Ozu, with the reason for each known format without one.
  ///
  /// On Apple platforms this is `imageIO`, elsewhere `libraries`.
  public static var standard: CodecRegistry {
    #if canImport(ImageIO)
      .imageIO
    #else
      .libraries
    #endif
  }

  /// The same with SVG, if there is a decoder for it: for a process that may crash.
  package static var standardWithDrawings: CodecRegistry {
    #if canImport(ImageIO)
      .imageIO
    #else
      libraries.withDrawings()
    #endif
  }

  /// The same for a process that decodes for other processes.
  ///
  /// - Parameter hasDeepStack: whether the stack of the calling thread is deep enough for drawings, so that they
  ///   need no threads.
  package static func helper(hasDeepStack: Bool) -> CodecRegistry {
    #if canImport(ImageIO)
      .imageIO
    #else
      libraries.withDrawings(hasDeepStack: hasDeepStack, readsLabels: true)
    #endif
  }
}
