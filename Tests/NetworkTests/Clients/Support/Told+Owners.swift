package import Network
package import NetworkTestSupport
package import TurretLink

extension Told: SenderOwner {
  package func changed(_ state: SenderState) { add("\(state)") }

  package func received(_ message: GatewayMessage) {
    add("\(message.isError ? "error" : "notice") \(message.code): \(message.message)")
  }
}

extension Told: DetectorOwner {
  package func changed(_ state: DetectorState) {
    switch state {
    case .ready: add("ready")
    case .away(let why): add("away: \(why)")
    }
  }

  package func received(_ message: [UInt8], _ kind: MessageKind) {
    add(String(decoding: message, as: UTF8.self))
  }
}

extension Told: VisionServerOwner {
  package func refused(_ sentence: String) { add(sentence) }
  package func shutDown() { add("shut down") }
}
