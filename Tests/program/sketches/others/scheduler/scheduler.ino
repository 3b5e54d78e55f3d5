// Three tasks and a scheduler that interrupts them every millisecond, as FreeRTOS does: Timer 2's
// interrupt stores all registers on the task's stack, changes the stack and restores the next
// task's. One task reads "90.", one turns the servo by a degree every 20 ms, and one blinks.
#include <Servo.h>

const uint8_t lamp = 13;
const uint8_t tasks = 3;
const uint8_t stackBytes = 160;

Servo servo;
volatile uint8_t target = 90;
uint8_t stacks[tasks][stackBytes];
uint16_t stackPointers[tasks];
volatile uint8_t current = 0;

#define STORE_CONTEXT                                                                    \
  "push r0\n in r0, __SREG__\n cli\n push r0\n push r1\n clr r1\n push r2\n push r3\n"   \
  "push r4\n push r5\n push r6\n push r7\n push r8\n push r9\n push r10\n push r11\n"    \
  "push r12\n push r13\n push r14\n push r15\n push r16\n push r17\n push r18\n"         \
  "push r19\n push r20\n push r21\n push r22\n push r23\n push r24\n push r25\n"         \
  "push r26\n push r27\n push r28\n push r29\n push r30\n push r31\n"
#define RESTORE_CONTEXT                                                                  \
  "pop r31\n pop r30\n pop r29\n pop r28\n pop r27\n pop r26\n pop r25\n pop r24\n"      \
  "pop r23\n pop r22\n pop r21\n pop r20\n pop r19\n pop r18\n pop r17\n pop r16\n"      \
  "pop r15\n pop r14\n pop r13\n pop r12\n pop r11\n pop r10\n pop r9\n pop r8\n"        \
  "pop r7\n pop r6\n pop r5\n pop r4\n pop r3\n pop r2\n pop r1\n pop r0\n"              \
  "out __SREG__, r0\n pop r0\n"

extern "C" uint16_t nextTask(uint16_t stackPointer) __attribute__((used));

uint16_t nextTask(uint16_t stackPointer) {
  stackPointers[current] = stackPointer;
  current = current + 1 == tasks ? 0 : current + 1;
  return stackPointers[current];
}

ISR(TIMER2_COMPA_vect, ISR_NAKED) {
  asm volatile(STORE_CONTEXT
               "in r24, __SP_L__\n in r25, __SP_H__\n"
               "call nextTask\n"
               "out __SP_L__, r24\n out __SP_H__, r25\n" RESTORE_CONTEXT "reti\n");
}

// A stack as if the task had been interrupted before its first instruction, with interrupts on:
// the address, r0, SREG, r1 to r31.
void create(uint8_t task, void (*body)()) {
  uint8_t *top = stacks[task] + stackBytes - 1;
  const uint16_t address = reinterpret_cast<uint16_t>(body);
  *top-- = lowByte(address);
  *top-- = highByte(address);
  *top-- = 0;
  *top-- = _BV(SREG_I);
  for (uint8_t i = 1; i < 32; i++) *top-- = 0;
  stackPointers[task] = reinterpret_cast<uint16_t>(top);
}

void readCommands() {
  int number = 0;
  for (;;) {
    if (!Serial.available()) continue;
    const char c = Serial.read();
    if (c >= '0' && c <= '9') {
      number = number % 100 * 10 + (c - '0');
    } else {
      if (c == '.' && number <= 180) target = number;
      number = 0;
    }
  }
}

void turn() {
  uint8_t angle = 90;
  servo.write(angle);
  for (;;) {
    delay(20);
    const uint8_t aim = target;
    if (aim == angle) continue;
    angle += aim > angle ? 1 : -1;
    servo.write(angle);
  }
}

void blink() {
  for (;;) {
    digitalWrite(lamp, HIGH);
    delay(100);
    digitalWrite(lamp, LOW);
    delay(400);
  }
}

void setup() {
  Serial.begin(9600);
  pinMode(lamp, OUTPUT);
  servo.attach(9);
  create(0, readCommands);
  create(1, turn);
  create(2, blink);
  cli();
  // 16 MHz / 64 / 250: a millisecond.
  TCCR2A = _BV(WGM21);
  TCCR2B = _BV(CS22);
  OCR2A = 249;
  TCNT2 = 0;
  TIMSK2 = _BV(OCIE2A);
  current = 0;
  asm volatile("out __SP_L__, %A0\n out __SP_H__, %B0\n" RESTORE_CONTEXT "reti\n"
               :
               : "r"(stackPointers[0]));
  __builtin_unreachable();
}

void loop() {}
