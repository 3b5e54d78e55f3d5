// Keeps a history on the heap, and sorts a copy of it on the stack, which comes into the heap.
#ifdef MENDED
const int COUNT = 200;
#else
const int COUNT = 480;
#endif
int *history;

__attribute__((noinline)) int median() {
  int sorted[COUNT];
  for (int index = 0; index < COUNT; index++) sorted[index] = history[COUNT - 1 - index];
  return sorted[COUNT / 2];
}

void setup() {
  Serial.begin(9600);
  history = (int *)malloc(COUNT * sizeof(int));
  for (int index = 0; index < COUNT; index++) history[index] = index;
}

void loop() {
  Serial.println(median());
  delay(100);
}
