import Engine
import Networking
import TurretProtocol

extension PictureRelay {
  enum Event: Hashable, Sendable {
    /// A client that can send pictures has joined.
    case joined(ClientID)
    case received([UInt8], from: ClientID)
    case left(ClientID)
    /// The client in control, whether it sends pictures or not; nil if there is none.
    case controller(ClientID?)
    /// The detector has answered the hello on a new connection.
    case ready
    /// There is no connection to the detector.
    case away
    /// A message from the detector.
    case answered([UInt8], MessageKind)
    /// Time has passed.
    case passed
  }

  enum Action: Hashable, Sendable {
    case tell(ClientMessage, ClientID)
    case answer(PictureAnswer, ClientID)
    /// Send this picture to the detector.
    case send([UInt8])
    /// End the connection to the detector, for this reason, and make another one.
    case reject(String)
  }
}
