// A tone that ends after its duration, one that is stopped, and one that another tone replaces.
#include <Arduino.h>

void setup() {
  tone(11, 800, 160);
  delay(300);
  tone(11, 440);
  delay(100);
  noTone(11);
  delay(100);
  tone(11, 750);
  delay(50);
  tone(11, 900, 20);
}

void loop() {}
