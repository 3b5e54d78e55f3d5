/// The speed of a terminal or port in bits a second, whether termios has a name for it or not.
///
/// What differs between systems is how it is had, and that stands in the files beside this one:
///
///     static func of(_ descriptor: CInt) -> Int?
///     static func set(_ speed: Int, on descriptor: CInt) -> Bool
enum LineSpeed {}
