// A joystick on A0 and A1 turns two servos, 50 times a second. A change of less than 3 degrees is
// noise. "?" asks for both angles.
#include <Servo.h>

const int least = 3;

Servo pan;
Servo tilt;
int panAngle = -100;
int tiltAngle = -100;
unsigned long last = 0;

void follow(Servo &servo, int &angle, uint8_t input) {
  const int now = map(analogRead(input), 0, 1023, 0, 180);
  if (abs(now - angle) < least) return;
  angle = now;
  servo.write(angle);
}

void setup() {
  Serial.begin(9600);
  pan.attach(9);
  tilt.attach(10);
}

void loop() {
  if (Serial.read() == '?') {
    Serial.print(panAngle);
    Serial.print(',');
    Serial.println(tiltAngle);
  }
  if (millis() - last < 20) return;
  last = millis();
  follow(pan, panAngle, A0);
  follow(tilt, tiltAngle, A1);
}
