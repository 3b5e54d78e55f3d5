// A sentry gun that is steered by keys: "a" and "d" turn it by 5 degrees, "w" and "s" tilt it, "f"
// pulls the trigger relay on D4 for 50 ms. It tells its position after each key.
#include <Servo.h>

Servo pan, tilt;
const uint8_t trigger = 4;
int x = 90, y = 90;

void setup() {
  Serial.begin(57600);
  pinMode(trigger, OUTPUT);
  pan.attach(5);
  tilt.attach(6);
  pan.write(x);
  tilt.write(y);
}

void loop() {
  if (!Serial.available()) return;
  switch (Serial.read()) {
    case 'a': x = constrain(x - 5, 20, 160); break;
    case 'd': x = constrain(x + 5, 20, 160); break;
    case 'w': y = constrain(y + 5, 45, 135); break;
    case 's': y = constrain(y - 5, 45, 135); break;
    case 'f':
      digitalWrite(trigger, HIGH);
      delay(50);
      digitalWrite(trigger, LOW);
      break;
    default: return;
  }
  pan.write(x);
  tilt.write(y);
  Serial.print(x);
  Serial.print(' ');
  Serial.println(y);
}
