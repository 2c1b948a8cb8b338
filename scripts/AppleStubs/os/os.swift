// The unified log and signposts.

public struct Logger: @unchecked Sendable {
  public init(subsystem: String, category: String) { fatalError() }
  public func log(level: OSLogType, _ message: OSLogMessage) { fatalError() }
}

public struct OSLogType: Equatable, RawRepresentable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let `default` = OSLogType(rawValue: 0)
  public static let info = OSLogType(rawValue: 1)
  public static let debug = OSLogType(rawValue: 2)
  public static let error = OSLogType(rawValue: 16)
}

public struct OSLogPrivacy {
  public static var `public`: OSLogPrivacy { fatalError() }
  public static var `private`: OSLogPrivacy { fatalError() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
  public init(literalCapacity: Int, interpolationCount: Int) { fatalError() }
  public mutating func appendLiteral(_ literal: String) { fatalError() }
  public mutating func appendInterpolation(
    _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .private
  ) { fatalError() }
  public mutating func appendInterpolation(_ number: @autoclosure @escaping () -> Int) { fatalError() }
}

public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
  public init(stringInterpolation: OSLogInterpolation) { fatalError() }
  public init(stringLiteral value: String) { fatalError() }
}

public typealias SignpostMetadata = OSLogMessage

public struct OSSignposter: @unchecked Sendable {
  public init(subsystem: String, category: String) { fatalError() }
  public var isEnabled: Bool { fatalError() }
  public func beginInterval(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
  ) -> OSSignpostIntervalState { fatalError() }
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
    fatalError()
  }
  public func emitEvent(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
  ) { fatalError() }
}

public struct OSSignpostID: Equatable, Comparable, Sendable {
  public let rawValue: UInt64
  public init(_ value: UInt64) { rawValue = value }
  public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
  public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool { left.rawValue < right.rawValue }
}

public final class OSSignpostIntervalState {
  init() {}
  public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { fatalError() }
}

/// Of `os/proc.h`. Not on macOS.
public func os_proc_available_memory() -> Int { fatalError() }
