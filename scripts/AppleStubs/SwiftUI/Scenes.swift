// Timelines, scrolling and the application.

public struct AnimationTimelineSchedule: Sendable {}

public protocol TimelineSchedule {}
extension AnimationTimelineSchedule: TimelineSchedule {}

extension TimelineSchedule where Self == AnimationTimelineSchedule {
  public static var animation: AnimationTimelineSchedule { fatalError() }
  public static func animation(
    minimumInterval: Double? = nil, paused: Bool = false
  ) -> AnimationTimelineSchedule {
    fatalError()
  }
}

public struct TimelineView<Schedule: TimelineSchedule, Content> {
  public struct Context {
    public let date: Date
  }
}

public struct EveryMinuteTimelineSchedule: TimelineSchedule, Sendable {}

public typealias TimelineViewDefaultContext = TimelineView<EveryMinuteTimelineSchedule, Never>.Context

extension TimelineView: View where Content: View {
  public nonisolated init(
    _ schedule: Schedule, @ViewBuilder content: @escaping (TimelineViewDefaultContext) -> Content
  ) {
    fatalError()
  }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct ScrollView<Content: View>: View {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct GridItem: Sendable {
  public enum Size: Sendable {
    case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity)
  }
  public init(_ size: GridItem.Size = .adaptive(minimum: 10), spacing: CGFloat? = nil) { fatalError() }
}

public struct LazyVGrid<Content: View>: View {
  public nonisolated init(columns: [GridItem], spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
    fatalError()
  }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  public nonisolated init(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    fatalError()
  }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct ProgressView: View {
  public nonisolated init(value: Double?, total: Double = 1) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: Scene {}

@resultBuilder public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { fatalError() }
}

public struct WindowGroup<Content: View>: Scene {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
  @MainActor @preconcurrency init()
}

extension App {
  @MainActor public static func main() { fatalError() }
}

public struct TabView<Content: View>: View {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct List<Content: View>: View {
  public nonisolated init(@ViewBuilder content: () -> Content) { fatalError() }
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct Button<Label: View>: View {
  public typealias Body = Never
  public var body: Never { fatalError() }
}

extension Button where Label == Text {
  public nonisolated init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) { fatalError() }
}

public protocol Gesture<Value> {
  associatedtype Value
}

// Not on tvOS, which has no fingers.
#if !OZU_CHECK_TVOS
  public struct MagnifyGesture: Gesture {
    public struct Value: Equatable, Sendable {
      public var magnification: CGFloat
    }

    public nonisolated init(minimumScaleDelta: CGFloat = 0.01) { fatalError() }
  }
#endif

public struct _ChangedGesture<Value>: Gesture {}

extension Gesture {
  public func onChanged(_ action: @escaping (Value) -> Void) -> _ChangedGesture<Value> { fatalError() }
  public func onEnded(_ action: @escaping (Value) -> Void) -> _ChangedGesture<Value> { fatalError() }
}
