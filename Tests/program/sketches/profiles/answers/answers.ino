// A command is answered with ok, a question with a position, and a shot with nothing.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(115200);
  pinMode(7, OUTPUT);
  servo.attach(9);
  Serial.println("turret v2");
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  if (line == "?") {
    Serial.print("pos ");
    Serial.println(servo.read());
  } else if (line == "F") {
    digitalWrite(7, !digitalRead(7));
  } else if (line[0] == 'P' && line.length() > 1) {
    long pan = line.substring(1).toInt();
    if (pan < 0 || pan > 180) {
      Serial.println("range");
      return;
    }
    servo.write(pan);
    Serial.println("ok");
  }
}
