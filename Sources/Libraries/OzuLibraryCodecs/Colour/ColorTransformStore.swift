import CCodecs
import OzuBase
import OzuImaging

/// A cache of transforms: most pictures of one source share their profile, and making a transform takes longer than
/// converting a thumbnail. It is bounded; one lock guards it, and is not held while a transform is made.
final class ColorTransformStore: Sendable {
  static let shared = ColorTransformStore()
  private static let limit = 16

  private struct Key: Hashable {
    let encoding: ColorEncoding
    let layout: UInt32
  }

  private struct Entry: Sendable {
    /// `nil` for a broken encoding.
    let transform: ColorTransform?
    var lastUse: Int
  }

  private struct State: Sendable {
    var entries: [Key: Entry] = [:]
    var clock = 0
  }

  private let state = Mutex(State())

  func transform(_ encoding: ColorEncoding, _ layout: OzuColorLayout) -> ColorTransform? {
    let key = Key(encoding: encoding, layout: UInt32(layout.rawValue))
    let found = state.withLock { state -> Entry? in
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      return state.entries[key]
    }
    if let found { return found.transform }
    let transform = ColorTransform(encoding, layout: layout)
    state.withLock { state in
      if state.entries.count >= Self.limit,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      state.entries[key] = Entry(transform: transform, lastUse: state.clock)
    }
    return transform
  }
}
