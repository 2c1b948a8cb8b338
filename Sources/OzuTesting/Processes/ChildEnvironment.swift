import Foundation

/// The environment for the programs that Ozu's own tests start: without the variables of Ozu that somebody has set where the
/// tests run. For `ozu serve` they are settings, and it refuses those that it does not know.
package var childEnvironment: [String: String] {
  // `make test-tsan` switches isolation off by this one, because no process with a sanitizer can be confined.
  ProcessInfo.processInfo.environment.filter { name, _ in !name.hasPrefix("OZU_") || name == "OZU_ISOLATION" }
}
