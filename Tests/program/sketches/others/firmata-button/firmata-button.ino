// The digital messages of the Firmata protocol at 57600 baud, as StandardFirmata has them: pin
// modes, reporting of ports 0 and 1, and setting of pins. A button between a pin and ground is
// reported when it changes.
const uint8_t digitalMessage = 0x90;
const uint8_t reportDigital = 0xD0;
const uint8_t setPinMode = 0xF4;
const uint8_t setDigitalPin = 0xF5;
const uint8_t inputPullup = 0x0B;
const uint8_t pins = 14;

uint8_t message[2];
uint8_t length = 0;
uint8_t command = 0;
// Whether ports 0 (D0 to D7) and 1 (D8 to D13) are reported.
bool isReported[2] = {false, false};
uint8_t inputs[2] = {0, 0};
uint8_t levels[2] = {0, 0};

uint8_t readPort(uint8_t port) {
  uint8_t now = 0;
  for (uint8_t bit = 0; bit < 8; bit++) {
    const uint8_t pin = port * 8 + bit;
    if (pin < pins && inputs[port] & _BV(bit) && digitalRead(pin)) now |= _BV(bit);
  }
  return now;
}

void sendPort(uint8_t port) {
  Serial.write(digitalMessage | port);
  Serial.write(levels[port] & 0x7F);
  Serial.write(levels[port] >> 7);
}

void setMode(uint8_t pin, uint8_t mode) {
  // D0 and D1 are the serial port's.
  if (pin < 2 || pin >= pins) return;
  const bool isInput = mode == INPUT || mode == inputPullup;
  pinMode(pin, mode == inputPullup ? INPUT_PULLUP : mode == OUTPUT ? OUTPUT : INPUT);
  if (isInput) {
    inputs[pin / 8] |= _BV(pin % 8);
  } else {
    inputs[pin / 8] &= ~_BV(pin % 8);
  }
}

void obey() {
  if (command == setPinMode) setMode(message[0], message[1]);
  if (command == setDigitalPin && message[0] < pins) digitalWrite(message[0], message[1]);
}

void take(uint8_t byte) {
  if (byte & 0x80) {
    command = byte;
    length = 0;
    return;
  }
  if (length < 2) message[length++] = byte;
  if ((command & 0xF0) == reportDigital) {
    const uint8_t port = command & 0x0F;
    if (port < 2) {
      isReported[port] = byte != 0;
      levels[port] = readPort(port);
      if (isReported[port]) sendPort(port);
    }
    command = 0;
  } else if (length == 2) {
    obey();
    command = 0;
  }
}

void setup() { Serial.begin(57600); }

void loop() {
  while (Serial.available()) take(Serial.read());
  for (uint8_t port = 0; port < 2; port++) {
    const uint8_t now = readPort(port);
    if (!isReported[port] || now == levels[port]) continue;
    levels[port] = now;
    sendPort(port);
  }
}
