import OzuRecords

extension FieldWriter {
  mutating func append(_ key: CacheKey) {
    append(key.high)
    append(key.low)
  }
}

extension FieldReader {
  mutating func key() throws(Damage) -> CacheKey { CacheKey(high: try word(), low: try word()) }
}
