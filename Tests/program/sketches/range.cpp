// Shows the pulses of SentryServo for ranges other than the usual one. The values are those of
// Arduino's library, worked out by hand. Return values are shown as pulses too.
#include <SentryServo.h>

static SentryServo servo;

// Shows a value from 0 to 255 as 1000 to 1255 us.
static void show(uint8_t value) {
  servo.writeMicroseconds(1000 + value);
  delay(10);
}

static void write(int value) {
  servo.write(value);
  delay(10);
}

static void setRange(int pin, int min, int max) {
  const uint8_t result = servo.attach(pin, min, max);
  delay(30);
  show(result);
}

void setup() {
  setRange(9, 1000, 2000);
  // Each degree takes 5.56 us, rounded down.
  write(1);
  show(servo.read());
  write(45);
  show(servo.read());
  write(180);
  show(servo.read());
  // Values beyond an end are clamped to it: degrees, microseconds, and 544, which is the first value
  // that counts as microseconds.
  write(-20);
  write(300);
  write(544);
  write(2100);

  // 501 becomes 544 - 10 * 4 and 2503 becomes 2400 + 25 * 4.
  setRange(9, 501, 2503);
  write(0);
  write(180);
  write(90);
  show(servo.read());

  // Nothing changes: the ends in the wrong order or equal after rounding, too short, too long,
  // another pin.
  setRange(9, 2000, 1000);
  setRange(9, 541, 542);
  setRange(9, 0, 2000);
  setRange(9, 1000, 3001);
  setRange(10, 1000, 2000);
  write(180);

  // A range that Arduino's library cannot keep in 8 bits: there, 1200 would become 176.
  setRange(9, 1200, 1800);
  write(0);
  write(180);

  // The usual range again.
  servo.attach(9);
  delay(30);
  write(0);
  write(180);
  servo.detach();
}

void loop() {}
