// Messages about networks.

@_exported import Dispatch

public struct NWPath: Sendable {
  public enum Status: Sendable {
    case satisfied
    case unsatisfied
    case requiresConnection
  }

  public var status: NWPath.Status { fatalError() }
}

public final class NWPathMonitor: @unchecked Sendable {
  public init() {}
  public final var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
    get { fatalError() }
    set { fatalError() }
  }
  public final func start(queue: DispatchQueue) { fatalError() }
  public final func cancel() { fatalError() }
}
