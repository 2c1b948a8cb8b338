import Testing

@testable import OzuCaching

@Suite("Whether an entry has expired")
struct AgeLimitsTests {
  private static let second: Int64 = 1_000_000_000
  private static let day = 86_400 * second
  private static let now = 20_000 * day

  private static let ages: [(Int64, Bool)] = [
    (0, false), (9 * second, false), (10 * second - 1, false), (10 * second, true), (day, true), (.max, true),
    // From the future: a day of it is tolerated.
    (-second, false), (-day, false), (-day - 1, true), (-9 * day, true),
  ]

  @Test("by its age, counted from the store", arguments: ages)
  func age(_ age: Int64, _ isExpired: Bool) {
    let limits = AgeLimits(maximumAge: 10, partitionMaximumAges: [:])
    let stored = age == .max ? .min : Self.now - age
    #expect(limits.isExpired(storedAt: stored, in: .default, at: Self.now) == isExpired)
  }

  @Test(
    "dates at the ends of the range of numbers do not trap",
    arguments: [Int64.min, -9_000_000_000_000_000_000, 0, .max])
  func extremes(_ now: Int64) {
    let limits = AgeLimits(maximumAge: 1e30, partitionMaximumAges: ["p": 0])
    for stored in [Int64.min, -1, 0, 1, .max] {
      #expect(limits.isExpired(storedAt: stored, in: "p", at: now))
      _ = limits.isExpired(storedAt: stored, in: .default, at: now)
    }
  }

  @Test("a partition's own limit replaces the common limit")
  func partitions() {
    let limits = AgeLimits(maximumAge: 10, partitionMaximumAges: ["short": 1, "any": .infinity])
    func isExpired(_ partition: Partition, _ age: Int64) -> Bool {
      limits.isExpired(storedAt: Self.now - age * Self.second, in: partition, at: Self.now)
    }
    #expect(isExpired("short", 1) && !isExpired("other", 1) && !isExpired("any", 1))
    #expect(isExpired("other", 10) && !isExpired("any", 1_000_000))
    #expect(limits.limit(of: "short") != nil && limits.limit(of: "other") != nil)
    #expect(limits.limit(of: "any") == nil)
    #expect(limits.shortest == Self.second)
  }

  @Test("without limits nothing expires", arguments: [nil, Double.infinity, .nan])
  func none(_ maximumAge: Double?) {
    let limits = AgeLimits(maximumAge: maximumAge, partitionMaximumAges: [:])
    #expect(limits.shortest == nil && limits.limit(of: .default) == nil)
    #expect(!limits.isExpired(storedAt: .min, in: .default, at: .max))
  }

  @Test("with a limit of zero or less every entry has expired", arguments: [0, -5.0])
  func zero(_ maximumAge: Double) {
    let limits = AgeLimits(maximumAge: maximumAge, partitionMaximumAges: [:])
    #expect(limits.isExpired(storedAt: Self.now, in: .default, at: Self.now))
  }
}
