/// Several processors as one.
public struct Composition: ImageProcessing {
  fileprivate let steps: [any ImageProcessing]

  /// Makes one processor from several, which run in this order.
  public init(_ steps: [any ImageProcessing]) {
    self.steps = steps
  }

  /// The kind of processor with all its parameters.
  public var identifier: String { "(" + steps.map(\.identifier).joined(separator: ">") + ")" }

  /// Runs the processors.
  ///
  /// - Throws: the error of the first processor that fails.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    var result = bitmap
    for step in steps { result = try step.process(result, context: context) }
    return result
  }

  /// Runs the processors in 16 bits if all of them support these.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    var result = bitmap
    for step in steps {
      guard let made = try step.process(wide: result, context: context) else { return nil }
      result = made
    }
    return result
  }
}

extension Composition: ScaledProcessing {
  /// The same with the lengths of its processors multiplied by a factor.
  public func scaled(by factor: Double) -> Composition {
    Composition(steps.map { ($0 as? any ScaledProcessing)?.scaled(by: factor) ?? $0 })
  }
}

extension ImageProcessing {
  /// Whether the picture lies on its side afterwards: its rows have become columns.
  package var swapsAxes: Bool {
    switch self {
    case let turn as Turn: turn.orientation.swapsAxes
    case let rotation as Rotate: abs(rotation.degrees.remainder(dividingBy: 360)) == 90
    case let composition as Composition:
      !composition.steps.filter { $0.swapsAxes }.count.isMultiple(of: 2)
    default: false
    }
  }
}

/// A processor of the app.
public struct CustomProcessor: ImageProcessing {
  private let name: String
  private let work: @Sendable (BGRABitmap) throws -> BGRABitmap

  /// Makes a processor from a closure.
  ///
  /// - Parameters:
  ///   - name: the identity of the processor with all its parameters.
  ///   - work: makes the new picture; its errors become `ProcessingError.failed`.
  public init(_ name: String, _ work: @escaping @Sendable (BGRABitmap) throws -> BGRABitmap) {
    self.name = name
    self.work = work
  }

  /// The length of the name is part of it, so that no name can equal the identifier of another processor.
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
  /// A processor of the app.
  public static func custom(
    _ name: String, _ work: @escaping @Sendable (BGRABitmap) throws -> BGRABitmap
  ) -> Self {
    CustomProcessor(name, work)
  }
}
