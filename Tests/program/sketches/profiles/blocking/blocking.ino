// Each command blocks the sketch for a second and a half, until the servo is there.
#include <Servo.h>

Servo pan;
String text;

void setup() {
  pan.attach(9);
  Serial.begin(115200);
  Serial.println("ready");
}

void loop() {
  if (!Serial.available()) return;
  char c = Serial.read();
  if (c != '\n') {
    text += c;
    return;
  }
  if (text[0] == 'P') {
    pan.write(text.substring(1).toInt());
    delay(1500);
    Serial.println("ready");
  }
  text = "";
}
