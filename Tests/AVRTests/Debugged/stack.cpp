// The program of CallStackTests. It calls a function of a class from an inlined one and from an
// interrupt. The files next to it were compiled from it:
//   stack-2.elf      avr-g++ 5.4, -Os -gdwarf-2
//   stack-4-lto.elf  avr-g++ 5.4, -Os -gdwarf-4 -flto
//   stack-5.elf      avr-g++ 15.2, -Os -gdwarf-5 -ffunction-sections, linked with --gc-sections
//   stack-0.elf      avr-g++ 5.4, -Os
//   stack-stabs.elf  avr-g++ 5.4, -Os -g
// stack-N.lines is what `addr2line -i -f` of binutils 2.40 says about each instruction.
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

enum Mode { IDLE, SWEEP = 5 };

struct Point {
  int x;
  char name[4];
  Mode mode;
  unsigned low : 3, high : 5;
};

volatile int total;
Point point = {-3, "ab", SWEEP, 5, 17};

namespace bench {
class Counter {
 public:
  int value;
  void add(int amount, Point *at);
};

__attribute__((noinline)) void Counter::add(int amount, Point *at) {
  volatile uint8_t buffer[3] = {1, 2, 3};
  Point copy = *at;
  value += amount + buffer[1];
  PORTB = value + copy.x;
}
}  // namespace bench

bench::Counter counter;

__attribute__((noinline)) void unused() { total = 3; }

static inline int twice(int number) {
  int doubled = number * 2;
  total += doubled;
  counter.add(doubled, &point);
  return doubled;
}

ISR(TIMER0_OVF_vect) { counter.add(total, &point); }

__attribute__((noinline)) void loop() {
  for (int turn = 0; turn < 5; turn++) twice(turn);
}

int main() {
  TCCR0B = 1;
  TIMSK0 = 1;
  sei();
  while (true) loop();
}
