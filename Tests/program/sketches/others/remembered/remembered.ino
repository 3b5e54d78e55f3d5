// Keeps its home angle in the EEPROM: "H70." stores it, "G" turns to it, and so does a restart. A
// new chip's EEPROM contains 255, which stands for 90.
#include <EEPROM.h>
#include <Servo.h>

Servo servo;
int number = 0;
bool isHome = false;

void goHome() {
  const uint8_t stored = EEPROM.read(0);
  servo.write(stored > 180 ? 90 : stored);
}

void setup() {
  Serial.begin(19200);
  servo.attach(9);
  goHome();
}

void loop() {
  if (!Serial.available()) return;
  const char c = Serial.read();
  if (c >= '0' && c <= '9') {
    number = number % 100 * 10 + (c - '0');
    return;
  }
  if (c == '.' && isHome && number <= 180) EEPROM.update(0, number);
  if (c == '.' && !isHome && number <= 180) servo.write(number);
  if (c == 'G') goHome();
  isHome = c == 'H';
  number = 0;
}
