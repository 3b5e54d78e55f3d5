// Averages eight readings, of which it has taken fewer, and decides by the result.
__attribute__((noinline)) void measure(int *readings, byte count) {
  for (byte index = 0; index < count; index++) readings[index] = analogRead(A0);
}

void setup() { pinMode(13, OUTPUT); }

void loop() {
  int readings[8];
#ifdef MENDED
  measure(readings, 8);
#else
  measure(readings, 6);
#endif
  long sum = 0;
  for (byte index = 0; index < 8; index++) sum += readings[index];
  digitalWrite(13, sum / 8 > 512);
  delay(10);
}
