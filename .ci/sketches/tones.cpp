// A tone that ends by itself, one that is ended, and one that another takes the place of.
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
