// A foam dart gun: "90,45,1" and a line feed aim pan and tilt, and 1 fires. The flywheels on D7 run
// up for 300 ms before the pusher on D11 strikes.
#include <Servo.h>

Servo pan, tilt, pusher;
const uint8_t flywheels = 7;
char line[16];
uint8_t length = 0;

void fire() {
  digitalWrite(flywheels, HIGH);
  delay(300);
  pusher.write(120);
  delay(150);
  pusher.write(30);
  digitalWrite(flywheels, LOW);
}

void obey() {
  int angles[3] = {90, 90, 0};
  uint8_t field = 0;
  angles[0] = atoi(line);
  for (const char *c = line; *c; c++)
    if (*c == ',' && field < 2) angles[++field] = atoi(c + 1);
  if (field != 2) {
    Serial.println(F("?"));
    return;
  }
  pan.write(angles[0]);
  tilt.write(angles[1]);
  if (angles[2]) fire();
  Serial.println(F("OK"));
}

void setup() {
  Serial.begin(115200);
  pinMode(flywheels, OUTPUT);
  pan.attach(9);
  tilt.attach(10);
  pusher.attach(11);
  pan.write(90);
  tilt.write(90);
  pusher.write(30);
}

void loop() {
  const int c = Serial.read();
  if (c < 0) return;
  if (c != '\n') {
    if (length < sizeof line - 1) line[length++] = c;
    return;
  }
  line[length] = 0;
  length = 0;
  obey();
}
