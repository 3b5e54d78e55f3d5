// One command for an arm of four servos.
#include <Servo.h>

Servo servos[4];
const byte pins[4] = {3, 5, 6, 11};

void setup() {
  Serial.begin(57600);
  for (byte i = 0; i < 4; i++) servos[i].attach(pins[i]);
  Serial.println("arm ready");
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  int angles[4];
  if (sscanf(line.c_str(), "M%d:%d:%d:%d", angles, angles + 1, angles + 2, angles + 3) != 4) return;
  for (byte i = 0; i < 4; i++) if (angles[i] < 0 || angles[i] > 180) return;
  for (byte i = 0; i < 4; i++) servos[i].write(angles[i]);
}
