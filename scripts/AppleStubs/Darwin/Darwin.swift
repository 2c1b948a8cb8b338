// The C library, and what Apple's Foundation and Dispatch have more than those of Linux.

@_exported import Dispatch
import Foundation
@_exported import FoundationNetworking
@_exported import Glibc

extension URLRequest {
  public var allowsConstrainedNetworkAccess: Bool {
    get { fatalError() }
    set { fatalError() }
  }
  public var allowsExpensiveNetworkAccess: Bool {
    get { fatalError() }
    set { fatalError() }
  }
}

extension URLError {
  public enum NetworkUnavailableReason: Int, Sendable {
    case cellular
    case expensive
    case constrained
  }

  public var networkUnavailableReason: NetworkUnavailableReason? { fatalError() }
}

public protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol {
  var data: DispatchSource.MemoryPressureEvent { get }
  var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
  public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let normal = MemoryPressureEvent(rawValue: 1)
    public static let warning = MemoryPressureEvent(rawValue: 2)
    public static let critical = MemoryPressureEvent(rawValue: 4)
    public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
  }

  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure {
    fatalError()
  }
}

// Parts of the C library that Linux lacks.

public var F_FULLFSYNC: Int32 { fatalError() }
public var SO_NOSIGPIPE: Int32 { fatalError() }

public func sysctlbyname(
  _ name: UnsafePointer<CChar>!, _ oldp: UnsafeMutableRawPointer!, _ oldlenp: UnsafeMutablePointer<Int>!,
  _ newp: UnsafeMutableRawPointer!, _ newlen: Int
) -> Int32 {
  fatalError()
}
