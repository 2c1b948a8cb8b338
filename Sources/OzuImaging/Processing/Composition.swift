/// Several steps as one.
public struct Composition: ImageProcessing {
  private let steps: [any ImageProcessing]

  /// Makes a step of steps, which run in their order.
  public init(_ steps: [any ImageProcessing]) {
    self.steps = steps
  }

  /// The kind of step with all its parameters.
  public var identifier: String { "(" + steps.map(\.identifier).joined(separator: ">") + ")" }

  /// Runs the steps.
  ///
  /// - Throws: the error of the first step that fails.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    var result = bitmap
    for step in steps { result = try step.process(result, context: context) }
    return result
  }
}

/// A step of the app's own.
public struct CustomProcessor: ImageProcessing {
  private let name: String
  private let work: @Sendable (BGRABitmap) throws -> BGRABitmap

  /// Makes a step from a closure.
  ///
  /// - Parameters:
  ///   - name: the identity of the step with all its parameters.
  ///   - work: makes the new picture; what it throws becomes `ProcessingError.failed`.
  public init(_ name: String, _ work: @escaping @Sendable (BGRABitmap) throws -> BGRABitmap) {
    self.name = name
    self.work = work
  }

  /// The name is counted, so that no name can pass for another step.
  public var identifier: String { "custom(\(name.utf8.count):\(name))" }

  /// Calls the closure.
  ///
  /// - Throws: `failed`.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    do {
      return try work(bitmap)
    } catch {
      throw .failed(identifier, reason: error.oneLine)
    }
  }
}

extension ImageProcessing where Self == CustomProcessor {
  /// A step of the app's own.
  public static func custom(
    _ name: String, _ work: @escaping @Sendable (BGRABitmap) throws -> BGRABitmap
  ) -> Self {
    CustomProcessor(name, work)
  }
}
