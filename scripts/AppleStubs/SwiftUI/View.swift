// Views and what they are made of. Isolation as documented: `View` and its kin belong to the main actor.

@_exported import CoreGraphics
@_exported import Foundation
@_exported import Observation

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: View {
  public typealias Body = Never
  public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
  public var body: Never { fatalError() }
}

@resultBuilder public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { fatalError() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { fatalError() }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
    (repeat each Content)
  > {
    fatalError()
  }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { fatalError() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> _ConditionalContent<First, Second> {
    fatalError()
  }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> _ConditionalContent<First, Second> {
    fatalError()
  }
}

public struct EmptyView: View {
  public nonisolated init() { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct TupleView<T>: View {
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct _ConditionalContent<TrueContent, FalseContent>: View {
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct ZStack<Content: View>: View {
  public nonisolated init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
    fatalError()
  }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct GeometryProxy {
  public var size: CGSize { fatalError() }
}

public struct GeometryReader<Content: View>: View {
  public nonisolated init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct Color: View, Hashable, Sendable {
  public static let clear = Color(0)
  public static let gray = Color(1)
  public static let black = Color(2)
  private init(_ value: Int) {}
  public func opacity(_ opacity: Double) -> Color { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct Text: View, Sendable {
  public nonisolated init<S: StringProtocol>(_ content: S) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct Image: View, Equatable, Sendable {
  public enum Orientation: UInt8, Sendable {
    case up
    case upMirrored
    case down
    case downMirrored
    case left
    case leftMirrored
    case right
    case rightMirrored
  }

  public enum ResizingMode: Sendable {
    case tile
    case stretch
  }

  public nonisolated init(decorative cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up) {
    fatalError()
  }
  public nonisolated init(
    _ cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up, label: Text
  ) {
    fatalError()
  }
  public nonisolated init(systemName: String) { fatalError() }
  public nonisolated func resizable(
    capInsets: EdgeInsets = EdgeInsets(), resizingMode: Image.ResizingMode = .stretch
  ) -> Image {
    fatalError()
  }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct EdgeInsets: Equatable, Sendable {
  public init() {}
}

public struct Alignment: Equatable, Sendable {
  public static let center = Alignment()
}

public enum ContentMode: Hashable, CaseIterable, Sendable {
  case fit
  case fill
}

public protocol Shape: Sendable, View {}

public struct Rectangle: Shape {
  public nonisolated init() {}
  public typealias Body = Never
  public var body: Never { fatalError() }
}
