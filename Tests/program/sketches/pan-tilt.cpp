// Moves two servos with their own ranges, and switches a relay. The objects are laid out like those
// of Arduino's servo library: the index in the table, then the differences from the usual range, in
// steps of 4 us.
#include "Servo.h"

class RangedServo : public Servo {
public:
  void attach(int pin, int shortest, int longest) {
    below = (544 - shortest) / 4;
    above = (2400 - longest) / 4;
    Servo::attach(pin);
  }

  void write(int degrees) {
    const int shortest = 544 - below * 4;
    const int longest = 2400 - above * 4;
    writeMicroseconds(shortest + static_cast<long>(degrees) * (longest - shortest) / 180);
  }

private:
  int8_t below;
  int8_t above;
};

RangedServo pan;
RangedServo tilt;

void setup() {
  pinMode(7, OUTPUT);
  pan.attach(9, 1000, 2000);
  tilt.attach(10, 800, 2200);
  pan.write(120);
  tilt.write(60);
  delay(200);
  digitalWrite(7, HIGH);
  delay(100);
  digitalWrite(7, LOW);
  pan.write(30);
  tilt.write(100);
}

void loop() {}
