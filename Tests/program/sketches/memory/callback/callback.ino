// Calls a command's function from a table that has fewer functions than there are commands.
typedef void (*Command)();

__attribute__((noinline)) void aim() { digitalWrite(2, HIGH); }
__attribute__((noinline)) void fire() { digitalWrite(3, HIGH); }

struct {
  Command commands[2];
  // It follows the table in memory.
  unsigned calibration[2];
} settings = {{aim, fire}, {0x3A00, 0x3A00}};

void setup() { Serial.begin(9600); }

void loop() {
  static byte next;
  byte command = next++ % 4;
#ifdef MENDED
  if (command >= 2) return;
#endif
  settings.commands[command]();
  Serial.println(settings.calibration[command & 1]);
  delay(20);
}
