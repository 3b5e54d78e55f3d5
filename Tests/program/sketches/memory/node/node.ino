// A list on the heap, whose last node does not say that it is the last.
struct Node {
  byte value;
  Node *next;
};

Node *first;

__attribute__((noinline)) void add(byte value) {
  Node *node = (Node *)malloc(sizeof(Node));
  node->value = value;
#ifdef MENDED
  node->next = first;
#else
  if (first) node->next = first;
#endif
  first = node;
}

void setup() {
  Serial.begin(9600);
  for (byte value = 1; value < 5; value++) add(value);
}

void loop() {
  int sum = 0;
  for (Node *node = first; node; node = node->next) sum += node->value;
  Serial.println(sum);
  delay(20);
}
