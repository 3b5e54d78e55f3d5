// Servos on the heap, in an array, in objects, and within a function.
#include <Servo.h>

namespace rig {

struct Joint {
  uint8_t label[3];
  Servo servo;
  int offset;

  void turn(int degrees) { servo.write(degrees + offset); }
};

Joint joints[2];

}  // namespace rig

// A servo with two more bytes.
class Slow : public Servo {
public:
  int8_t speed = 5;
  int8_t step = 7;
};

Slow slow;
Servo *heap;

static void turnLocal() {
  static Servo local;
  local.attach(7, 900, 2100);
  local.write(60);
}

void setup() {
  heap = new Servo();
  heap->attach(9, 1000, 2000);
  for (uint8_t number = 0; number < 2; number++) {
    rig::joints[number].servo.attach(10 + number, 600 + 100 * number, 2400 - 100 * number);
  }
  slow.attach(6, 1000, 2000);
  delay(100);
  heap->write(120);
  delay(100);
  rig::joints[0].turn(30);
  rig::joints[1].turn(150);
  delay(100);
  slow.write(45);
  delay(100);
  turnLocal();
}

void loop() {}
