import Dispatch
import OzuBase

/// Reports the return of the network by messages of the system: routing messages on Linux (rtnetlink), the path
/// monitor on Apple platforms.
///
/// It listens to the system only while there are observers, for each of them on its own. If the system sends no messages, observers
/// are never called.
public final class SystemNetworkMonitor: NetworkMonitoring {
  /// The monitor of the process.
  public static let shared = SystemNetworkMonitor()

  private let queue = DispatchQueue(label: "ozu.network-monitor")

  private init() {}

  /// Listens to the system from now on.
  public func observe(_ onReturn: @escaping @Sendable () -> Void) -> NetworkObservation {
    let source = SystemNetworkSource(queue: queue, onReturn: onReturn)
    // It stops with its last reference, which is this one.
    return NetworkObservation { withExtendedLifetime(source) {} }
  }
}

#if os(Linux) && !OZU_CHECK_APPLE
  /// A netlink socket that is read on a queue until it is released.
  ///
  /// Unchecked: a source of Dispatch may be used from any thread, but the library does not declare this on Linux. The
  /// member is constant, and is only cancelled after it has begun.
  private final class SystemNetworkSource: @unchecked Sendable {
    private let source: (any DispatchSourceRead)?

    init(queue: DispatchQueue, onReturn: @escaping @Sendable () -> Void) {
      guard let socket = RouteSocket() else {
        source = nil
        return
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
      // The queue is serial, so the state has one user at a time.
      let messages = Mutex(RouteMessages())
      source.setEventHandler {
        var isBack = false
        while let bytes = socket.read() { isBack = messages.withLock { $0.take(bytes) } || isBack }
        if isBack { onReturn() }
      }
      source.setCancelHandler { socket.close() }
      source.resume()
      self.source = source
    }

    deinit { source?.cancel() }
  }
#elseif canImport(Network)
  import Network

  /// A path monitor that runs on a queue until it is released.
  private final class SystemNetworkSource: Sendable {
    private let monitor = NWPathMonitor()

    init(queue: DispatchQueue, onReturn: @escaping @Sendable () -> Void) {
      let wasSatisfied = Mutex<Bool?>(nil)
      monitor.pathUpdateHandler = { path in
        let isSatisfied = path.status == .satisfied
        // The first call reports the current state, and a later one may report another network beside the one in use.
        let isReturn = wasSatisfied.withLock { former in
          defer { former = isSatisfied }
          return former == false && isSatisfied
        }
        if isReturn { onReturn() }
      }
      monitor.start(queue: queue)
    }

    deinit { monitor.cancel() }
  }
#else
  /// A platform without network messages.
  private final class SystemNetworkSource: Sendable {
    init(queue: DispatchQueue, onReturn: @escaping @Sendable () -> Void) {}
  }
#endif
