// A turret that shows its angle on a display with a PCF8574 at 0x27: four bits at a time, and nothing
// is checked, so it works without the display too. "90" and a line feed aim.
#include <Servo.h>
#include <Wire.h>

Servo servo;
String line;

void expander(uint8_t bits) {
  Wire.beginTransmission(0x27);
  Wire.write(bits);
  Wire.endTransmission();
}

void half(uint8_t bits) {
  expander(bits | 0x0C);  // enable and backlight
  expander(bits | 0x08);
}

void show(char c) {
  half((c & 0xF0) | 1);
  half((c << 4) | 1);
}

void setup() {
  Wire.begin();
  Serial.begin(19200);
  servo.attach(9);
  servo.write(90);
}

void loop() {
  if (!Serial.available()) return;
  const char c = Serial.read();
  if (c != '\n') {
    if (line.length() < 8) line += c;
    return;
  }
  const int angle = line.toInt();
  line = "";
  servo.write(angle);
  const String text(angle);
  for (uint8_t index = 0; index < text.length(); index++) show(text[index]);
  Serial.print(F("shown "));
  Serial.println(angle);
}
