// Writes a pattern to a port, of which the last byte was never set.
__attribute__((noinline)) void load(byte *pattern) {
#ifdef MENDED
  const byte last = 4;
#else
  const byte last = 3;
#endif
  for (byte index = 0; index < last; index++) pattern[index] = 1 << index;
}

void setup() { DDRB = 15; }

void loop() {
  byte pattern[4];
  load(pattern);
  for (byte index = 0; index < sizeof pattern; index++) {
    PORTB = pattern[index];
    delay(5);
  }
}
