// The same with a letter, and a timeout of 20 ms.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(115200);
  Serial.setTimeout(20);
  pinMode(13, OUTPUT);
  servo.attach(9);
  Serial.println("ok go");
}

void loop() {
  if (Serial.available() == 0) return;
  String text = Serial.readString();
  if (text[0] == 'A') servo.write(constrain(text.substring(1).toInt(), 10, 170));
  if (text == "F") digitalWrite(13, !digitalRead(13));
}
