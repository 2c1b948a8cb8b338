import OzuBase
import Testing

@Suite("Recently used values")
struct RecentValuesTests {
  @Test("are found by their keys, and replaced")
  func found() {
    let values = RecentValues<Int, String>(countLimit: 4)
    #expect(values.value(for: 1) == nil)
    for text in ["a", "b"] {
      values.insert(text, for: 1, cost: 3)
      #expect(values.value(for: 1) == text && values.value(for: 2) == nil)
      #expect(values.contents == (1, 3))
    }
  }

  @Test("are no more than may be, and those that are used stay")
  func recency() {
    let values = RecentValues<Int, Int>(countLimit: 2)
    values.insert(10, for: 10)
    for key in 20...30 {
      #expect(values.value(for: key) == nil)
      values.insert(key, for: key)
      #expect(values.value(for: 10) == 10)
    }
    #expect(values.value(for: 30) == 30 && values.value(for: 29) == nil)
    #expect(values.contents.count == 2)
  }

  @Test("are no more than may be, also where a key is not equal to itself")
  func unequalKey() {
    let values = RecentValues<Double, Int>(countLimit: 2)
    for number in 1...5 { values.insert(number, for: .nan) }
    #expect(values.contents == (2, 2) && values.value(for: .nan) == nil)
  }

  @Test("cost no more than they may, and none costs more than all may")
  func cost() {
    let values = RecentValues<Int, Int>(countLimit: 100, costLimit: 40)
    for key in 1...60 {
      values.insert(key, for: key, cost: 1 + key % 9)
      #expect(values.contents.cost <= 40)
    }
    #expect(values.contents.cost > 30)
    values.insert(0, for: 0, cost: 41)
    #expect(values.value(for: 0) == nil && values.value(for: 60) == 60)
  }
}
