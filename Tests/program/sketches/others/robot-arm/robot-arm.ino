// An arm with six joints: "J 2 45" moves joint 2 to 45 degrees, a degree every 10 ms; "HOME" moves
// all joints to 90 one after the other; "GRIP" closes the gripper, joint 5. It answers "done" when it
// is there, and reads nothing while it moves.
#include <Servo.h>

Servo joints[6];
String line;

void move(uint8_t joint, int target) {
  int at = joints[joint].read();
  while (at != target) {
    at += at < target ? 1 : -1;
    joints[joint].write(at);
    delay(10);
  }
}

void setup() {
  Serial.begin(115200);
  line.reserve(20);
  for (uint8_t joint = 0; joint < 6; joint++) {
    joints[joint].attach(3 + joint);
    joints[joint].write(90);
  }
  Serial.println(F("ready"));
}

void loop() {
  if (!Serial.available()) return;
  const char c = Serial.read();
  if (c != '\n') {
    if (c != '\r' && line.length() < 19) line += c;
    return;
  }
  if (line.startsWith("J ") && line.length() > 4) {
    const long joint = line.substring(2, 3).toInt();
    move(constrain(joint, 0, 5), constrain(line.substring(4).toInt(), 0, 180));
  } else if (line == "HOME") {
    for (uint8_t joint = 0; joint < 6; joint++) move(joint, 90);
  } else if (line == "GRIP") {
    joints[5].write(170);
  }
  line = "";
  Serial.println(F("done"));
}
