// The modifiers of views.

public struct Animation: Hashable, Sendable {
  public static func easeInOut(duration: TimeInterval) -> Animation { fatalError() }
}

@MainActor @preconcurrency public struct AnyTransition {
  public static let opacity: AnyTransition = { fatalError() }()
}

public func withAnimation<Result>(
  _ animation: Animation? = nil, _ body: () throws -> Result
) rethrows -> Result {
  fatalError()
}

extension View {
  public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
  public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
  public nonisolated func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
  ) -> some View {
    EmptyView()
  }
  public nonisolated func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View {
    EmptyView()
  }
  public nonisolated func background<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View {
    EmptyView()
  }
  public nonisolated func overlay<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View {
    EmptyView()
  }
  public nonisolated func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View {
    EmptyView()
  }
  public nonisolated func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> { fatalError() }
  public nonisolated func id<ID: Hashable>(_ id: ID) -> some View { EmptyView() }
  public nonisolated func transition(_ t: AnyTransition) -> some View { EmptyView() }
  public nonisolated func frame(
    width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
  ) -> some View {
    EmptyView()
  }
  public nonisolated func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View {
    EmptyView()
  }
  public nonisolated func scaledToFit() -> some View { EmptyView() }
  public nonisolated func scaleEffect(_ s: CGFloat) -> some View { EmptyView() }
  public nonisolated func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { EmptyView() }
  public nonisolated func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
    EmptyView()
  }
  public nonisolated func gesture<T: Gesture>(_ gesture: T) -> some View { EmptyView() }
  public nonisolated func task(
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View {
    EmptyView()
  }
  public nonisolated func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View {
    EmptyView()
  }
  public nonisolated func clipped(antialiased: Bool = false) -> some View { EmptyView() }
  public nonisolated func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
    EmptyView()
  }
  public nonisolated func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { EmptyView() }
  public nonisolated func accessibilityLabel(_ label: Text) -> some View { EmptyView() }
}

public struct AccessibilityChildBehavior: Hashable, Sendable {
  public static let ignore = AccessibilityChildBehavior()
}

public struct AccessibilityTraits: SetAlgebra, Sendable {
  public static let isImage = AccessibilityTraits()
  public typealias Element = AccessibilityTraits
  public init() {}
  public func contains(_ member: AccessibilityTraits) -> Bool { fatalError() }
  public func union(_ other: AccessibilityTraits) -> AccessibilityTraits { fatalError() }
  public func intersection(_ other: AccessibilityTraits) -> AccessibilityTraits { fatalError() }
  public func symmetricDifference(_ other: AccessibilityTraits) -> AccessibilityTraits { fatalError() }
  public mutating func insert(
    _ newMember: AccessibilityTraits
  ) -> (inserted: Bool, memberAfterInsert: AccessibilityTraits) {
    fatalError()
  }
  public mutating func remove(_ member: AccessibilityTraits) -> AccessibilityTraits? { fatalError() }
  public mutating func update(with newMember: AccessibilityTraits) -> AccessibilityTraits? { fatalError() }
  public mutating func formUnion(_ other: AccessibilityTraits) { fatalError() }
  public mutating func formIntersection(_ other: AccessibilityTraits) { fatalError() }
  public mutating func formSymmetricDifference(_ other: AccessibilityTraits) { fatalError() }
  public static func == (a: AccessibilityTraits, b: AccessibilityTraits) -> Bool { fatalError() }
}

@MainActor @preconcurrency public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = _ViewModifier_Content<Self>
  @ViewBuilder @MainActor @preconcurrency func body(content: Self.Content) -> Self.Body
}

public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
  public typealias Body = Never
  public var body: Never { fatalError() }
}

public struct ModifiedContent<Content, Modifier> {}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
  public typealias Body = Never
  public var body: Never { fatalError() }
}
