// A relay on D7 that fires for 200 ms at "F", if the safety switch between D4 and ground is closed.
// Opening the switch, or "S", ends a shot at once; the switch works through an interrupt.
const uint8_t relay = 7;
const uint8_t safety = 4;
const unsigned long shot = 200;

volatile bool isFiring = false;
unsigned long firedAt = 0;

void stop() {
  digitalWrite(relay, LOW);
  isFiring = false;
}

ISR(PCINT2_vect) {
  if (digitalRead(safety) == HIGH) stop();
}

void setup() {
  Serial.begin(9600);
  pinMode(safety, INPUT_PULLUP);
  pinMode(relay, OUTPUT);
  PCICR = _BV(PCIE2);
  PCMSK2 = _BV(PCINT20);
}

void loop() {
  if (isFiring && millis() - firedAt >= shot) {
    stop();
    Serial.print('.');
  }
  switch (Serial.read()) {
    case 'F':
      if (digitalRead(safety) == HIGH) {
        Serial.print('!');
      } else if (!isFiring) {
        firedAt = millis();
        isFiring = true;
        digitalWrite(relay, HIGH);
        Serial.print('F');
      }
      break;
    case 'S': stop(); break;
    default: break;
  }
}
