#if os(Linux)
  import CIsolationDrills
  import Foundation
  import OzuImaging
  import OzuIsolation

  /// A program in a container: the asking process and the processes that it starts, under the same profile.
  enum Contained {
    private static let deeds = [
      ("reverse", WorkerKind(name: "drill", type: .svg)),
      ("read-passwords", WorkerKind(name: "drill", type: .svg)),
      ("connect", WorkerKind(name: "drill", type: .svg)),
      ("fill", WorkerKind(name: "drill", type: .svg)),
      ("thread", WorkerKind(name: "drill.fonts", type: .svg, readsFonts: true)),
      ("read-passwords", WorkerKind(name: "drill.fonts", type: .svg, readsFonts: true)),
    ]

    /// Prints the result of each request, and the restrictions of the workers.
    static func run(profile: String?) -> Never {
      if let profile, ozu_refuse(profile) != 0 {
        print("this system has no filter of system calls")
        exit(1)
      }
      let pool = WorkerPool(.init(helper: .thisProgram(), workerLimit: 1))
      for (deed, kind) in deeds {
        let request = WorkerRequest(
          kind: kind, message: Data(deed.utf8), body: Data([1, 2]), bodyNumber: 1, memoryByteCount: 256 << 20,
          cpuTime: .seconds(5), deadline: .seconds(30))
        do throws(ImageDecodingError) {
          let answer = try pool.perform(request, checkpoint: {}) { message, _ in
            String(decoding: message, as: UTF8.self)
          }
          print("\(deed): \(answer)")
        } catch .decoderFailed(_, let failure) {
          print("\(deed): \(failure)")
        } catch {
          print("\(deed): \(error)")
        }
      }
      if let confinement = pool.status.confinement {
        print(
          "seccomp \(confinement.filtersSystemCalls), Landlock \(confinement.landlockVersion > 0), "
            + "limits \(confinement.limitsResources), missing: \(confinement.missing.joined(separator: ", "))"
        )
      }
      exit(0)
    }
  }
#endif
