// Messages in frames as ROS's serial bridge packs them: 0xFF 0xFE, the length (16 bits, the low byte
// first), its checksum, the topic (16 bits), the data, and their checksum. A checksum makes the sum of
// its bytes 255. Topic 101 is an angle of 16 bits. A frame that is wrong is answered with "!".
#include <Servo.h>

Servo servo;

int next() {
  const unsigned long since = millis();
  while (!Serial.available())
    if (millis() - since > 20) return -1;
  return Serial.read();
}

bool takeFrame() {
  if (next() != 0xFE) return false;
  const int low = next(), high = next(), check = next();
  if (check < 0 || (low + high + check) % 256 != 255) return false;
  const int length = low | high << 8;
  uint8_t sum = 0;
  uint8_t body[8];
  if (length > 6) return false;
  for (int index = 0; index < length + 2; index++) {
    const int c = next();
    if (c < 0) return false;
    body[index] = c;
    sum += c;
  }
  const int last = next();
  if (last < 0 || (sum + last) % 256 != 255) return false;
  if (length == 2 && (body[0] | body[1] << 8) == 101) servo.write(body[2] | body[3] << 8);
  return true;
}

void setup() {
  Serial.begin(57600);
  servo.attach(9);
}

void loop() {
  if (Serial.read() != 0xFF) return;
  if (!takeFrame()) Serial.print('!');
}
