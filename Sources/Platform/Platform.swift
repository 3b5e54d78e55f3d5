// The system's C library, for every module that does input and output: `import Platform`. No other
// file checks which system it is compiled for, unless the systems really differ there.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif

/// `SOCK_STREAM` for `socket` and `addrinfo`. Glibc declares it as a value of an enumeration.
public var streamSocket: CInt {
  #if canImport(Glibc)
    CInt(SOCK_STREAM.rawValue)
  #else
    SOCK_STREAM
  #endif
}
