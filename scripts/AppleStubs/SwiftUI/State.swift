// The state and the environment of views.

public protocol DynamicProperty {}

public struct Binding<Value>: DynamicProperty {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { fatalError() }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set { fatalError() }
  }
}

@propertyWrapper public struct State<Value>: DynamicProperty {
  public init(wrappedValue value: Value) { fatalError() }
  public init(initialValue value: Value) { fatalError() }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set { fatalError() }
  }
  public var projectedValue: Binding<Value> { fatalError() }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
  public var wrappedValue: Value { fatalError() }
}

extension Environment: Sendable where Value: Sendable {}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Self.Value { get }
}

public struct EnvironmentValues {
  public init() {}
  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { fatalError() }
    set { fatalError() }
  }
  public var displayScale: CGFloat {
    get { fatalError() }
    set { fatalError() }
  }
  public var accessibilityPlayAnimatedImages: Bool { fatalError() }
  public var accessibilityReduceMotion: Bool { fatalError() }
  public var scenePhase: ScenePhase {
    get { fatalError() }
    set { fatalError() }
  }
}

public enum ScenePhase: Comparable, Sendable {
  case background
  case inactive
  case active
}
