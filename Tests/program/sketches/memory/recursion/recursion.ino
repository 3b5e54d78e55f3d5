// Fills a field of cells by recursion. Without the bound, the stack comes into the variables.
byte field[40];

__attribute__((noinline)) int fill(int x, int depth) {
  byte path[12];
  for (byte index = 0; index < sizeof path; index++) path[index] = x + index;
  field[x % sizeof field] = depth;
#ifdef MENDED
  if (depth >= 20) return path[depth % sizeof path];
#endif
  return depth >= 150 ? 0 : fill(x + path[3], depth + 1) + path[depth % sizeof path];
}

void setup() { Serial.begin(9600); }

void loop() {
  Serial.println(fill(1, 0));
  delay(100);
}
