// Follows a pointer that is set only for a known key.
struct Entry {
  char key;
  const char *text;
};

__attribute__((noinline)) void find(char key, Entry *found) {
  found->key = key;
  if (key == 'a') found->text = "aim";
  if (key == 'f') found->text = "fire";
#ifdef MENDED
  if (key != 'a' && key != 'f') found->text = "unknown";
#endif
}

void setup() { Serial.begin(9600); }

void loop() {
  static byte next;
  Entry found;
  find("afx"[next++ % 3], &found);
  Serial.println(found.text);
  delay(20);
}
