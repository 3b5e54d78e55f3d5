// A turret whose servos are on channels 0 and 1 of a PCA9685 at 0x40: "0:90\n" turns one. The
// frequency is 50 Hz; a pulse of 4096 steps in 20 ms is 4.88 us a step.
#include <Wire.h>

const uint8_t address = 0x40;
const uint8_t mode1 = 0x00;
const uint8_t firstChannel = 0x06;
const uint8_t prescale = 0xFE;

int channel = -1;
int number = 0;

uint8_t writeRegister(uint8_t name, uint8_t value) {
  Wire.beginTransmission(address);
  Wire.write(name);
  Wire.write(value);
  return Wire.endTransmission();
}

void setPulse(uint8_t channel, unsigned int microseconds) {
  const unsigned int off = microseconds * 4096UL / 20000;
  Wire.beginTransmission(address);
  Wire.write(firstChannel + 4 * channel);
  Wire.write(0);
  Wire.write(0);
  Wire.write(lowByte(off));
  Wire.write(highByte(off));
  Wire.endTransmission();
}

void setup() {
  Serial.begin(9600);
  Wire.begin();
  // The prescaler can only be written in sleep: 25 MHz / 4096 / 50 Hz - 1.
  const uint8_t error = writeRegister(mode1, 0x10);
  writeRegister(prescale, 121);
  writeRegister(mode1, 0x20);
  delay(1);
  writeRegister(mode1, 0xA0);
  Serial.print(error == 0 ? "ready\n" : "no driver\n");
}

void loop() {
  if (!Serial.available()) return;
  const char c = Serial.read();
  if (c >= '0' && c <= '9') {
    number = number % 100 * 10 + (c - '0');
  } else if (c == ':') {
    channel = number;
    number = 0;
  } else if (c == '\n') {
    if (channel >= 0 && channel < 2 && number <= 180) {
      setPulse(channel, map(number, 0, 180, 1000, 2000));
    }
    channel = -1;
    number = 0;
  }
}
