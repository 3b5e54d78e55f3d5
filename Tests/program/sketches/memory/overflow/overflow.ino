// Copies a line into a buffer that is too short for it, so that it writes over a return address.
const char *lines[] = {"X90", "X90 and mor"};

__attribute__((noinline)) int parse(const char *line) {
  char word[8];
#ifdef MENDED
  strlcpy(word, line, sizeof word);
#else
  strcpy(word, line);
#endif
  return atoi(word + 1);
}

void setup() { Serial.begin(9600); }

void loop() {
  static byte next;
  Serial.println(parse(lines[next++ & 1]));
  delay(20);
}
