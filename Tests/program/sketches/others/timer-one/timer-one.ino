// Timer 1 as the TimerOne library uses it: phase and frequency correct, with the period in ICR1.
// Counting up and down takes 20 ms; the duty has 10 bits. "90." is an angle. An interrupt at each
// overflow toggles the lamp once a second.
const uint8_t servoPin = 9;
const uint8_t lamp = 13;

unsigned int period;
int angle = 0;
volatile uint8_t frames = 0;

void setPeriod(unsigned long microseconds) {
  const unsigned long cycles = F_CPU / 2000000 * microseconds;
  // 160 000 cycles need the prescaler of 8.
  period = cycles / 8;
  ICR1 = period;
  TCCR1B = _BV(WGM13) | _BV(CS11);
}

void setDuty(unsigned int duty) {
  const unsigned long part = static_cast<unsigned long>(period) * duty;
  OCR1A = part >> 10;
}

void turn(int angle) { setDuty(map(angle, 0, 180, 28, 123)); }

ISR(TIMER1_OVF_vect) {
  if (++frames < 50) return;
  frames = 0;
  digitalWrite(lamp, !digitalRead(lamp));
}

void setup() {
  Serial.begin(9600);
  pinMode(lamp, OUTPUT);
  TCCR1B = _BV(WGM13);
  TCCR1A = 0;
  setPeriod(20000);
  pinMode(servoPin, OUTPUT);
  turn(90);
  TCCR1A |= _BV(COM1A1);
  TIMSK1 = _BV(TOIE1);
}

void loop() {
  if (!Serial.available()) return;
  const char c = Serial.read();
  if (c >= '0' && c <= '9') {
    angle = angle % 100 * 10 + (c - '0');
  } else if (c == '.') {
    if (angle <= 180) turn(angle);
    angle = 0;
  }
}
