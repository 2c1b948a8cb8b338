/// XXH64 over bytes that arrive in pieces. The result equals `Checksum64.of` over all of them with seed 0.
struct Checksum64Stream {
  private var lanes = Checksum64.Lanes(seed: 0)
  /// Up to 31 bytes that do not fill a stripe yet.
  private var pending: [UInt8] = []
  private var count = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = min(32 - pending.count, rest.count)
      pending += rest.prefix(missing)
      rest = rest.dropFirst(missing)
      guard pending.count == 32 else { return }
      pending.withUnsafeBytes { lanes.update($0) }
      pending.removeAll(keepingCapacity: true)
    }
    let whole = rest.count & ~31
    lanes.update(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
    pending += rest.dropFirst(whole)
  }

  func finish() -> UInt64 {
    pending.withUnsafeBytes { Checksum64.finish(count >= 32 ? lanes : nil, seed: 0, rest: $0, count: count) }
  }
}
