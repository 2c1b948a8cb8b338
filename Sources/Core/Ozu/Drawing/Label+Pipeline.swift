import OzuImaging

extension ImagePipeline {
  /// Measures and draws labels with the codecs of the pipeline: in another process if it isolates decoders.
  ///
  /// Its calls block the thread. `picture(of:)` and `Label.size(in:)` do not.
  public var labelDrawing: any LabelDrawing { configuration.decoding.codecs.labelDrawing }

  /// Draws a label on transparent pixels, on the pipeline's decoding threads and within its limits.
  ///
  /// ```swift
  /// let badge = try await pipeline.picture(of: Label("New", size: 24, weight: 700))
  /// ```
  ///
  /// - Returns: a picture whose notes say what is not as it was asked for, such as characters without a glyph in any font.
  /// - Throws: `LabelError`.
  public func picture(of label: Label) async throws(LabelError) -> Picture {
    try await drawing { (drawing, context) throws(LabelError) in
      try drawing.picture(of: label, context: context)
    }
  }

  fileprivate func drawing<Value: Sendable>(
    _ body: @escaping @Sendable (any LabelDrawing, DecodingContext) throws(LabelError) -> Value
  ) async throws(LabelError) -> Value {
    let outcome = await context.runner.run(on: .decode, priority: .normal) {
      [decoding = configuration.decoding] in
      Result { () throws(LabelError) in
        try body(
          decoding.codecs.labelDrawing,
          DecodingContext(
            limits: decoding.limits, pool: decoding.pixelBufferPool, budget: decoding.decodedByteBudget))
      }
    }
    return try outcome.get()
  }

  fileprivate func size(of label: Label) async throws(LabelError) -> PixelSize {
    try await drawing { (drawing, context) throws(LabelError) in try drawing.size(of: label, context: context)
    }
  }
}

extension Label {
  /// The size of the label as a pipeline draws it, with its outline, shadow and background. No pixels are drawn.
  ///
  /// - Throws: `LabelError`.
  public func size(in pipeline: ImagePipeline) async throws(LabelError) -> PixelSize {
    try await pipeline.size(of: self)
  }
}
