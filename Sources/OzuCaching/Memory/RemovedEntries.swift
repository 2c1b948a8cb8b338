/// Keeps removed entries alive until the locks are free, because releasing a value may run any code. The first two
/// entries need no allocation; an insertion rarely removes more.
@usableFromInline
struct RemovedEntries<Key, Value> {
  @usableFromInline var firstKey: Key?
  @usableFromInline var firstValue: Value?
  @usableFromInline var secondKey: Key?
  @usableFromInline var secondValue: Value?
  @usableFromInline var rest: [(Key, Value)]?
  @usableFromInline var objects: [AnyObject]?

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { firstKey == nil }

  @inlinable @inline(__always)
  mutating func add(_ key: consuming Key, _ value: consuming Value) {
    if firstKey == nil {
      (firstKey, firstValue) = (key, value)
    } else if secondKey == nil {
      (secondKey, secondValue) = (key, value)
    } else {
      addToRest(key, value)
    }
  }

  @inlinable @inline(never)
  mutating func addToRest(_ key: consuming Key, _ value: consuming Value) {
    if rest == nil { rest = [] }
    rest?.append((key, value))
  }

  @inlinable @inline(never)
  func forEachEntry(_ body: (Key, Value) -> Void) {
    if let firstKey, let firstValue { body(firstKey, firstValue) }
    if let secondKey, let secondValue { body(secondKey, secondValue) }
    for (key, value) in rest ?? [] { body(key, value) }
  }

  @inlinable @inline(never)
  mutating func hold(_ more: [AnyObject]) {
    objects = (objects ?? []) + more
  }
}
