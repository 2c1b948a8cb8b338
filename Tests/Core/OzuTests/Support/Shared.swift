import OzuBase

/// A value that several tasks of a test change.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value { mutex.withLock { $0 } }

  @discardableResult
  func change<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    mutex.withLock { value in
      var copy = value
      defer { value = copy }
      return change(&copy)
    }
  }
}
