/// The speed of a terminal or port in bits a second, whether or not termios has a code for it.
///
/// Each system has its own implementation in `LineSpeed+Linux.swift` or `LineSpeed+Darwin.swift`:
///
///     static func of(_ descriptor: CInt) -> Int?
///     static func set(_ speed: Int, on descriptor: CInt) -> Bool
package enum LineSpeed {}
