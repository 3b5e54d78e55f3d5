// A servo library that moves at a speed, in the sketch itself. Its table has the name of that of
// Arduino's library, but eight bytes for each servo: pin, width, target and step. Two numbers and a
// line feed, "2000 8", are the width to go to, and how far to go in each frame, in microseconds.
struct servo_t {
  uint8_t pin;
  volatile unsigned int ticks;
  volatile unsigned int target;
  volatile unsigned int step;
  uint8_t isActive;
};
static_assert(sizeof(servo_t) == 8, "the size that differs from that of Arduino's library");
static servo_t servos[3];

ISR(TIMER1_COMPA_vect) {
  servo_t &servo = servos[0];
  if (!servo.isActive) return;
  if (PINB & _BV(1)) {
    PORTB &= ~_BV(1);
    OCR1A += 40000U - servo.ticks;
    if (servo.ticks < servo.target) {
      servo.ticks = servo.target - servo.ticks > servo.step ? servo.ticks + servo.step : servo.target;
    } else {
      servo.ticks = servo.ticks - servo.target > servo.step ? servo.ticks - servo.step : servo.target;
    }
  } else {
    PORTB |= _BV(1);
    OCR1A += servo.ticks;
  }
}

void setup() {
  Serial.begin(38400);
  Serial.setTimeout(20);
  pinMode(9, OUTPUT);
  servos[0].pin = 9;
  servos[0].ticks = servos[0].target = 3000;
  servos[0].step = 16;
  servos[0].isActive = 1;
  TCCR1A = 0;
  TCCR1B = _BV(CS11);
  OCR1A = TCNT1 + 100;
  TIMSK1 = _BV(OCIE1A);
}

void loop() {
  if (!Serial.available()) return;
  const unsigned int width = Serial.parseInt();
  const unsigned int step = Serial.parseInt();
  noInterrupts();
  servos[0].target = 2 * width;
  servos[0].step = 2 * step;
  interrupts();
  while (Serial.available()) Serial.read();
}
