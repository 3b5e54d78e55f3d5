// The operating system's functions that Embedded Swift needs, for a page, which has none.
#include <stddef.h>
#include <stdint.h>

// Seeds of hash tables. A constant keeps every run the same.
void arc4random_buf(void *buffer, size_t count) {
  unsigned char *bytes = buffer;
  for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)(i * 151 + 7);
}

uintptr_t __stack_chk_guard = 0x5AFE57AC;
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// These become instructions of the bulk memory proposal.
void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  return __builtin_memcpy(to, from, count);
}
void *memmove(void *to, const void *from, size_t count) {
  return __builtin_memmove(to, from, count);
}
void *memset(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }

// Numbers are parsed by JavaScript, which reads the shortest text of a double exactly.
__attribute__((import_module("page"), import_name("strtod")))
double page_strtod(const char *text, size_t count);

const char *_swift_stdlib_strtod_clocale(const char *text, double *result) {
  size_t count = 0;
  while (text[count]) count++;
  *result = page_strtod(text, count);
  return text + count;
}
